import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { agentProgram, isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { endCgroup, openCgroup, runnerCgroup } from "../src/cgroup.ts"
import { inBubblewrap } from "../src/enclosure.ts"

/** Leaves its session, its parents and its environment behind, and says which process it is. */
const ESCAPE = "env -i setsid -f /bin/sh -c 'echo $$ >\"$0\"; exec sleep 300' "

it("ends what left its session, its parents and its environment, where the kernel has groups for that", async () => {
  const path = runnerCgroup("test-11111111")
  if (path === undefined) {
    // Only whoever may make groups can be held to this; the others have the mark.
    expect(readFileSync("/proc/self/cgroup", "utf8")).toBeDefined()
    return
  }
  const cgroup = openCgroup(path, "run-1")
  const file = join(temporaryDirectory("escape-").path, "pid")
  const { command, args } = cgroup?.wrap("/bin/sh", ["-c", `${ESCAPE}${file}; sleep 300`]) ?? { command: "", args: [] }
  const child = spawn(command, args, { detached: true, stdio: "ignore" })
  const pid = await waitFor(() => existsSync(file) && Number(readFileSync(file, "utf8")), 60_000, "its number")
  expect(isRunning(Number(pid))).toBe(true)
  await cgroup?.end()
  await waitFor(() => !isRunning(Number(pid)) && !isRunning(child.pid ?? 0), 60_000, "both to end")
  await endCgroup(path)
  expect(existsSync(path)).toBe(false)
})

it("in bubblewrap an agent writes only what is its own, and does not see what the machine allows", async () => {
  const home = temporaryDirectory("enclosed-").path
  const [worktree, gitFolder, data] = ["data/worktree", "repository", "data"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [worktree, gitFolder]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(data, "policy.json"), "{}")
  writeFileSync(join(home, "mine.txt"), "mine")
  const env = { HOME: home, PATH: "/usr/bin:/bin" }
  const places = { path: await bubblewrap(), fetched: "" }
  const inside = { program: "codex", env, places, worktree, gitFolder, data } as const
  const run = (script: string) => {
    const { command, args } = inBubblewrap("/bin/sh", ["-c", script], inside)
    return execFileSync(command, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  }
  run(`echo 1 >${worktree}/a; echo 2 >${gitFolder}/b; echo 3 >${home}/.codex/c`)
  expect([join(worktree, "a"), join(gitFolder, "b"), join(home, ".codex/c")].map(existsSync)).toEqual([
    true,
    true,
    true,
  ])
  run(`echo 4 >${home}/mine.txt || true`)
  expect(readFileSync(join(home, "mine.txt"), "utf8")).toBe("mine")
  expect(() => run("echo 5 >/usr/chorus-was-here")).toThrow("Command failed")
  expect(run(`ls ${data}; ls /tmp; ps -e 2>/dev/null | wc -l`)).not.toContain("policy.json")
  expect(readdirSync(data)).toContain("policy.json")
  expect(() => inBubblewrap("/bin/sh", [], { ...inside, places: { path: "/nowhere", fetched: "" } })).toThrow(
    "has no bwrap",
  )
  rmSync(home, { recursive: true })
})

/** Codex brings one for its own sandbox. */
async function bubblewrap(): Promise<string> {
  const codex = join(dirname(await agentProgram("codex")), "..")
  const found = readdirSync(codex, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith("/bwrap"))
  return join(codex, dirname(found ?? ""))
}
