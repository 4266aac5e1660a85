import { runs } from "@chorus/contracts"
import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  oneof,
  option,
  property,
  record,
} from "fast-check"
import { describe, expect, it } from "vitest"
import { afterFact, isEnded, mayFollow, QUEUED_RUN, type RunFact, type RunProgress } from "./run-state.ts"

const id = constantFrom("a", "b", "c")
const facts: Arbitrary<RunFact> = oneof(
  record({ fact: constantFrom("leased", "ready", "prompted", "worked", "quiet", "stop", "resumed") }),
  record({
    fact: constant("turn-ended" as const),
    stopReason: constantFrom("end_turn", "cancelled", "max_tokens", "refusal"),
    failure: option(constant("model error"), { nil: undefined }),
  }),
  record({
    fact: constant("prompt-refused" as const),
    code: constantFrom(-32_000, -32_603, 1001),
    message: constant("no"),
  }),
  record({ fact: constantFrom("asked", "settled"), id }),
  record({ fact: constant("child" as const), id, running: boolean() }),
  record({ fact: constant("failed" as const), reason: constant("limit") }),
  record({ fact: constant("gone" as const) }),
)

const after = (...told: RunFact[]) => told.reduce(afterFact, QUEUED_RUN)
const begun: RunFact[] = [{ fact: "leased" }, { fact: "ready" }, { fact: "prompted" }]

describe("a run, whatever happens in whatever order", () => {
  const told = array(facts, { maxLength: 60 })

  it("stands in one state, and what else is known of it agrees", () => {
    assert(
      property(told, (list) => {
        let run: RunProgress = QUEUED_RUN
        for (const fact of list) {
          const before = run
          run = afterFact(run, fact)
          expect(runs.RunState.options).toContain(run.state)
          const busy = run.state === "running" || run.state === "waiting"
          if (busy) expect(run.state === "waiting").toBe(run.asks.length > 0 || run.held)
          else expect([run.prompting, run.asks, run.held]).toEqual([false, [], false])
          if (isEnded(run.state)) expect(run.stopping).toBe(false)
          if (isEnded(before.state) && fact.fact !== "resumed") expect(run).toEqual(before)
          if (before.stopping && isEnded(run.state) && fact.fact !== "quiet") expect(run.state).toBe("stopped")
        }
      }),
      { numRuns: 2000 },
    )
  })

  it("reports to the server only what the server takes", () => {
    assert(
      property(told, (list) => {
        let run = afterFact(QUEUED_RUN, { fact: "leased" })
        for (const fact of list.filter(({ fact }) => fact !== "resumed")) {
          const next = afterFact(run, fact)
          if (next.state !== run.state) expect(mayFollow(run.state, next.state)).toBe(true)
          run = next
        }
      }),
      { numRuns: 1000 },
    )
  })

  it("ends once its process is gone", () => {
    assert(
      property(told, (list) => {
        const run = after({ fact: "leased" }, ...list, { fact: "gone" })
        expect(isEnded(run.state) || run.state === "queued").toBe(true)
      }),
    )
  })
})

describe("a run", () => {
  it("is finished when its turn is over and it has been quiet, and not before", () => {
    const over: RunFact = { fact: "turn-ended", stopReason: "end_turn" }
    expect(after(...begun, over).state).toBe("running")
    expect(after(...begun, { fact: "child", id: "x", running: true }, over, { fact: "quiet" }).state).toBe("running")
    expect(after(...begun, over, { fact: "quiet" })).toMatchObject({ state: "finished", reason: null })
    const cut: RunFact = { fact: "turn-ended", stopReason: "max_tokens" }
    expect(after(...begun, cut, { fact: "quiet" })).toMatchObject({
      state: "finished",
      reason: expect.stringContaining("go on"),
    })
  })

  it("waits as long as one of its questions is open", () => {
    const asked: RunFact[] = [...begun, { fact: "asked", id: "a" }, { fact: "asked", id: "b" }]
    expect(after(...asked, { fact: "settled", id: "a" }).state).toBe("waiting")
    expect(after(...asked, { fact: "settled", id: "a" }, { fact: "settled", id: "b" }).state).toBe("running")
  })

  it("waits for a person after a turn that was cut off, and after a refused sign-in", () => {
    expect(after(...begun, { fact: "turn-ended", stopReason: "cancelled" }, { fact: "quiet" }).state).toBe("waiting")
    expect(after(...begun, { fact: "prompt-refused", code: -32_000, message: "Sign in." })).toMatchObject({
      state: "waiting",
      reason: "Sign in. Sign in to the program on its machine, then tell it to go on.",
    })
  })

  it("fails where the program says so, and where it never began", () => {
    const broken: RunFact = { fact: "turn-ended", stopReason: "end_turn", failure: "The model failed." }
    expect(after(...begun, broken)).toMatchObject({ state: "failed", reason: "The model failed." })
    expect(after({ fact: "leased" }, { fact: "gone" }).state).toBe("failed")
  })

  it("is stopped by a person's wish and lost without one", () => {
    expect(after(...begun, { fact: "stop" }, { fact: "gone" }).state).toBe("stopped")
    expect(after(...begun, { fact: "gone" }).state).toBe("lost")
    expect(after({ fact: "stop" }).state).toBe("stopped")
  })

  it("can be taken up again", () => expect(after(...begun, { fact: "gone" }, { fact: "resumed" })).toBe(QUEUED_RUN))
})
