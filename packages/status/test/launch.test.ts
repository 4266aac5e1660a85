import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { shellCode, SHELLS, shellUndo, writeShims } from "../src/launch/shims.ts"
import { startStatusService, type StatusService } from "../src/listener/status-service.ts"
import { resumeStore } from "../src/resume/resume-store.ts"

const program = (name: string) => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

describe("the launcher", () => {
  it.each([
    ["exit 0", 0, "idle", "the session has ended"],
    ["exit 7", 7, "idle", "it did not begin: ended with exit code 7"],
    ["kill -9 $$", "SIGKILL", "idle", "killed by SIGKILL"],
    ["kill -SEGV $$", "SIGSEGV", "finished", "killed by SIGSEGV"],
  ])("passes on the end of `%s` and reports it", async (script, code, state, reason) => {
    const bench = await bench1()
    const child = spawn(program("launch.pl"), ["/bin/sh", "-c", script], { env: bench.env, stdio: "ignore" })
    const [exit, signal] = (await once(child, "exit")) as [number | null, string | null]
    expect(exit ?? signal).toBe(code)
    await waitFor(
      () => bench.row()?.reason === reason,
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ state, source: "launch" })
  })

  it("passes signals to the agent and waits for its answer", async () => {
    const bench = await bench1()
    const child = spawn(
      program("launch.pl"),
      ["/bin/sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"],
      { env: bench.env, stdio: ["ignore", "pipe", "ignore"] },
    )
    await once(child.stdout, "data")
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([5, null])
  })

  it.each(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1"] as const)(
    "ends by a %s that somebody sends it as the agent itself would",
    async (signal) => {
      const { env } = await bench1()
      const agent = ["perl", "-e", `$| = 1; print "ready\\n"; sleep 1 while 1`] as const
      const ends = await Promise.all(
        [agent, [program("launch.pl"), ...agent]].map(async ([file = "", ...args]) => {
          // Away from any terminal, which would send the signal to the agent too.
          const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true })
          onTestFinished(() => endGroup(child.pid))
          await once(child.stdout, "data")
          child.kill(signal)
          return once(child, "exit")
        }),
      )
      expect(ends).toEqual([
        [null, signal],
        [null, signal],
      ])
    },
  )

  it("takes an agent that ends itself when its terminal is closed for one that was killed with it", async () => {
    const bench = await bench1()
    const isKilled = (terminal: string) => {
      const status = () => bench.service.listener.book.get(terminal)?.status
      return waitFor(
        () => status()?.state === "idle" && status()?.reason === "killed by SIGHUP",
        10_000,
        () => JSON.stringify(status()),
      )
    }
    const agent = "trap 'exit 1' HUP; echo ready; while [ -e / ]; do sleep 0.05; done"
    const child = spawn(program("launch.pl"), ["/bin/sh", "-c", agent], {
      env: bench.env,
      stdio: ["ignore", "pipe", "ignore"],
    })
    await once(child.stdout, "data")
    child.kill("SIGHUP")
    expect(await once(child, "exit")).toEqual([1, null])
    await isKilled(bench.terminal)
    const terminal = await openTerminal({
      command: program("launch.pl"),
      args: ["/bin/sh", "-c", "trap '' HUP; echo ready; while [ -t 0 ]; do sleep 0.05; done; exit 1"],
      env: { ...bench.env, CHORUS_TERMINAL_ID: "pane" },
      cwd: "/",
    })
    onTestFinished(terminal.stop)
    await terminal.waitForText(/ready/)
    execFileSync("tmux", ["-L", terminal.socket, "kill-server"])
    await isKilled("pane")
  })

  it("gives the agent its input, output, arguments and environment as they are", async () => {
    const bench = await bench1()
    const child = spawn(
      program("launch.pl"),
      ["/bin/sh", "-c", 'read word; echo "$word|$1|$EXTRA|$(trap -p PIPE 2>/dev/null)"', "sh", "a b'c\"$"],
      { env: { ...bench.env, EXTRA: "e x" } },
    )
    child.stdin.end("typed\n")
    const [out] = (await once(child.stdout, "data")) as [Buffer]
    expect(out.toString()).toBe("typed|a b'c\"$|e x|\n")
  })

  it("can be suspended and continued from the shell like the agent itself, and Ctrl-C reaches the agent", async () => {
    const bench = await bench1()
    const terminal = await openTerminal({
      command: "bash",
      args: ["--norc", "-i"],
      env: { ...bench.env, PS1: "prompt> " },
      cwd: "/",
    })
    onTestFinished(terminal.stop)
    await terminal.waitForText(/prompt>/)
    // It starts nothing itself: a shell that is just starting something cannot be suspended until that has begun.
    const agent = `$| = 1; $SIG{CONT} = sub { print "continued\\n" }; print "started\\n"; sleep 1 while 1`
    await terminal.submit(`${program("launch.pl")} perl -e '${agent}'`)
    await terminal.waitForText(/^started/m)
    await terminal.key("C-z")
    await terminal.waitForText(/Stopped/)
    await terminal.submit("fg")
    await terminal.waitForText(/^continued/m)
    await terminal.key("C-c")
    await terminal.waitForText(/\^C\s+prompt>/)
    await terminal.submit("echo back=$?")
    await terminal.waitForText(/^back=130/m)
    await expect.poll(() => bench.row()).toMatchObject({ state: "idle", reason: "ended with Ctrl-C" })
  })

  it("lets the agent know when its terminal has another size", async () => {
    const bench = await bench1()
    const agent = `$| = 1; $SIG{WINCH} = sub { print "size ", qx(stty size) }; print "ready\\n"; sleep 1 while 1`
    const args = ["perl", "-e", agent]
    const terminal = await openTerminal({ command: program("launch.pl"), args, env: bench.env, cwd: "/" })
    onTestFinished(terminal.stop)
    await terminal.waitForText(/ready/)
    execFileSync("tmux", ["-L", terminal.socket, "resize-window", "-t", "main", "-x", "90", "-y", "20"])
    await terminal.waitForText(/size 20 90/)
  })

  it("starts the agent although nobody listens", async () => {
    const child = spawn(program("launch.pl"), ["/bin/sh", "-c", "exit 3"], {
      env: { PATH: "/usr/bin:/bin", CHORUS_SOCK: "/nowhere/s.sock", CHORUS_TERMINAL_ID: "t", CHORUS_AGENT: "claude" },
      stdio: "ignore",
    })
    expect(await once(child, "exit")).toEqual([3, null])
  })
})

describe.each(["emit.pl", "emit.cjs"])("%s", (name) => {
  it("prints nothing and succeeds with or without a listener, in or outside a Chorus terminal", () => {
    const input = JSON.stringify({ hook_event_name: "Stop" })
    const env = { PATH: process.env["PATH"] ?? "" }
    expect(execFileSync(program(name), { input, env }).toString()).toBe("")
    expect(
      execFileSync(program(name), {
        input,
        env: { ...env, CHORUS_SOCK: "/nowhere/s", CHORUS_TERMINAL_ID: "t", CHORUS_AGENT: "claude" },
      }).toString(),
    ).toBe("")
  })

  it("hands over odd names, line breaks and megabytes", async () => {
    const bench = await bench1('odd "name" \\ here')
    const small = JSON.stringify(
      { hook_event_name: "UserPromptSubmit", session_id: "s1", prompt: 'say "hi"\nthere' },
      null,
      2,
    )
    execFileSync(program(name), { input: small, env: bench.env })
    await waitFor(
      () => bench.row()?.state === "running",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()).toMatchObject({ terminalId: 'odd "name" \\ here', title: 'say "hi" there' })
    const big = JSON.stringify({
      hook_event_name: "PreToolUse",
      cwd: "/p",
      tool_name: "Write",
      tool_input: { file_path: "/p/big.txt", content: "x\n".repeat(2_000_000) },
    })
    execFileSync(program(name), { input: big, env: bench.env })
    await waitFor(
      () => bench.row()?.detail === "Write /p/big.txt" || bench.row()?.detail === "Write big.txt",
      60_000,
      () => JSON.stringify(bench.row()),
    )
  })
})

describe("the reader of terminal sequences", () => {
  it("finds them however they are cut", async () => {
    const bench = await bench1()
    bench.service.listener.accept({ terminalId: bench.terminal, agent: "codex", event: "running", at: Date.now() - 10 })
    const reader = spawn(program("osc.pl"), [bench.env.CHORUS_SOCK, bench.terminal], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    onTestFinished(() => void reader.kill())
    const said = "noise \u001b]0;title\u0007\u001b]7501;state=blocked:app=codex:kind=permission\u001b\\ more \u001b[31m"
    for (const piece of [said.slice(0, 20), said.slice(20, 24), said.slice(24, 50), said.slice(50)])
      await new Promise((done) => reader.stdin.write(piece, done))
    await waitFor(
      () => bench.row()?.state === "needsInput",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    reader.stdin.write("x".repeat(300_000))
    reader.stdin.write("\u001b]7501;state=working:app=other\u0007\u001b]7501;state=working:app=codex\u0007")
    await waitFor(
      () => bench.row()?.state === "running",
      60_000,
      () => JSON.stringify(bench.row()),
    )
    expect(bench.row()?.source).toBe("codex:osc7501")
  })

  it("ends with the launch it reads for, however that ends: no listener hears of the dead", async () => {
    const bench = await bench1()
    const launch = spawn("sleep", ["60"])
    const reader = spawn(program("osc.pl"), [bench.env.CHORUS_SOCK, bench.terminal, String(launch.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    onTestFinished(() => void reader.kill())
    reader.stdin.write("\u001b]7501;state=working:app=codex\u0007")
    await waitFor(() => bench.row()?.state === "running", 60_000, "Codex at work")
    launch.kill("SIGKILL")
    expect(await once(reader, "exit")).toEqual([0, null])
  })

  it("tells the next listener again what Codex said once", async () => {
    const bench = await bench1()
    const reader = spawn(program("osc.pl"), [bench.env.CHORUS_SOCK, bench.terminal], {
      stdio: ["pipe", "ignore", "ignore"],
    })
    onTestFinished(() => void reader.kill())
    const begun = { terminalId: bench.terminal, agent: "codex", event: "running", at: Date.now() - 10 }
    bench.service.listener.accept({ ...begun, pid: process.pid })
    reader.stdin.write("\u001b]7501;state=blocked:app=codex:kind=permission\u0007")
    const waits = (service: StatusService) => service.listener.book.rows()[0]?.state === "needsInput"
    await waitFor(() => waits(bench.service), 60_000, "a question")
    await bench.service.close()
    const next = await bench.listen()
    await waitFor(() => waits(next), 60_000, "the question again")
  })
})

describe("wrappers", () => {
  it.each(installedShells())("are first on the PATH of a %s that asked for it, and gone without a trace", (shell) => {
    const directory = temporaryDirectory("chorus-shims-")
    onTestFinished(directory.remove)
    const folder = join(directory.path, "with space", "shims")
    writeShims(folder, [process.execPath, "/opt/chorus.mjs"])
    expect(readdirSync(folder).sort()).toEqual(["chorus", "claude", "codex", "opencode"])
    const before = join(directory.path, "bin")
    mkdirSync(before)
    writeFileSync(join(before, "claude"), "#!/bin/sh\n", { mode: 0o755 })
    const code = shellCode(shell, folder)
    const script = [
      code,
      code,
      "command -v claude",
      // As in a shell started from this one, whose start-up file puts a folder first before it comes to the wrappers.
      shell === "fish" ? `set -gx PATH '${before}' $PATH` : `PATH='${before}':"$PATH"`,
      code,
      "command -v claude",
      shellUndo(shell, folder),
      'echo "path=$PATH"',
    ].join("\n")
    const out = execFileSync(shell, ["-c", script], { env: { PATH: "/usr/bin:/bin", HOME: directory.path } })
      .toString()
      .trim()
      .split("\n")
    expect(out.slice(0, 2)).toEqual([join(folder, "claude"), join(folder, "claude")])
    expect(out[2]?.replaceAll(" ", ":")).toBe(`path=${before}:/usr/bin:/bin`)
    // fish makes folders of its own wherever it runs.
    expect(readdirSync(directory.path).filter((name) => name !== ".config" && name !== ".local")).toEqual([
      "bin",
      "with space",
    ])
  })

  it("have Chorus itself beside them, for a shell that knows it by no other way", () => {
    const directory = temporaryDirectory("chorus-shims-")
    onTestFinished(directory.remove)
    const [folder, main] = [join(directory.path, "shims"), join(directory.path, "it's main.mjs")]
    writeFileSync(main, "console.log(...process.argv.slice(2))")
    writeShims(folder, [process.execPath, main])
    const chorus = (...args: string[]) =>
      execFileSync(join(folder, "chorus"), args, { env: { PATH: `${folder}:/usr/bin:/bin` }, stdio: "pipe" }).toString()
    expect(chorus("status", "forget", "a b")).toBe("status forget a b\n")
    rmSync(main)
    expect(chorus).toThrow("chorus: not found")
  })

  it("run the agent itself should Chorus be gone", () => {
    const directory = temporaryDirectory("chorus-shims-")
    onTestFinished(directory.remove)
    const [folder, real] = [join(directory.path, "shims"), join(directory.path, "real")]
    writeShims(folder, ["/gone/node", "/gone/chorus.mjs"])
    mkdirSync(real)
    writeFileSync(join(real, "claude"), '#!/bin/sh\necho "real $*"\n')
    chmodSync(join(real, "claude"), 0o755)
    expect(
      execFileSync(join(folder, "claude"), ["a", "b c"], {
        env: { PATH: `${folder}:${real}:/usr/bin:/bin` },
      }).toString(),
    ).toBe("real a b c\n")
    expect(readFileSync(join(folder, "claude"), "utf8")).toContain("chorus-status-shim")
  })
})

/** What it has left behind, if anything. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL")
  } catch {
    // Nothing.
  }
}

/** bash is everywhere; the others are tried where they are. */
function installedShells() {
  return SHELLS.filter(
    (shell) =>
      shell === "bash" ||
      ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].some((folder) => existsSync(join(folder, shell))),
  )
}

async function bench1(terminal = "terminal-1") {
  const directory = temporaryDirectory("chorus-launch-")
  const path = join(directory.path, "s.sock")
  onTestFinished(directory.remove)
  const listen = async () => {
    const started = await startStatusService({
      socketPath: path,
      home: path,
      resume: resumeStore(join(directory.path, "state")),
    })
    onTestFinished(started.close)
    return started
  }
  const service = await listen()
  const env = {
    PATH: process.env["PATH"] ?? "",
    TERM: "xterm",
    CHORUS_SOCK: path,
    CHORUS_TERMINAL_ID: terminal,
    CHORUS_AGENT: "claude",
  }
  return { service, listen, env, terminal, row: () => service.listener.book.rows()[0] }
}
