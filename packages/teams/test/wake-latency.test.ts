import { availableParallelism, loadavg } from "node:os"
import { expect, test } from "vitest"
import { createTeam, MemberHost } from "../src/index.ts"
import { Bell } from "../src/watch.ts"
import { figure, percentile, scratchRoot, startWorker, STRESS } from "./worker.ts"

test("a message wakes an idle member within 50 ms", async () => {
  const count = STRESS ? 200 : 60
  const idle = STRESS && (loadavg()[0] ?? 0) < availableParallelism()
  const root = scratchRoot()
  const team = await createTeam({ name: "quick" }, { root })
  await team.join({ name: "sleeper" })
  const delays: number[] = []
  const bell = new Bell()
  const host = new MemberHost({
    team,
    name: "sleeper",
    driver: {
      async turn({ messages }) {
        for (const { entry } of messages) delays.push(Date.now() - Date.parse(entry.timestamp))
        return ""
      },
    },
    onEvent: ({ event }) => event === "idle" && bell.ring(),
  })
  const pinger = startWorker("pinger", root, "quick", "sleeper", String(count))
  await pinger.done
  while (delays.length < count) await bell.heard()
  await host.close()
  const p95 = percentile(delays, 0.95)
  figure(`send to wake across processes: median ${percentile(delays, 0.5)} ms, p95 ${p95} ms (${count} messages)`)
  // The budget is for an idle machine; on a busy one only the usual case is held to it.
  expect(idle ? p95 : percentile(delays, 0.5)).toBeLessThanOrEqual(50)
})
