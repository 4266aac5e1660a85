import { ChorusError } from "@chorus/contracts"
import { pino } from "pino"
import { describe, expect, it } from "vitest"
import { accessLog } from "./access-log.ts"
import { metrics } from "./metrics.ts"
import { observers } from "./observer.ts"

const fail = () => Promise.reject(new ChorusError("already_claimed", "taken", { status: 409 }))

describe("metrics", () => {
  it("time operations by name and outcome", async () => {
    const seen = metrics(() => 3)
    await seen.around("chorus_claim_task", "r1", async () => "ok")
    await seen.around("chorus_claim_task", "r2", fail).catch(() => undefined)
    const text = await seen.text()
    expect(text).toContain('chorus_operation_seconds_count{operation="chorus_claim_task",outcome="ok"} 1')
    expect(text).toContain('chorus_operation_seconds_count{operation="chorus_claim_task",outcome="already_claimed"} 1')
    expect(text).toContain("chorus_event_readers 3")
    expect(text).toContain("chorus_faults_total 0")
  })
})

describe("accessLog", () => {
  it("writes the request id and the error's code, and passes both on", async () => {
    const lines: string[] = []
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) })
    const observer = observers(accessLog(log), metrics(() => 0))
    await expect(observer.around("chorus_claim_task", "r9", fail)).rejects.toThrow("taken")
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ operation: "chorus_claim_task", requestId: "r9", code: "already_claimed" })
  })
})
