import type { EventKind } from "@chorus/contracts"
import { NOTIFICATION_RULES, type NotificationRule } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { type Parameters, type TextKey, translate } from "../i18n/language.ts"
import { writtenZh, zh } from "../i18n/zh.ts"
import { saidIn } from "./said.ts"

const text = (key: TextKey, parameters?: Parameters) => translate(zh, key, parameters)
const [actorName, entityTitle] = ["Ada (builder)", 'Say "hello": twice.']
const told = (message: string) => saidIn(text, writtenZh, { message, actorName, entityTitle })

/** All that any sentence is made of, and the least. */
const FULL = {
  from: { name: "Bob" },
  passed: 2,
  failed: 1,
  reason: "Loose.\nAgain",
  returned: true,
  to: {},
  preview: "Words",
  before: { title: "Greet", criteria: ["It greets."] },
  criteria: ["It greets twice."],
  version: 3,
  reviewNote: "Why?",
  said: "Q\nA",
  askAgain: true,
  content: "Words",
  verdict: "pass_with_notes",
  answer: { decision: "approve", text: "Yes" },
}
const LEAST = { ...FULL, from: null, reason: null, returned: undefined, before: { criteria: ["A"] }, reviewNote: null }
const PATCHES = [
  FULL,
  { ...LEAST, said: undefined, askAgain: false, verdict: "pass", answer: null },
  { ...FULL, changed: true, verdict: "fail" },
  { ...LEAST, changed: true, askAgain: false, returned: true },
]

describe("a notification in Chinese", () => {
  it.each(Object.keys(NOTIFICATION_RULES) as EventKind[])("has a sentence for %s", (kind) => {
    const rule = NOTIFICATION_RULES[kind] as NotificationRule
    for (const patch of PATCHES) {
      const message = rule.says(actorName, entityTitle, patch as never) ?? ""
      const said = told(message)
      expect(said).toMatch(/\p{Script=Han}/u)
      if (message.includes(actorName)) expect(said).toContain(actorName)
      expect(said).toContain(entityTitle)
      expect(said).not.toMatch(/\{\w+\}/)
    }
  })

  it("keeps what people wrote, and what it does not know, as it is", () => {
    expect(told(`${actorName} sent "${entityTitle}" back: The wire is loose.\nTry again.`)).toBe(
      `${actorName} 退回了“${entityTitle}”：The wire is loose.\nTry again.`,
    )
    expect(told(`${actorName} reported on "${entityTitle}": Half of it.`)).toBe(
      `${actorName} 汇报了“${entityTitle}”的进展：Half of it.`,
    )
    expect(told(`${actorName} mentioned you on "${entityTitle}": See.`)).toBe(
      `${actorName} 在“${entityTitle}”中提到了你：See.`,
    )
    expect(told("Something that was said long ago.")).toBe("Something that was said long ago.")
  })
})
