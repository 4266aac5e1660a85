import { expect, it } from "vitest"
import { namesIn } from "./session-index.ts"
import { oscLine } from "./osc.ts"

it("session names come one per line, broken lines are passed over", () => {
  expect(
    namesIn(['{"id":"a","thread_name":"One"}', "{broken", '{"id":"b"}', '{"id":"a","thread_name":"Two"}']),
  ).toEqual([
    ["a", "One"],
    ["a", "Two"],
  ])
})

it.each([
  ["state=working:app=codex", { event: "running", only: ["needsInput", "unknown"] }],
  [
    "state=blocked:app=codex:kind=question",
    { event: "needsInput", toolDetail: "Codex asks a question", only: ["running", "unknown"] },
  ],
  ["state=error:app=codex", { event: "finished", exitCode: 1 }],
  ["state=done:app=codex", { event: "idle", only: ["running", "needsInput", "unknown"] }],
])("%s means %j", (osc, expected) => {
  expect(oscLine({ osc, terminalId: "t", at: 1_794_740_000_000 }, 1_794_740_000_001)).toMatchObject({
    terminalId: "t",
    agent: "codex",
    source: "codex:osc7501",
    ...expected,
  })
})

it.each(["state=clear", "state=thinking:app=codex", "state=working:app=other", "", "nonsense"])(
  "%j changes nothing",
  (osc) => {
    expect(oscLine({ osc, terminalId: "t" }, 1)).toBeUndefined()
  },
)
