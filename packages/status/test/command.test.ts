import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { StatusRow } from "@chorus/contracts"
import { CHORUS_MAIN, findShell, openTerminal, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { ping } from "../src/listener/listener-client.ts"
import { named } from "./workbench.ts"

const PERL = "#!/usr/bin/perl\n"
/** Asks five times over one connection, each time for more than a table shows, and says what it hears. */
const ASKS = `use IO::Socket::UNIX; use Time::HiRes; $| = 1;
my $to = IO::Socket::UNIX->new(Peer => $ENV{CHORUS_SOCK}); $to->autoflush(1);
sub note { printf $to '{"terminalId":"asks","agent":"opencode","pid":%d,"at":%d,%s}' . "\\n", $$, Time::HiRes::time() * 1000, shift; Time::HiRes::sleep(0.01) }
note('"event":"running","turnStart":true,"sessionTitle":"Doors"');
for my $n (1 .. 5) {
  note('"event":"needsInput","source":"opencode:permission.asked","ask":"q' . $n . '","toolDetail":"bash: echo first","asks":"echo first\\necho second and last of ' . $n . '"');
  my $said = <$to>;
  print "q$n ", $said =~ /"ask":"(q\\d)","decision":"(\\w+)"/ ? "$1 $2" : "?", "\\n";
  note('"event":"running"');
}
note('"event":"finished","summary":"All hung."');
sleep 600;
`

describe("chorus status", () => {
  it("listens in the foreground; rows are the same as table, JSON and line", async () => {
    const bench = await bench1()
    await bench.listen()
    await bench.send(
      { terminalId: "t1", event: "running", agent: "claude", sessionTitle: "Login" },
      { terminalId: "t1", event: "needsInput", agent: "claude", toolDetail: "Edit a" },
    )
    await waitFor(
      async () => JSON.parse((await bench.chorus("status", "--json")).stdout)[0]?.state === "needsInput",
      60_000,
      "the row",
    )
    const rows = JSON.parse((await bench.chorus("status", "--json")).stdout) as unknown[]
    expect(rows.map((row) => StatusRow.parse(row))).toEqual(rows)
    expect(Object.keys(rows[0] as object)).toEqual([
      "terminalId",
      "agent",
      "state",
      "since",
      "source",
      "title",
      "detail",
      "summary",
      "exitCode",
      "resumeCommand",
      "reason",
      "outside",
      "ask",
      "asks",
      "folder",
      "unread",
      "ended",
    ])
    expect((await bench.chorus("status")).stdout).toMatch(/\? t1\s+claude\s+needs input\s+\d+s\s+Login\s+Edit a/)
    expect((await bench.chorus("status", "--line", "prompt")).stdout).toBe("?1 Login\n")
    await expect(bench.chorus("status", "answer", "t1", "yes")).rejects.toMatchObject({
      stderr: expect.stringMatching(/takes no answer from this command[\s\S]*jump t1\.\s*$/),
    })
    await bench.send({ terminalId: "t2", event: "running", agent: "codex", folder: "/home/ann/shop" })
    await waitFor(async () => (await bench.chorus("status")).stdout.includes("shop"), 60_000, "the folder's name")
    await expect(bench.chorus("status", "jump", "t")).rejects.toMatchObject({
      stderr: expect.stringContaining("t fits 2 terminals: t1, t2."),
    })
    expect((await bench.chorus("status", "forget", "t2")).stdout).toBe("t2: off the list\n")
    expect((await bench.chorus("status", "seen", "t1")).stdout).toBe("t1 (Edit a): seen\n")
    const second = await bench.chorus("status", "listen").catch((error: { code: number; stderr: string }) => error)
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("already answers") })
  })

  it("says that there is nothing when nobody listens, and fails where nobody can", async () => {
    const bench = await bench1()
    expect(JSON.parse((await bench.chorus("status", "--json")).stdout)).toEqual([])
    writeFileSync(bench.env.CHORUS_SOCK, "mine")
    await expect(bench.chorus("status")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("listener_not_started"),
    })
    expect(readFileSync(`${bench.env.CHORUS_SOCK}.log`, "utf8")).toContain("is no socket, so it was left as it is")
  })

  it("keeps what failed until it is taken off, also when nobody listens any more", async () => {
    const bench = await bench1()
    bench.agent("claude", `${PERL}kill SEGV => $$`)
    await bench.chorus("run", "claude").catch(() => undefined)
    await waitFor(async () => (await bench.chorus("status")).stdout.includes("failed"), 60_000, "the failure")
    // There is nowhere to go any more, but whoever wanted to has seen that.
    const unread = async () => JSON.parse((await bench.chorus("status", "--json")).stdout)[0].unread as boolean
    expect(await unread()).toBe(true)
    await expect(bench.chorus("status", "jump", "mine")).rejects.toMatchObject({
      stderr: expect.stringContaining("cannot_jump"),
    })
    expect(await unread()).toBe(false)
    const listener = await ping(bench.env.CHORUS_SOCK)
    process.kill(listener?.pid ?? 0, "SIGTERM")
    await waitFor(async () => (await ping(bench.env.CHORUS_SOCK, 200)) === undefined, 60_000, "its end")
    await bench.chorus("status", "forget", "mi…")
    expect(JSON.parse((await bench.chorus("status", "--json")).stdout)).toEqual([])
    await expect(bench.chorus("status", "forget", "mine")).rejects.toMatchObject({
      stderr: expect.stringContaining("terminal_gone"),
    })
    const next = await ping(bench.env.CHORUS_SOCK)
    process.kill(next?.pid ?? 0, "SIGTERM")
  })

  it("is answered again within two seconds of a killed listener, and claims nothing it cannot know", async () => {
    const bench = await bench1()
    bench.agent("claude", `${PERL}$| = 1; print "up\\n"; <STDIN>;`)
    const agent = spawn(process.execPath, [CHORUS_MAIN, "run", "claude"], {
      env: bench.env,
      stdio: ["pipe", "pipe", "inherit"],
    })
    onTestFinished(() => void agent.kill("SIGKILL"))
    await once(agent.stdout, "data")
    await waitFor(async () => (await bench.chorus("status")).stdout.includes("idle"), 60_000, "the launch")
    await bench.send(
      { terminalId: "mine", event: "running", agent: "claude" },
      { terminalId: "mine", event: "finished", agent: "claude", exitCode: 0 },
    )
    const watch = spawn(process.execPath, [CHORUS_MAIN, "status", "--watch"], {
      env: bench.env,
      stdio: ["pipe", "pipe", "ignore"],
    })
    onTestFinished(() => void watch.kill("SIGKILL"))
    let painted = ""
    watch.stdout.setEncoding("utf8").on("data", (text: string) => (painted += text))
    await waitFor(() => painted.includes("finished"), 60_000, "the first picture")
    // The copy is written half a second after the last word.
    await waitFor(
      () =>
        existsSync(`${bench.env.CHORUS_SOCK}.json`) &&
        readFileSync(`${bench.env.CHORUS_SOCK}.json`, "utf8").includes('"finished"'),
      60_000,
      "the copy",
    )
    const before = await ping(bench.env.CHORUS_SOCK)
    const paintedBefore = painted.length
    process.kill(before?.pid ?? 0, "SIGKILL")
    const began = Date.now()
    const after = await waitFor(
      async () => {
        const pong = await ping(bench.env.CHORUS_SOCK, 200)
        return pong?.pid === before?.pid ? undefined : pong
      },
      60_000,
      "the next listener",
    )
    onTestFinished(() => void process.kill(after.pid, "SIGTERM"))
    // Beside the rest of the suite this times the machine.
    if (process.env["CHORUS_STRESS"] === "1") expect(Date.now() - began).toBeLessThan(2000)
    await waitFor(
      () => painted.slice(painted.lastIndexOf("\u001b[H")).includes("the listener was away"),
      60_000,
      () => painted.slice(-2000),
    )
    expect(painted.slice(paintedBefore)).not.toContain("No agents yet")
    const rows = JSON.parse((await bench.chorus("status", "--json")).stdout) as StatusRow[]
    expect(rows).toMatchObject([{ terminalId: "mine", state: "unknown" }])
    agent.stdin.end("\n")
    await once(agent, "exit")
    await waitFor(
      async () => (await bench.chorus("status")).stdout.includes("the session has ended"),
      60_000,
      "its end",
    )
  })

  it("repaints when something changes, with a hundred terminals", async () => {
    const bench = await bench1()
    await bench.listen()
    const all = Array.from({ length: 100 }, (_, index) => ({
      terminalId: `t${index}`,
      event: "running",
      agent: "claude",
      toolDetail: `Bash: step ${index}`,
    }))
    await bench.send(...all)
    const watch = spawn(process.execPath, [CHORUS_MAIN, "status", "--watch"], {
      env: bench.env,
      stdio: ["pipe", "pipe", "ignore"],
    })
    onTestFinished(() => void watch.kill("SIGKILL"))
    let painted = ""
    watch.stdout.setEncoding("utf8").on("data", (text: string) => (painted = (painted + text).slice(-100_000)))
    await waitFor(() => painted.includes("step 99"), 60_000, "the first picture")
    for (const word of ["first-word", "second-word"]) {
      await bench.send({ terminalId: "t99", event: "needsInput", agent: "claude", at: Date.now(), toolDetail: word })
      await waitFor(() => painted.includes(word), 20_000, word)
    }
  })
})

describe("chorus run, shell-init and resume", () => {
  it("a wrapped agent reports, is remembered when asked to, and comes back", async () => {
    const bench = await bench1()
    bench.agent("claude", `${PERL}print join(" ", "ran", grep { $_ !~ /hooks/ } @ARGV), "\\n";`)
    await bench.listen()
    await bench.chorus("status", "report", "off", "claude")
    expect((await bench.chorus("run", "claude", "hello")).stdout).toBe("ran hello\n")
    expect(JSON.parse((await bench.chorus("status", "--json")).stdout)).toEqual([])
    await bench.chorus("status", "report", "on", "claude")
    expect((await bench.chorus("run", "claude", "-p", "--version-like", "hello")).stdout).toBe(
      "ran --settings -p --version-like hello\n",
    )
    const rows = JSON.parse((await bench.chorus("status", "--json")).stdout) as StatusRow[]
    expect(rows[0]).toMatchObject({
      terminalId: "mine",
      agent: "claude",
      state: "idle",
      reason: "the session has ended",
    })

    const prompted = {
      terminalId: "mine",
      event: "running",
      agent: "claude",
      resumeCommand: "claude --resume session-1",
    }
    await bench.send(prompted)
    await expect(bench.chorus("resume")).rejects.toMatchObject({ stderr: expect.stringContaining("nothing_to_resume") })
    expect(await bench.chorus("resume", "--on", "claude")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("from its next prompt on"),
    })
    expect(await bench.chorus("resume", "--list")).toMatchObject({ stdout: "", stderr: "Nothing is remembered yet.\n" })
    await bench.send({ ...prompted, resumeCommand: "claude --resume session-2" })
    await waitFor(
      async () => (await bench.chorus("resume", "--list")).stdout.includes("session-2"),
      60_000,
      "the session to be remembered",
    )
    expect((await bench.chorus("resume")).stdout).toBe("ran --settings --resume session-2\n")
    await bench.chorus("resume", "--off", "claude")
    expect((await bench.chorus("resume", "--list")).stdout).toBe("")
    expect(readFileSync(join(bench.home, ".local/state/chorus/resume.json"), "utf8")).not.toContain("session-2")
  })

  it.each(["bash", "zsh", "fish"] as const)(
    "%s gets wrappers, resumes in its own terminal, and is rid of everything with one command",
    async (shell) => {
      const bench = await bench1()
      bench.agent(
        "claude",
        `${PERL}$| = 1; print join(" ", "ran", grep { $_ !~ /hooks/ } @ARGV), -t STDIN ? " at a terminal" : "", "\\n"; if (grep { $_ eq "--resume" } @ARGV) { my $said = <STDIN>; print "heard $said" }`,
      )
      await bench.listen()
      await bench.chorus("resume", "--on", "claude")
      const args = { bash: ["--norc", "-i"], zsh: ["-f", "-i"], fish: ["--no-config", "-i"] }[shell]
      const terminal = await openTerminal({
        ...named({ ...bench.env, PS1: "$ " }, await findShell(shell), ...args),
        cwd: bench.home,
        columns: 200,
      })
      onTestFinished(terminal.stop)
      const chorus = `${process.execPath} ${CHORUS_MAIN}`
      const load = (more: string) =>
        shell === "fish"
          ? `${chorus} shell-init fish${more} | source`
          : `eval "$(${chorus} shell-init ${shell}${more})"`
      await terminal.submit(`${load("")}; claude by-wrapper`)
      await terminal.waitForText(/^ran --settings by-wrapper at a terminal/m)
      await bench.send({
        terminalId: "mine",
        event: "running",
        agent: "claude",
        resumeCommand: "claude --resume session-3",
      })
      await waitFor(
        async () => (await bench.chorus("resume", "--list")).stdout.includes("session-3"),
        60_000,
        "the session to be remembered",
      )
      await terminal.submit(`${chorus} resume`)
      await terminal.waitForText(/^ran --settings --resume session-3 at a terminal/m)
      await terminal.submit("go on")
      await terminal.waitForText(/^heard go on/m)
      await terminal.submit(`${load(" --remove")}; claude directly; echo "id:$CHORUS_TERMINAL_ID."`)
      await terminal.waitForText(/^ran directly at a terminal/m)
      await terminal.waitForText(/^id:\./m)
      expect(existsSync(bench.env.CHORUS_SOCK)).toBe(false)
      // What Node compiled of the command itself is not the status's.
      expect(readdirSync(bench.env.CHORUS_CACHE).filter((name) => name !== "compiled")).toEqual([])
      expect(existsSync(join(bench.home, ".local/state/chorus"))).toBe(false)
    },
  )

  it("an agent started by an agent has a terminal of its own", async () => {
    const bench = await bench1()
    bench.agent("codex", `${PERL}kill SEGV => $$ if $ARGV[-1] eq "fail";`)
    const codex = `${process.execPath} ${CHORUS_MAIN} run codex exec`
    bench.agent("claude", `#!/bin/sh\n${codex} one; ${codex} two; ${codex} fail; ${codex} three; exit 0\n`)
    await bench.listen()
    await bench.chorus("run", "claude", "go")
    const rows = async () => {
      const all = JSON.parse((await bench.chorus("status", "--json")).stdout) as StatusRow[]
      return all.map((row) => [row.terminalId.replace(/\d+$/, "N"), row.agent, row.state, row.exitCode])
    }
    expect(await rows()).toContainEqual(["mine", "claude", "idle", null])
    expect(await rows()).toContainEqual(["mine/N", "codex", "finished", 139])
    // Nobody comes back to such a run: of those that ended well the last is enough.
    await waitFor(async () => (await rows()).length === 3, 60_000, "those before to leave the list")
    expect(await rows()).toContainEqual(["mine/N", "codex", "idle", null])
  })

  it("names what is missing", async () => {
    const bench = await bench1()
    await expect(bench.chorus("run", "claude")).rejects.toMatchObject({
      stderr: expect.stringContaining("There is no claude on PATH"),
    })
    await expect(bench.chorus("run", "vim")).rejects.toMatchObject({ stderr: expect.stringContaining("unknown_agent") })
    const doctor = (await bench.chorus("status", "doctor", "--json").catch((error: { stdout: string }) => error)).stdout
    const checks = JSON.parse(doctor) as { name: string; ok: boolean; found: string }[]
    expect(checks.map((check) => check.name)).toEqual([
      "wrappers",
      "claude",
      "codex",
      "opencode",
      "programs",
      "resume",
      "listener",
    ])
    expect(checks[0]).toMatchObject({ ok: true, found: expect.stringContaining("chorus run") })
  })
})

describe("whoever looks at the list", () => {
  it("chooses a row, reads all that it asks for, answers by a key or the command, and is brought to it", async () => {
    const bench = await bench1()
    await bench.listen()
    const agent = await openTerminal({ command: "perl", args: ["-e", ASKS], env: bench.env, cwd: bench.home })
    onTestFinished(agent.stop)
    await bench.send({ terminalId: "beside", event: "running", agent: "claude" })
    const watch = await openTerminal({
      command: process.execPath,
      args: [CHORUS_MAIN, "status", "--watch"],
      env: bench.env,
      cwd: bench.home,
    })
    onTestFinished(watch.stop)
    await watch.waitForText(/\? asks .*needs input .*Doors .*bash: echo first/)
    expect(await watch.screen()).not.toContain("echo second")
    // Keys that mean nothing here do nothing; then down and up again, to the one that waits.
    await watch.key("Home", "PageUp", "F5", "M-x", "M-y", "C-Right")
    await watch.key("Escape")
    await watch.key("Down", "Down")
    await watch.waitForText(/q end · said by line$/m)
    await watch.key("y")
    await watch.waitForText(/^Nobody asks anything in beside\.$/m)
    await watch.key("Up")
    await watch.waitForText(/^echo first\necho second and last of 1$/m)
    await watch.waitForText(/q end · said by opencode:permission\.asked$/m)
    await watch.key("y")
    await agent.waitForText(/q1 q1 approve/)
    await watch.waitForText(/^echo second and last of 2$/m)
    await watch.key("n")
    await agent.waitForText(/q2 q2 deny/)

    await bench.asks("q3")
    expect((await bench.chorus("status", "answer", "asks", "yes")).stdout).toBe("asks (bash: echo first): granted\n")
    await agent.waitForText(/q3 q3 approve/)
    await bench.asks("q4")
    expect((await bench.chorus("status", "answer", "asks", "no")).stdout).toBe("asks (bash: echo first): refused\n")
    await agent.waitForText(/q4 q4 deny/)

    // At a terminal what the table had in part is shown, and asked once more.
    await bench.asks("q5")
    const shell = await openTerminal({
      command: "/bin/bash",
      args: ["--norc", "-i"],
      env: { ...bench.env, PS1: "$ " },
      cwd: bench.home,
    })
    onTestFinished(shell.stop)
    const command = `${process.execPath} ${CHORUS_MAIN} status answer asks yes`
    await shell.submit(command)
    await shell.waitForText(/^echo second and last of 5\s+Allow all of this\? \[y\/N\]/m)
    await shell.submit("n")
    await shell.waitForText(/^asks: not answered/m)
    await shell.submit(`clear; ${command}`)
    await shell.waitForText(/^Allow all of this\? \[y\/N\]/m)
    await shell.submit("y")
    await agent.waitForText(/q5 q5 approve/)

    await watch.waitForText(/✓ asks .*finished .*All hung\./)
    const isUnread = async () =>
      (JSON.parse((await bench.chorus("status", "--json")).stdout) as StatusRow[]).find(
        ({ terminalId }) => terminalId === "asks",
      )?.unread
    expect(await isUnread()).toBe(true)
    await watch.key("s")
    await waitFor(async () => (await isUnread()) === false, 60_000, "it to be seen")

    const tmux = (...args: string[]) => promisify(execFile)("tmux", ["-L", agent.socket, ...args])
    const [pane] = await agent.panes()
    const front = async () => (await tmux("display-message", "-p", "-t", "main", "#{pane_id}")).stdout.trim()
    for (const goThere of [
      () => watch.key("Enter"),
      async () =>
        expect((await bench.chorus("status", "jump", "asks")).stdout).toBe("asks (Doors): brought to the front\n"),
    ]) {
      await tmux("new-window", "-t", "main", "sleep 60")
      expect(await front()).not.toBe(pane?.id)
      await goThere()
      await waitFor(async () => (await front()) === pane?.id, 60_000, "its pane")
    }
    await watch.key("q")
    await watch.waitForExit()
  })
})

/** Says in a terminal each thing once, when a file asks for it. */
const SAYS = `use IO::Socket::UNIX; use Time::HiRes; $| = 1; print "up\\n";
my $to = IO::Socket::UNIX->new(Peer => $ENV{CHORUS_SOCK}); $to->autoflush(1);
for my $event (qw(running needsInput)) {
  printf $to '{"terminalId":"%s","agent":"codex","pid":%d,"at":%d,"event":"%s","toolDetail":"rm door"}' . "\\n",
    $ARGV[0], $$, Time::HiRes::time() * 1000, $event;
  Time::HiRes::sleep(0.01);
}
sleep 600;
`
/** A notification service that waits for the click. */
const NOTIFIES = `${PERL}open(my $told, ">>", "$ENV{HOME}/told"); print $told join("|", @ARGV), "\\n"; close $told;
select(undef, undef, undef, 0.05) until -e "$ENV{HOME}/clicked"; print "default\\n";
`

describe("whoever is called", () => {
  const opened = async (env: Readonly<Record<string, string>>, cwd: string, ...command: string[]) => {
    const terminal = await openTerminal({ command: "env", args: [...command, "perl", "-e", SAYS, "asks"], env, cwd })
    onTestFinished(terminal.stop)
    await terminal.waitForText(/up/)
    return terminal
  }

  it("by a notice, is brought to the agent's pane by a click on it", async () => {
    const bench = await bench1()
    bench.agent("notify-send", NOTIFIES)
    await bench.chorus("status", "notify", "on")
    await bench.listen()
    const agent = await opened(bench.env, bench.home)
    const tmux = (...args: string[]) => promisify(execFile)("tmux", ["-L", agent.socket, ...args])
    const [pane] = await agent.panes()
    const front = async () => (await tmux("display-message", "-p", "-t", "main", "#{pane_id}")).stdout.trim()
    await tmux("new-window", "-t", "main", "sleep 60")
    const told = join(bench.home, "told")
    await waitFor(() => existsSync(told) && readFileSync(told, "utf8").endsWith("\n"), 60_000, "the notice")
    expect(readFileSync(told, "utf8")).toBe(
      "--action=default=Show|--urgency=critical|--app-name=Chorus|--|codex needs you: asks|rm door\n",
    )
    expect(await front()).not.toBe(pane?.id)
    writeFileSync(join(bench.home, "clicked"), "")
    await waitFor(async () => (await front()) === pane?.id, 60_000, "its pane")
  })

  it.each([
    ["by the bell in tmux, which passes it on", [], "\u0007"],
    [
      "by OSC 9 where its program takes that",
      ["-u", "TMUX", "KITTY_WINDOW_ID=1"],
      "\u001b]9;codex needs you: asks: rm door\u001b\\",
    ],
  ] as const)("is called in the agent's own terminal where no service is, %s", async (_how, given, sequence) => {
    const bench = await bench1()
    bench.agent("notify-send", `${PERL}exit 1`)
    await bench.chorus("status", "notify", "on")
    await bench.listen()
    const agent = await opened(bench.env, bench.home, ...given)
    await waitFor(
      () => agent.raw().includes(sequence),
      60_000,
      () => JSON.stringify(agent.raw()),
    )
  })
})

async function bench1() {
  const directory = temporaryDirectory("chorus-command-")
  const home = directory.path
  mkdirSync(join(home, "bin"))
  const path = join(home, "cache", "s.sock")
  const env = {
    PATH: `${join(home, "bin")}:/usr/bin:/bin`,
    HOME: home,
    TERM: "xterm-256color",
    NO_COLOR: "1",
    CHORUS_CACHE: join(home, "cache"),
    CHORUS_SOCK: path,
    CHORUS_TERMINAL_ID: "mine",
  }
  onTestFinished(directory.remove)
  return {
    env,
    home,
    agent(name: string, text: string) {
      writeFileSync(join(home, "bin", name), text)
      chmodSync(join(home, "bin", name), 0o755)
    },
    chorus: (...args: string[]) =>
      promisify(execFile)(process.execPath, [CHORUS_MAIN, ...args], { env, cwd: home, timeout: 60_000 }),
    async listen(): Promise<ChildProcess> {
      const child = spawn(process.execPath, [CHORUS_MAIN, "status", "listen"], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      })
      onTestFinished(() => void child.kill("SIGKILL"))
      await once(child.stdout, "data")
      return child
    },
    /** Until that question is asked. */
    async asks(ask: string) {
      const rows = async () => JSON.parse((await this.chorus("status", "--json")).stdout) as StatusRow[]
      await waitFor(async () => (await rows()).some((row) => row.ask === ask), 60_000, ask)
    },
    async send(...lines: object[]) {
      const socket = connect(path)
      let at = Date.now() - lines.length
      socket.end(lines.map((line) => `${JSON.stringify({ at: at++, ...line })}\n`).join(""))
      await once(socket, "close")
    },
  }
}
