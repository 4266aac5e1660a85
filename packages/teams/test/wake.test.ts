import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createTeam, MemberHost } from "../src/index.ts"
import { Bell } from "@chorus/core"
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

test("a member stays and hears of messages where the system can watch no more folders", async () => {
  const root = scratchRoot()
  const team = await createTeam({ name: "blind" }, { root })
  await team.join({ name: "echo" })
  const refusesToWatch = `import fs from "node:fs"
    import { syncBuiltinESMExports } from "node:module"
    fs.watch = () => { throw Object.assign(new Error("EMFILE: too many open files, watch"), { code: "EMFILE" }) }
    syncBuiltinESMExports()`
  const words = [
    "--import",
    `data:text/javascript,${encodeURIComponent(refusesToWatch)}`,
    program("../src/runtime/member-main"),
  ]
  const member = ["--team-name", "blind", "--agent-name", "echo", "--program", "command"]
  const child = spawn(process.execPath, [...words, ...member, "--", process.execPath, program("workers/echo-agent")], {
    env: { PATH: process.env["PATH"], HOME: root, CLAUDE_CONFIG_DIR: root },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const said: string[] = []
  const bell = new Bell()
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line.replace(/^\S+Z /, ""))
    bell.ring()
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  for (const text of ["one", "two"]) {
    await team.deliver({ from: "team-lead", to: "echo", text })
    while (!said.includes(`idle ECHO ${text.toUpperCase()}`) && child.exitCode === null)
      await Promise.race([bell.heard(), ended])
  }
  child.kill()
  await ended
  expect(said.filter((line) => line.startsWith("idle"))).toEqual(["idle ECHO ONE", "idle ECHO TWO"])
})

function program(name: string): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url))
}
