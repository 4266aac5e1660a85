import { expect, it } from "vitest"
import { redaction } from "./redaction.ts"

it("blots out what a run was given, however deep it stands and whatever is in it, and what looks like a secret", () => {
  const redact = redaction(['pass"word\\1', "short", "cho_run-key"])
  expect(redact({ a: ['x pass"word\\1 y'], b: { c: "cho_run-key" }, d: "short" })).toEqual({
    a: ["x ••• y"],
    b: { c: "•••" },
    d: "short",
  })
  expect(redact(`export TOKEN=ghp_${"a".repeat(36)};\nsk-ant-${"b".repeat(30)}.`)).toBe("export TOKEN=•••;\n•••.")
  const plain = { text: "task-force desk-lamp sk-1" }
  expect(redact(plain)).toBe(plain)
})
