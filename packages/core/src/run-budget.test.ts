import { runPolicy } from "@chorus/contracts"
import { array, assert, constantFrom, double, integer, option, property, record, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { answersAsk, askSubject, callStreak, type CallStreak, judgeSpend } from "./run-budget.ts"

const spent = { usd: 0, tokens: 0, turns: 0, minutes: 0 }

describe("a budget", () => {
  it("warns from 80 % on, lets the last of it be used, and is over beyond it", () => {
    const judge = (tokens: number) =>
      judgeSpend([{ scope: "run", budget: { tokens: 100 }, spent: { ...spent, tokens } }])
    expect(judge(79)).toMatchObject({ over: undefined, spent: undefined, warning: undefined, left: { tokens: 21 } })
    expect(judge(80)).toMatchObject({ over: undefined, warning: "80 % of 100 tokens for this run used." })
    expect(judge(100)).toMatchObject({ over: undefined, spent: "Over budget: 100 tokens of 100 tokens for this run." })
    expect(judge(101)).toMatchObject({
      over: "Over budget: 101 tokens of 100 tokens for this run.",
      left: { tokens: 0 },
    })
  })

  it("of a turn is one whole turn", () => {
    const judge = (turns: number) => judgeSpend([{ scope: "run", budget: { turns: 1 }, spent: { ...spent, turns } }])
    expect(judge(1)).toMatchObject({ over: undefined })
    expect(judge(2).over).toBe("Over budget: 2 turns of 1 turn for this run.")
  })

  it("that is narrowest decides, whichever scope it is of", () => {
    const amounts = record({
      usd: option(double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
      tokens: option(integer({ min: 0, max: 1000 }), { nil: undefined }),
    })
    const used = record({ usd: double({ min: 0, max: 100, noNaN: true }), tokens: integer({ min: 0, max: 1000 }) })
    const account = record({ scope: constantFrom(...runPolicy.BudgetScope.options), budget: amounts, used })
    assert(
      property(array(account, { maxLength: 4 }), (given) => {
        const accounts = given.map(({ scope, budget, used: told }) => ({
          scope,
          budget: Object.fromEntries(Object.entries(budget).filter(([, limit]) => limit !== undefined)),
          spent: { ...spent, ...told },
        }))
        const verdict = judgeSpend(accounts)
        const beyond = given.some(({ budget, used: told }) =>
          (["usd", "tokens"] as const).some((measure) => told[measure] > (budget[measure] ?? Infinity)),
        )
        expect(verdict.over !== undefined).toBe(beyond)
        if (beyond) expect(verdict.spent).toBeDefined()
        for (const left of Object.values(verdict.left)) expect(left).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe("a streak of calls", () => {
  const call = (id: string, input: object, status = "completed") => ({
    id,
    kind: "tool",
    title: "Bash",
    status,
    data: { input },
  })
  it("counts the same call in a row, each once however often it is told of", () => {
    const ls = { command: "ls" }
    const after = (...told: ReturnType<typeof call>[]) => callStreak(null, told)?.times
    expect(after(call("1", ls), call("2", ls), call("3", ls))).toBe(3)
    expect(after(call("1", ls), call("1", ls), call("2", ls, "pending"), call("2", ls))).toBe(2)
    expect(after(call("1", ls), call("2", { command: "cat" }), call("3", ls))).toBe(1)
    expect(callStreak(null, [{ ...call("1", ls), kind: "message" }])).toBeNull()
  })

  it("is the same whether told at once or bit by bit", () => {
    const told = array(
      record({ id: constantFrom("1", "2", "3", "4"), command: constantFrom("a", "b") }).map(({ id, command }) =>
        call(id, { command }),
      ),
    )
    assert(
      property(told, (entries) => {
        const bits = entries.reduce<CallStreak | null>((streak, entry) => callStreak(streak, [entry]), null)
        expect(bits).toEqual(callStreak(null, entries))
      }),
    )
  })
})

describe("a yes that was given once for all", () => {
  it("is about the command or the file, else about what the program calls it", () => {
    expect(askSubject("Terminal", { input: { command: "npm test", description: "run" } })).toBe("npm test")
    expect(askSubject("Edit", { input: { file_path: "/a.txt" } })).toBe("/a.txt")
    expect(askSubject("rm", { input: null })).toBe("rm")
    expect(askSubject("rm", {})).toBe("rm")
  })

  it("never goes beyond what the machine lets an agent do unasked, nor to another call", () => {
    const word = constantFrom("rm", "ls", "npm test")
    const kind = constantFrom("execute", "edit", "other")
    const mode = option(constantFrom(...runPolicy.RunMode.options), { nil: null })
    const yes = record({ runUuid: option(constantFrom("mine", "another"), { nil: null }), kind, title: word })
    const standing = record({ uuid: constantFrom("mine"), mode, machineMode: mode })
    assert(
      property(yes, record({ kind, title: word }), standing, string(), (kept, ask, run, other) => {
        if (!answersAsk(kept, ask, run)) return
        expect([kept.kind, kept.title]).toEqual([ask.kind, ask.title])
        expect(run.machineMode === "edit" || run.machineMode === "all").toBe(true)
        expect(kept.runUuid === null ? run.mode !== "ask" : kept.runUuid === run.uuid).toBe(true)
        expect(answersAsk(kept, { ...ask, title: `${ask.title} ${other}` }, run)).toBe(false)
        expect(answersAsk(kept, ask, { ...run, machineMode: "ask" })).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
