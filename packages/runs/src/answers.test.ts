import { array, assert, constantFrom, property, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { choiceFor, formAnswer, isOurTool, questionsOfForm } from "./answers.ts"

const kinds = ["allow_once", "allow_always", "reject_once", "reject_always"]
const offered = array(record({ optionId: constantFrom("a", "b", "b_and_switch"), kind: constantFrom(...kinds) }))

describe("what is chosen for a person", () => {
  it("is never more than they said: one call, allowed or refused", () => {
    assert(
      property(offered, constantFrom("approve", "deny"), (choices, decision) => {
        const chosen = choiceFor(choices, { decision })
        if (chosen === undefined) return
        const fits = choices.filter(({ optionId }) => optionId === chosen["optionId"]).map(({ kind }) => kind)
        if (decision === "approve") expect(fits).toContain("allow_once")
        else expect(fits.some((kind) => kind.startsWith("reject"))).toBe(true)
      }),
    )
  })

  it("is nothing where they said nothing", () => {
    const choices = [{ optionId: "a", kind: "allow_once" }]
    expect(choiceFor(choices, undefined)).toBeUndefined()
    expect(choiceFor(choices, { text: "yes" })).toBeUndefined()
    expect(choiceFor([{ optionId: "a", kind: "allow_always" }], { decision: "approve" })).toBeUndefined()
  })

  it("is theirs unless it is a tool of ours, and no command passes for one", () => {
    expect(isOurTool({ name: "mcp__chorus__chorus_checkin", kind: "other" })).toBe(true)
    expect(isOurTool({ title: "mcp.chorus.chorus_checkin" })).toBe(true)
    expect(isOurTool({ title: "mcp__chorus__x; rm -rf /", kind: "other" })).toBe(false)
    expect(isOurTool({ title: "mcp__chorus__x", kind: "execute" })).toBe(false)
  })

  it("fills in a form by its choices, by its free field, or not at all", () => {
    const colour = { type: "string", oneOf: [{ const: "Red" }] }
    const schema = { properties: { q: colour, q_custom: { type: "string" } } }
    expect(formAnswer(schema, { text: "red" })).toEqual({ action: "accept", content: { q: "Red" } })
    expect(formAnswer(schema, { text: "mauve" })).toEqual({ action: "accept", content: { q_custom: "mauve" } })
    expect(formAnswer(schema, { decision: "deny" })).toEqual({ action: "decline" })
    expect(formAnswer(schema, undefined)).toEqual({ action: "cancel" })
  })
  it("is put before people question by question, and goes back field by field", () => {
    const closed = { properties: { colour: { type: "string", title: "Colour", enum: ["red", "blue"] } } }
    expect(questionsOfForm(closed, "")).toEqual([
      { id: "colour", question: "Colour", options: [{ label: "red" }, { label: "blue" }], ownWords: false },
    ])
    expect(formAnswer(closed, { text: "Blue" })).toEqual({ action: "accept", content: { colour: "blue" } })
    const named = { properties: { q: { oneOf: [{ const: "r", title: "Ruby" }] }, q_note: {} }, required: [] }
    expect(questionsOfForm(named, "Which?")).toEqual([
      { id: "q", question: "Which?", options: [{ label: "Ruby" }], optional: true },
    ])
    expect(formAnswer(named, { text: "ruby" })).toEqual({ action: "accept", content: { q: "r" } })
    const typed = { properties: { sure: { type: "boolean" }, many: { type: "integer" }, why: { type: "string" } } }
    const answers = { sure: "no", many: "3", why: "Because." }
    expect(formAnswer(typed, { data: { answers } })).toEqual({
      action: "accept",
      content: { sure: false, many: 3, why: "Because." },
    })
    expect(formAnswer({}, { text: "Yes." })).toEqual({ action: "accept", content: {} })
    expect(formAnswer(typed, { text: "" })).toEqual({ action: "decline" })
  })
})
