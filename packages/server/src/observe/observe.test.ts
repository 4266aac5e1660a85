import { ChorusError } from "@chorus/contracts"
import { pino } from "pino"
import { describe, expect, it } from "vitest"
import { accessLog } from "./access-log.ts"
import { metrics } from "./metrics.ts"
import { type Observer, observers } from "./observer.ts"

const fail = () => Promise.reject(new ChorusError("already_claimed", "taken", { status: 409 }))
const quietly = (call: Promise<unknown>) => call.catch(() => undefined)

describe("metrics", () => {
  it("time operations by name and outcome", async () => {
    const seen = metrics(() => 3)
    await seen.around("chorus_claim_task", "r1", async () => "ok")
    await quietly(seen.around("chorus_claim_task", "r2", fail))
    const text = await seen.text()
    expect(text).toContain('chorus_operation_seconds_count{operation="chorus_claim_task",outcome="ok"} 1')
    expect(text).toContain('chorus_operation_seconds_count{operation="chorus_claim_task",outcome="already_claimed"} 1')
    expect(text).toContain("chorus_event_readers 3")
    expect(text).toContain("chorus_faults_total 0")
  })

  it("count as faults what was our own: the unexpected, and what we answer with 500 and above", async () => {
    const seen = metrics(() => 0)
    await quietly(seen.around("a", "r", () => Promise.reject(new Error("bug"))))
    await quietly(
      seen.around("b", "r", () => Promise.reject(new ChorusError("store_unavailable", "away", { status: 503 }))),
    )
    await quietly(seen.around("c", "r", fail))
    const text = await seen.text()
    expect(text).toContain("chorus_faults_total 2")
    expect(text).toContain('outcome="internal"')
  })

  it("tell of connections to the database where there are any", async () => {
    expect(await metrics(() => 0).text()).not.toContain('chorus_store_connections{state="open"}')
    const text = await metrics(
      () => 0,
      () => ({ open: 4, idle: 1, waiting: 2 }),
    ).text()
    for (const line of ['{state="open"} 4', '{state="idle"} 1', '{state="waiting"} 2'])
      expect(text).toContain(`chorus_store_connections${line}`)
  })
})

describe("accessLog", () => {
  const logAt = (level: string) => {
    const lines: string[] = []
    return {
      observer: accessLog(pino({ level }, { write: (line: string) => void lines.push(line) })),
      lines: () => lines.map((line) => JSON.parse(line) as object),
    }
  }

  it("writes the request id and how it ended, and passes answer or error on", async () => {
    const { observer, lines } = logAt("info")
    expect(await observer.around("chorus_claim_task", "r8", async () => "answer")).toBe("answer")
    await expect(observer.around("chorus_claim_task", "r9", fail)).rejects.toThrow("taken")
    await quietly(observer.around("chorus_claim_task", "r10", () => Promise.reject(new Error("bug"))))
    expect(lines()).toMatchObject([
      { operation: "chorus_claim_task", requestId: "r8", ms: expect.any(Number), msg: "done" },
      { requestId: "r9", code: "already_claimed", msg: "refused" },
      { requestId: "r10", code: "internal", msg: "refused" },
    ])
  })

  it("writes nothing where nobody asked for that much", async () => {
    const { observer, lines } = logAt("warn")
    expect(await observer.around("chorus_claim_task", "r1", async () => 7)).toBe(7)
    expect(lines()).toEqual([])
  })
})

describe("several observers", () => {
  const named = (name: string, seen: string[]): Observer => ({
    around: async (operation, requestId, work) => {
      seen.push(`${name} before ${operation} ${requestId}`)
      const answer = await work()
      seen.push(`${name} after`)
      return answer
    },
  })

  it("stand around the work like shells, the first outermost", async () => {
    const seen: string[] = []
    expect(
      await observers(named("outer", seen), named("inner", seen)).around(
        "op",
        "r1",
        async () => (seen.push("work"), 42),
      ),
    ).toBe(42)
    expect(seen).toEqual(["outer before op r1", "inner before op r1", "work", "inner after", "outer after"])
  })

  it("may be none", async () => {
    expect(await observers().around("op", "r1", async () => "plain")).toBe("plain")
  })
})
