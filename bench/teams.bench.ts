import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, watch, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { createTeam, MemberHost, type Team } from "../packages/teams/src/index.ts"
import { type Figure, percentile } from "./figure.ts"

const PINGER = join(import.meta.dirname, "..", "packages", "teams", "test", "workers", "pinger.ts")
const PINGS = 200
const APPENDS = 200
const SIZES = { few: 100, many: 50_000 } as const

/** What a message costs: until its receiver is awake, and to write it into a small and into a huge inbox, on the disk each time. */
export async function bench(): Promise<Figure[]> {
  await using directory = temporaryDirectory("teams-bench-")
  return [
    ...(await wake(directory.path)),
    ...(await limit(join(directory.path, "limit"))),
    ...(await append(directory.path)),
    ...(await takeAll(directory.path)),
  ]
}

async function wake(root: string): Promise<Figure[]> {
  const team = await createTeam({ name: "quick" }, { root })
  await team.join({ name: "sleeper" })
  const delays: number[] = []
  const host = new MemberHost({
    team,
    name: "sleeper",
    driver: {
      turn: async ({ messages }) => {
        for (const { entry } of messages) delays.push(Date.now() - Date.parse(entry.timestamp))
        return ""
      },
    },
  })
  const [code] = (await once(
    spawn(process.execPath, [PINGER, root, "quick", "sleeper", String(PINGS)], { stdio: "inherit" }),
    "exit",
  )) as [number | null]
  await host.close()
  if (code !== 0 || delays.length !== PINGS)
    throw new Error(`${delays.length} of ${PINGS} messages woke the member (${code})`)
  return [
    { name: "message to an idle member, send to wake, median", value: percentile(delays, 0.5), unit: "ms" },
    {
      name: "message to an idle member, send to wake, p95",
      value: percentile(delays, 0.95),
      unit: "ms",
      budget: { atMost: 50 },
    },
  ]
}

/** The least a file can cost in this run: written, synced, renamed, seen by who watches the folder. No lock, no other process. */
async function limit(folder: string): Promise<Figure[]> {
  mkdirSync(folder)
  const watcher = watch(folder)
  const times: number[] = []
  for (let n = 0; n < PINGS; n++) {
    const seen = new Promise<void>((resolve) => {
      const look = (_: string, name: string | Buffer | null) => {
        if (name !== `${n}`) return
        watcher.off("change", look)
        resolve()
      }
      watcher.on("change", look)
    })
    const began = performance.now()
    const file = openSync(join(folder, "new"), "w")
    writeSync(file, "a message")
    fdatasyncSync(file)
    closeSync(file)
    renameSync(join(folder, "new"), join(folder, `${n}`))
    await seen
    times.push(performance.now() - began)
  }
  watcher.close()
  return [{ name: "a file synced, renamed and seen, p95", value: percentile(times, 0.95), unit: "ms" }]
}

async function append(root: string): Promise<Figure[]> {
  const team = await createTeam({ name: "big" }, { root })
  for (const [agent, count] of Object.entries(SIZES)) await fillInbox(team, agent, count)
  const times = { few: [] as number[], many: [] as number[] }
  // In turns, so that whatever else the machine does weighs on both alike.
  for (let n = 0; n < APPENDS; n++) {
    for (const agent of ["few", "many"] as const) {
      const began = performance.now()
      await team.deliver({ from: "y", to: agent, text: `append ${n}` })
      times[agent].push(performance.now() - began)
    }
  }
  const [few, many] = [percentile(times.few, 0.5), percentile(times.many, 0.5)]
  return [
    { name: "append to an inbox of 100, median", value: few, unit: "ms" },
    { name: "append to an inbox of 50,000, median", value: many, unit: "ms" },
    { name: "append at 50,000 beside the same at 100", value: many / few, unit: "times", budget: { atMost: 2 } },
  ]
}

async function takeAll(root: string): Promise<Figure[]> {
  const team = await createTeam({ name: "backlog" }, { root })
  await fillInbox(team, "late", SIZES.many)
  const began = performance.now()
  const taken = await team.take("late")
  const first = performance.now() - began
  if (taken.length !== SIZES.many) throw new Error(`${taken.length} messages were taken`)
  await team.deliver({ from: "y", to: "late", text: "one more" })
  const again = performance.now()
  await team.take("late")
  return [
    { name: "taking 50,000 waiting messages", value: first, unit: "ms", budget: { atMost: 5000 } },
    { name: "taking the one after them", value: performance.now() - again, unit: "ms", budget: { atMost: 1000 } },
  ]
}

async function fillInbox(team: Team, agent: string, count: number): Promise<void> {
  await team.join({ name: agent })
  const entries = Array.from({ length: count }, (_, n) => ({
    from: "x",
    text: `message number ${n} with some words in it`,
    timestamp: "2026-01-01T00:00:00.000Z",
    read: false,
  }))
  writeFileSync(team.paths.inbox(agent), JSON.stringify(entries, null, 2))
}
