import { expect, test } from "vitest"
import { createTeam, MemberHost } from "../src/index.ts"
import { Bell } from "../src/watch.ts"
import { figure, percentile, scratchRoot, startWorker, STRESS } from "./worker.ts"

test("every message from another process wakes an idle member, once", async () => {
  const count = STRESS ? 200 : 60
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
  figure(
    `send to wake across processes: median ${percentile(delays, 0.5)} ms, p95 ${percentile(delays, 0.95)} ms (${count} messages)`,
  )
  expect(delays).toHaveLength(count)
})
