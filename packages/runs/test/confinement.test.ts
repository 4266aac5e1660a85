import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { RunnerPolicy } from "@chorus/contracts"
import { agentProgram, isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { endCgroup, openCgroup, runnerCgroup } from "../src/cgroup.ts"
import { inBubblewrap } from "../src/enclosure.ts"
import { openGuard } from "../src/guard.ts"
import { isAnswered, openPorts } from "../src/ports.ts"
import { RUN_MARK } from "../src/processes.ts"

/** Leaves its session, its parents and its environment behind, and says which process it is. */
const ESCAPE = "env -i setsid -f /bin/sh -c 'echo $$ >\"$0\"; exec sleep 300' "

it("ends what left its session, its parents and its environment, where the kernel has groups for that", async () => {
  const path = runnerCgroup("test-11111111")
  // Only whoever may make groups can be held to this; the others have the mark.
  expect(path !== undefined, "the shell makes a group exactly where the runner does").toBe(shellMakesGroups())
  if (path === undefined) return
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

/** Asks the kernel without our code: a group below our own, with what ends all that is in it. */
function shellMakesGroups(): boolean {
  const probe = `d=$(awk '/ - cgroup2 /{print $5; exit}' /proc/self/mountinfo)
    own=$(sed -n 's/^0:://p' /proc/self/cgroup)
    [ -n "$d" ] && [ -n "$own" ] && mkdir "$d$own/chorus-probe-$$" 2>/dev/null || exit 1
    [ -e "$d$own/chorus-probe-$$/cgroup.kill" ]; found=$?
    rmdir "$d$own/chorus-probe-$$"; exit $found`
  return spawnSync("/bin/sh", ["-c", probe]).status === 0
}

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

it("in bubblewrap an agent commits, and changes nothing that git takes orders from", async () => {
  const home = temporaryDirectory("enclosed-").path
  const [repository, worktree, data] = ["repository", "data/worktree", "data"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  const gitFolder = join(repository, ".git")
  const git = (...words: string[]) => execFileSync("git", words, { cwd: repository, stdio: "ignore" })
  mkdirSync(repository)
  git("init", "--quiet")
  const name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
  git(...name, "commit", "--quiet", "--allow-empty", "--message", "begin")
  git("worktree", "add", "--quiet", "-b", "work", worktree)
  mkdirSync(join(gitFolder, "modules", "lib", "deep"), { recursive: true })
  for (const file of ["HEAD", "config"]) writeFileSync(join(gitFolder, "modules", "lib", "deep", file), "")
  const env = { HOME: home, PATH: "/usr/bin:/bin" }
  const places = { path: await bubblewrap(), fetched: "" }
  const run = (script: string) => {
    const inside = { program: "codex", env, places, worktree, gitFolder, data } as const
    const { command, args } = inBubblewrap("/bin/sh", ["-c", script], inside)
    return spawnSync(command, args, { env, encoding: "utf8" })
  }
  const own = join(gitFolder, "worktrees", "worktree")
  const attacks = [
    `echo "[core] fsmonitor = /bin/evil" >>${gitFolder}/config`,
    `echo x >${gitFolder}/c && mv ${gitFolder}/c ${gitFolder}/config`,
    `echo "/bin/evil" >${gitFolder}/hooks/post-checkout`,
    `rm ${worktree}/.git && git init ${worktree}`,
    `mv ${worktree}/.git ${worktree}/other`,
    `echo /tmp/other >${own}/commondir`,
    `echo "[core] fsmonitor = /bin/evil" >>${gitFolder}/modules/lib/deep/config`,
    `mv ${gitFolder} ${gitFolder}-old`,
  ]
  for (const attack of attacks) expect(run(attack).status, attack).not.toBe(0)
  const commit = `echo 1 >a && git add a && git ${name.join(" ")} commit --quiet --message work`
  expect(run(commit)).toMatchObject({ status: 0 })
  expect(execFileSync("git", ["log", "--format=%s", "work"], { cwd: repository, encoding: "utf8" })).toBe(
    "work\nbegin\n",
  )
  rmSync(home, { recursive: true })
})

it("breaks off a run that takes more memory, says more or goes on longer than its machine allows, once", async () => {
  const broken: string[] = []
  const watch = (limits: object, uuid = "none", isWaiting = () => false) =>
    openGuard({ ...RunnerPolicy.parse({}), ...limits }, uuid, (reason) => broken.push(reason), isWaiting)
  const fill = ["-e", "globalThis.kept = Buffer.alloc(64_000_000, 1); setInterval(() => {}, 1000)"]
  const eater = spawn(process.execPath, fill, { env: { [RUN_MARK]: "heavy" } })
  try {
    const guards = [
      watch({ megabytes: 60 }, "heavy"),
      watch({ minutes: 0.01 }, "none", () => true),
      watch({ minutes: 0.01 }),
      watch({ outputMegabytes: 1 }),
      watch({}),
    ]
    for (const guard of guards) for (let at = 0; at < 3; at++) guard.heard(400_000)
    expect(broken).toEqual(["It said more than the 1 MB this machine allows."])
    await waitFor(
      () => broken.length === 3,
      60_000,
      () => broken.join(),
    )
    expect(broken.toSorted().slice(0, 2)).toEqual([
      "It ran longer than the 0.01 minutes this machine allows.",
      "It said more than the 1 MB this machine allows.",
    ])
    expect(broken.toSorted().at(2)).toMatch(/^It took \d+ MB of memory; this machine allows 60\.$/)
    for (const guard of guards) guard.end()
  } finally {
    eater.kill("SIGKILL")
  }
})

it("gives what it starts ports of its own, and none on which somebody answers", async () => {
  const ports = openPorts()
  const [first, second] = [ports.take(), ports.take()]
  expect(second.port - first.port).toBe(20)
  first.leave()
  expect(ports.take().port).toBe(first.port)
  const next = ports.take()
  next.leave()
  await using taken = await listening(next.port)
  expect(await isAnswered(taken.port)).toBe(true)
  expect((await ports.takeQuiet()).port).toBeGreaterThan(taken.port)
})

async function listening(port: number) {
  const server = createServer()
  // Whoever else has it answers there as well.
  await new Promise<void>((ready) => server.once("error", () => ready()).listen(port, "127.0.0.1", ready))
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((gone) => void server.close(() => gone())) }
}

/** Codex brings one for its own sandbox. */
async function bubblewrap(): Promise<string> {
  const codex = join(dirname(await agentProgram("codex")), "..")
  const found = readdirSync(codex, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith("/bwrap"))
  return join(codex, dirname(found ?? ""))
}
