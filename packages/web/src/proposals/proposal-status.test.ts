import type { revisions } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { en } from "../i18n/en.ts"
import { translate } from "../i18n/language.ts"
import { zh } from "../i18n/zh.ts"
import { howMuch, outcomeOf } from "./proposal-status.ts"

function revision(number: number, changes: Partial<revisions.RevisionRow> = {}): revisions.RevisionRow {
  return {
    revision: number,
    outcome: "pending",
    note: null,
    submittedBy: null,
    submittedAt: "monday",
    decidedBy: null,
    decidedAt: null,
    ...changes,
  }
}

describe("how a submission ended", () => {
  it.each([
    ["sent back, because nothing followed", revision(1, { outcome: "rejected" }), undefined, "rejected"],
    [
      "sent back, because it was submitted again",
      revision(1, { outcome: "rejected" }),
      revision(2, { submittedAt: "tuesday" }),
      "rejected",
    ],
    ["put right, because the same submission went on", revision(1, { outcome: "rejected" }), revision(2), "touchedUp"],
    ["approved, whatever followed", revision(1, { outcome: "approved" }), revision(2), "approved"],
    ["open", revision(1), undefined, "pending"],
  ] as const)("is %s", (_, row, next, outcome) => {
    expect(outcomeOf(row, next)).toBe(outcome)
  })
})

describe("how much a plan holds", () => {
  it.each([
    [en, 1, 1, "1 document, 1 task"],
    [en, 0, 12, "0 documents, 12 tasks"],
    [zh, 1, 2, "1 份文档，2 个任务"],
  ])("is counted as the reader counts", (dictionary, documentDraftCount, taskDraftCount, told) => {
    const text = (...words: Parameters<typeof translate> extends [unknown, ...infer Rest] ? Rest : never) =>
      translate(dictionary, ...words)
    expect(text("proposals.counts", howMuch(text, { documentDraftCount, taskDraftCount }))).toBe(told)
  })
})
