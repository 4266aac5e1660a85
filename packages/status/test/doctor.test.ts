import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { basename, dirname, join } from "node:path"
import { openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { withBoardHooks } from "../src/connect/codex-hooks.ts"
import { statusChecks } from "../src/doctor/status-checks.ts"
import { statusPrograms } from "../src/launch/programs.ts"
import { shimFolder } from "../src/launch/shims.ts"
import { startListener } from "../src/listener/listener.ts"
import { socketPath } from "../src/listener/socket-path.ts"
import { notifySettings } from "../src/notify/notify-settings.ts"
import { resumeStore } from "../src/resume/resume-store.ts"
import { agentsHere } from "../src/watch/agents-here.ts"
import { processTable } from "../src/watch/process-table.ts"
import { tell } from "./tell.ts"

let folder: ReturnType<typeof temporaryDirectory>
let closing: (() => Promise<unknown>)[]
beforeEach(() => {
  folder = temporaryDirectory("doctor-")
  closing = []
  vi.stubEnv("CHORUS_CACHE", place("cache"))
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  vi.unstubAllEnvs()
  await folder[Symbol.asyncDispose]()
})

const place = (...parts: string[]) => join(folder.path, ...parts)

/** A program on the path that answers each of its first words with a text, or fails. */
function program(name: string, answers: Record<string, string>, at = "bin"): void {
  mkdirSync(place(at), { recursive: true })
  const cases = Object.entries(answers).map(
    ([word, text]) => `  ${word}) ${text === "fail" ? "echo broken >&2; exit 2" : `printf '%s\\n' '${text}'`} ;;`,
  )
  writeFileSync(place(at, name), `#!/bin/sh\ncase "$1" in\n${cases.join("\n")}\n  *) exit 3 ;;\nesac\n`)
  chmodSync(place(at, name), 0o755)
}

async function check(name: string, agents: Parameters<typeof statusChecks>[1] = [], more: Record<string, string> = {}) {
  const checks = await statusChecks(
    { PATH: `${place("bin")}:/usr/bin:/bin`, HOME: folder.path, CHORUS_SOCK: place("s"), ...more },
    agents,
  )
  return checks.find((one) => one.name === name)
}

describe("an agent", () => {
  test.each([
    ["claude", "2.1.325 (Claude Code)", true],
    ["claude", "2.1.41 (Claude Code)", true],
    ["claude", "2.1.40 (Claude Code)", false],
    ["codex", "codex-cli 0.166.0", true],
    ["codex", "codex-cli 0.99.0", false],
    ["opencode", "1.18.0", true],
    ["opencode", "dev build", false],
  ] as const)("%s that says it is %s is good enough: %s", async (agent, version, ok) => {
    program(agent, { "--version": version, features: "hooks stable true" })
    const found = await check(agent, [agent])
    expect(found?.ok).toBe(ok)
    if (!ok) expect(found?.fix).toMatch(new RegExp(`^Update ${agent} to \\d`))
  })

  test("is told of that runs no hooks", async () => {
    program("claude", { "--version": "2.1.325 (Claude Code)" })
    mkdirSync(place(".claude"))
    writeFileSync(place(".claude", "settings.json"), '{"disableAllHooks": true}')
    expect(await check("claude hooks", ["claude"])).toMatchObject({ ok: false })
  })

  test("is asked as one that reports to nobody: no listener shall take it for one at work", async () => {
    mkdirSync(place("bin"))
    writeFileSync(place("bin", "claude"), '#!/bin/sh\n[ "$CHORUS_SOCK" = /dev/null ] && echo 2.1.325\n', {
      mode: 0o755,
    })
    expect(await check("claude", ["claude"])).toMatchObject({ ok: true })
  })

  test("that the board does not know is named with what connects it, where it is Claude Code", async () => {
    expect(await check("claude board", ["claude"])).toBeUndefined()
    program("claude", { "--version": "2.1.325" })
    const hint = { name: "claude board", ok: true, found: "not connected", fix: "chorus connect claude" }
    expect(await check("claude board", ["claude"])).toEqual(hint)
    mkdirSync(place(".claude"))
    writeFileSync(place(".claude", "settings.json"), '{"enabledPlugins": {"chorus@chorus-plugins": true}}')
    expect(await check("claude board", ["claude"])).toMatchObject({ ok: false, found: "the plugin chorus has no key" })
  })

  test("that is not there, or only as our own wrapper, is no fault", async () => {
    expect(await check("codex", ["codex"])).toEqual({ name: "codex", ok: true, found: "not installed" })
    mkdirSync(place("bin"))
    writeFileSync(place("bin", "codex"), "#!/bin/sh\n# chorus-status-shim\n", { mode: 0o755 })
    expect(await check("codex", ["codex"])).toMatchObject({ found: "not installed" })
  })
})

describe("Codex's hooks", () => {
  test.each([
    ["hooks                stable   true", true, /trusted for each launch/],
    ["hooks                stable   false", false, /switched off/],
    ["fail", false, /refuses the hook flags/],
  ])("are judged by what Codex says of its features: %s", async (features, ok, found) => {
    program("codex", { "--version": "codex-cli 0.166.0", features })
    expect(await check("codex hooks", ["codex"])).toMatchObject({ ok, found: expect.stringMatching(found) as unknown })
  })

  test("of the board are named when they are not trusted, and not at all when there are none", async () => {
    program("codex", { "--version": "codex-cli 0.166.0", features: "hooks stable true" })
    expect(await check("codex board", ["codex"])).toBeUndefined()
    mkdirSync(place(".codex"))
    writeFileSync(
      place(".codex", "hooks.json"),
      withBoardHooks(place(".codex", "hooks.json"), undefined, "http://127.0.0.1:8637", place("bin", "codex")),
    )
    expect(await check("codex board", ["codex"])).toMatchObject({
      ok: false,
      found: expect.stringContaining("does not trust 8 of the board's 8 hooks") as unknown,
    })
  })
})

test("OpenCode's configuration must be JSON", async () => {
  program("opencode", { "--version": "1.18.33" })
  expect(await check("opencode config", ["opencode"], { OPENCODE_CONFIG_CONTENT: "{}" })).toMatchObject({ ok: true })
  expect(await check("opencode config", ["opencode"], { OPENCODE_CONFIG_CONTENT: "{" })).toMatchObject({
    ok: false,
    fix: "Mend or unset OPENCODE_CONFIG_CONTENT.",
  })
  expect(await check("opencode config", ["opencode"])).toBeUndefined()
})

test("the wrappers must be first on the path", async () => {
  program("claude", {})
  const path = (...folders: string[]) => ({ PATH: folders.join(":") })
  mkdirSync(shimFolder(), { recursive: true })
  for (const agent of ["claude", "codex", "opencode"])
    writeFileSync(join(shimFolder(), agent), "#!/bin/sh\n# chorus-status-shim\n", { mode: 0o755 })
  expect(await check("wrappers", [], path(shimFolder(), place("bin")))).toMatchObject({ ok: true })
  rmSync(join(shimFolder(), "codex"))
  expect(await check("wrappers", [], path(shimFolder(), place("bin")))).toMatchObject({
    ok: false,
    found: `codex missing from ${shimFolder()}`,
    fix: expect.stringContaining("shell-init"),
  })
  expect(await check("wrappers", [], path(place("bin"), shimFolder()))).toMatchObject({
    ok: false,
    found: "the wrappers are on PATH, but not first",
  })
  // Nobody who never set them up has to use them.
  const unused = "this shell does not use the wrappers"
  expect(await check("wrappers", [], path(place("bin")))).toEqual({
    name: "wrappers",
    ok: true,
    found: `${unused}; an agent started in it reports when started with \`chorus run\``,
  })
  writeFileSync(place(".zshrc"), `[ -r '${shimFolder()}/init.zsh' ] && . '${shimFolder()}/init.zsh'\n`)
  expect(await check("wrappers", [], path(place("bin")))).toMatchObject({
    ok: true,
    found: `${unused}; ${place(".zshrc")} puts them into every new one`,
  })
})

test.each([
  [".bashrc", 'eval "$(chorus shell-init bash)"', "starts Node for every shell", "chorus shell-init bash --file"],
  [".zshrc", 'eval "$(chorus shell-init zsh)"', "starts Node for every shell", "chorus shell-init zsh --file"],
  [".config/fish/config.fish", "chorus shell-init fish | source", "starts Node", "chorus shell-init fish --file"],
  [".profile", "export CHORUS_TERMINAL_ID=t1", "all terminals share one row", "Take that line out"],
  [".bashrc", "[ -r '/x/shims-1/init.bash' ] && . '/x/shims-1/init.bash'", "which is gone", "shell-init bash --file"],
])("a start-up file %s with %s is named with its cure", async (file, line, found, fix) => {
  expect(await check("start-up file")).toBeUndefined()
  mkdirSync(dirname(place(file)), { recursive: true })
  writeFileSync(place(file), `# chorus shell-init bash\nunset CHORUS_TERMINAL_ID\n`)
  expect(await check("start-up file")).toBeUndefined()
  writeFileSync(place(file), `alias ll='ls -l'\n  ${line}\n`)
  expect(await check("start-up file")).toMatchObject({
    ok: false,
    found: expect.stringContaining(found) as unknown,
    fix: expect.stringContaining(fix) as unknown,
  })
})

test("a terminal's name that tmux gives to all its panes is named with its cure", async () => {
  const name = `for-all-${basename(folder.path)}`
  const env = { PATH: "/usr/bin:/bin", HOME: folder.path }
  const terminal = await openTerminal({ command: "sleep", args: ["600"], env, cwd: folder.path })
  closing.push(terminal.stop)
  const shared = () => check("terminal name", [], { CHORUS_TERMINAL_ID: name })
  expect(await shared()).toBeUndefined()
  const tmux = (...args: string[]) => execFileSync("tmux", ["-L", terminal.socket, ...args])
  tmux("set-environment", "-g", "CHORUS_TERMINAL_ID", name)
  for (const _ of ["one", "other"]) tmux("new-window", "-d", "exec sleep 600")
  await waitFor(async () => (await shared())?.found.includes("in 2 more"), 60_000, "both panes")
  expect(await shared()).toMatchObject({
    ok: false,
    fix: expect.stringContaining("tmux set-environment -gu") as unknown,
  })
  // Theirs alone is no matter of this terminal's.
  expect(await check("terminal name", [], { CHORUS_TERMINAL_ID: "another" })).toBeUndefined()
})

test("what is lost without Perl is said", async () => {
  const checks = await statusChecks(
    { PATH: place("bin"), HOME: folder.path, CHORUS_SOCK: place("s") },
    [],
    statusPrograms("/no/perl"),
  )
  expect(checks.find(({ name }) => name === "programs")).toMatchObject({
    ok: false,
    found: expect.stringContaining("there is no Perl") as unknown,
    fix: "Install Perl as /usr/bin/perl.",
  })
  expect(await check("programs")).toMatchObject({ ok: true, found: "hooks run with Perl" })
})

test("an agent that is switched off is named, and so is a session whose folder is gone", async () => {
  const state = place(".local", "state", "chorus")
  program("claude", { "--version": "2.1.325 (Claude Code)" })
  expect([await check("claude reports", ["claude"]), await check("resume")]).toEqual([
    undefined,
    { name: "resume", ok: true, found: "off: no session is remembered" },
  ])
  await notifySettings(state).turn("report:claude", false)
  const store = resumeStore(state)
  await store.turn("claude", true)
  expect(await check("claude reports", ["claude"])).toMatchObject({
    found: "switched off; `chorus status report on claude` switches it on",
  })
  const entry = { terminalId: "t1", agent: "claude", command: "claude --resume 0b8c1c6e-9d0e-4c5b-8a53-0e8f0d4f7a11" }
  const gone = { ...entry, tab: null, folder: place("gone"), version: null, title: null, at: 1 }
  writeFileSync(join(state, "resume.json"), JSON.stringify({ on: ["claude"], sessions: [gone] }))
  const checks = await statusChecks({ PATH: "", HOME: folder.path, CHORUS_SOCK: place("s") }, [])
  expect(checks.filter(({ name }) => name === "resume")).toEqual([
    { name: "resume", ok: true, found: "on for claude" },
    {
      name: "resume",
      ok: false,
      found: `the last session of t1 was in ${place("gone")}, which is gone`,
      fix: "chorus status forget t1",
    },
  ])
  expect(await check("switches")).toBeUndefined()
  writeFileSync(join(state, "notify.json"), "{broken")
  expect(await check("switches")).toMatchObject({
    ok: false,
    found: `${join(state, "notify.json")} cannot be read, so every agent reports and nobody is called`,
  })
  writeFileSync(join(state, "resume.json"), "{broken")
  expect(await check("resume")).toEqual({
    name: "resume",
    ok: false,
    found: `${join(state, "resume.json")} cannot be read, so no session is remembered`,
    fix: "Mend it, or begin anew: chorus resume --on claude (or codex, opencode).",
  })
})

describe("the listener", () => {
  async function stranger(meet: (socket: Socket) => void): Promise<void> {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => (sockets.add(socket), meet(socket.on("error", () => undefined))))
    await new Promise<void>((resolve) => server.listen(place("s"), resolve))
    chmodSync(place("s"), 0o600)
    closing.push(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
  }

  test("need not run", async () => {
    expect(await check("listener")).toMatchObject({
      ok: true,
      found: expect.stringContaining("it starts with the next agent") as unknown,
    })
  })

  test("need not run beside agents that never asked for it, and has to beside those that report to it", async () => {
    copyFileSync("/bin/sleep", place("claude"))
    const env = { PATH: "/usr/bin:/bin", HOME: folder.path }
    const reports = { CHORUS_AGENT: "claude", CHORUS_TERMINAL_ID: "t1", CHORUS_SOCK: place("s") }
    const open = async (more: Record<string, string>) => {
      const own = Object.entries(more).map(([name, value]) => `${name}=${value}`)
      const args = [...own, place("claude"), "60"]
      const terminal = await openTerminal({ command: "env", args, env, cwd: folder.path })
      closing.push(terminal.stop)
    }
    const isFound = async (many: number) => {
      const here = await agentsHere(processTable())
      return here.filter(({ environment }) => environment["HOME"] === folder.path).length === many
    }
    await open({})
    await waitFor(() => isFound(1), 60_000, "an agent")
    expect(await check("listener")).toMatchObject({
      ok: true,
      found: expect.stringContaining("it starts with the next agent") as unknown,
    })
    await open(reports)
    await waitFor(() => isFound(2), 60_000, "an agent that reports")
    expect(await check("listener")).toMatchObject({
      ok: false,
      found: "not running, though an agent in a terminal reports to it",
      fix: expect.stringContaining("`chorus status` starts it") as unknown,
    })
  })

  test("cannot be where no socket can", async () => {
    expect(await check("socket", [], { CHORUS_SOCK: place("x".repeat(120)) })).toMatchObject({
      ok: false,
      found: expect.stringContaining("is too long for a Unix socket") as unknown,
    })
  })

  test("is named where it is, should CHORUS_SOCK lead to nobody", async () => {
    const cache = { CHORUS_CACHE: place("cache") }
    const usual = socketPath(cache)
    const listener = await startListener({ socketPath: usual })
    closing.push(() => listener.close())
    expect(await check("listener", [], cache)).toMatchObject({
      ok: false,
      found: expect.stringMatching(`CHORUS_SOCK names ${place("s")}, where nobody listens.* at ${usual}`) as unknown,
      fix: expect.stringContaining("`unset CHORUS_SOCK`") as unknown,
    })
    expect(await check("listener", [], { ...cache, CHORUS_SOCK: usual })).toMatchObject({ ok: true })
  })

  test("that was killed is named, and what starts it again", async () => {
    const script = `require("node:net").createServer().listen(${JSON.stringify(place("s"))}, () => process.kill(process.pid, "SIGKILL"))`
    spawnSync(process.execPath, ["-e", script])
    chmodSync(place("s"), 0o600)
    expect(existsSync(place("s"))).toBe(true)
    expect(await check("listener")).toMatchObject({
      ok: false,
      found: `it was killed and left ${place("s")} behind`,
      fix: expect.stringContaining("`chorus status` starts it") as unknown,
    })
  })

  test("says how many terminals it knows, and what it knows of this one", async () => {
    const listener = await startListener({ socketPath: place("s") })
    closing.push(() => listener.close())
    await tell(place("s"), { terminalId: "mine", event: "running", agent: "claude", at: Date.now(), source: "test" })
    expect(await check("listener")).toMatchObject({ ok: true, found: `process ${process.pid} knows 1 terminal` })
    expect(await check("this terminal", [], { CHORUS_TERMINAL_ID: "mine" })).toMatchObject({
      found: "claude running, said by test",
    })
    expect(await check("this terminal", [], { CHORUS_TERMINAL_ID: "other" })).toMatchObject({
      found: "other: nothing heard yet",
    })
    chmodSync(place("s"), 0o666)
    expect(await check("socket")).toMatchObject({
      ok: false,
      found: expect.stringContaining("has mode 666") as unknown,
    })
  })

  test("that is somebody else is named", async () => {
    await stranger((socket) => socket.write("220 mail ready\r\n"))
    expect(await check("listener")).toMatchObject({
      ok: false,
      found: expect.stringContaining("does not answer") as unknown,
    })
  })

  test("of another version is named with its process", async () => {
    await stranger((socket) => socket.write('{"pong":{"pid":7,"protocol":99}}\n'))
    expect(await check("listener")).toMatchObject({
      ok: false,
      found: "process 7 speaks protocol 99, this is 1",
      fix: "End process 7; the next agent starts the right one.",
    })
  })
})
