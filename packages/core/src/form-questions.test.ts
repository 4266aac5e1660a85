import type { attentions } from "@chorus/contracts"
import { expect, it } from "vitest"
import { faultOf, saidTo } from "./form-questions.ts"

const options = [{ label: "Red, dark" }, { label: "Red" }, { label: "Blue" }]
const many: attentions.FormQuestion = { id: "q", question: "Which?", options, multiSelect: true }

it("labels are heard as they are, the longest that fits, and all else is words of one's own", () => {
  expect(saidTo(many, "blue, Red, dark, and mauve, say")).toEqual({
    chosen: ["Blue", "Red, dark"],
    own: "and mauve, say",
  })
  expect(saidTo(many, "Redder, Red")).toEqual({ chosen: ["Red"], own: "Redder" })
  expect(saidTo({ id: "q", question: "Which?", options }, "Blue, Red")).toEqual({ chosen: [], own: "Blue, Red" })
})

it("what a program would refuse is known beforehand", () => {
  const closed: attentions.FormQuestion = { ...many, ownWords: false }
  const count: attentions.FormQuestion = { ...many, id: "n", options: [], isNumber: true, optional: true }
  expect(faultOf([closed, count], { q: "Red, Blue" })).toBeUndefined()
  expect(faultOf([closed], { q: "Red, mauve" })).toContain("one of these: Red, dark, Red, Blue")
  expect(faultOf([closed, count], { n: "3" })).toContain("Nothing answers “Which?”")
  expect(faultOf([closed, count], { q: "Red", n: "many" })).toContain("wants a number")
})
