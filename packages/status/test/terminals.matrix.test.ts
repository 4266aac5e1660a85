import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { StatusRow } from "@chorus/contracts"
import { CHORUS_MAIN, killTree, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { ping, readRows } from "../src/listener/listener-client.ts"
import { resumeStore } from "../src/resume/resume-store.ts"

/** An agent that calls its session by its terminal, asks on SIGUSR1, and writes down what it was resumed with. */
const AGENT = `#!/usr/bin/perl
use JSON::PP;
my $name = $ENV{NAME};
if (my ($id) = "@ARGV" =~ /--resume (\\S+)/) { save('back', $id); exit }
my $hooks = decode_json((grep { /"hooks"/ } @ARGV)[0])->{hooks};
sub hook {
  my ($event) = @_;
  open my $to, '|-', $hooks->{$event}[0]{hooks}[0]{command};
  print $to encode_json({ hook_event_name => $event, session_id => "of-$name", prompt => $name, tool_name => 'Bash' });
}
sub save { open my $file, '>', "$name.new"; print $file $_[1]; close $file; rename "$name.new", "$name.$_[0]" }
$SIG{USR1} = sub { hook('PermissionRequest') };
hook('UserPromptSubmit');
save('pid', $$);
sleep 1 while 1;
`

/** What terminal programs give to the shell in a window, and do not have themselves. */
const KITTY = "export KITTY_WINDOW_ID=1 KITTY_PID=$$ KITTY_LISTEN_ON=unix:/tmp/kitty-$$"
const WEZTERM = "export WEZTERM_PANE=0 WEZTERM_UNIX_SOCKET=/tmp/wezterm-$$"
const CODE = "export TERM_PROGRAM=vscode VSCODE_GIT_IPC_HANDLE=/tmp/vscode-$$.sock"

/**
 * Each with how it is opened, by a person or from another terminal whose variables come along, and what its window is
 * given.
 */
const WINDOW = "script -qfc $SHELL /dev/null"
const TERMINALS: readonly [name: string, open: string, given?: string][] = [
  ["tmux-a-1", "tmux -L $A -f /dev/null new-session -d $SHELL"],
  ["tmux-a-2", "tmux -L $A split-window -d $SHELL"],
  ["tmux-a-3", "tmux -L $A new-window -d $SHELL"],
  ["tmux-b-1", "tmux -L $A new-window -d env -u TMUX tmux -L $B -f /dev/null new-session -d $SHELL"],
  ["tmux-b-2", "tmux -L $B split-window -d $SHELL"],
  ["plain", WINDOW],
  ["kitty-1", WINDOW, KITTY],
  ["kitty-2", WINDOW, KITTY],
  ["wezterm-from-tmux", `tmux -L $A new-window -d ${WINDOW}`, WEZTERM],
  ["code-from-kitty", `KITTY_WINDOW_ID=1 KITTY_PID=1 ${WINDOW}`, CODE],
]

it("ten terminals of five kinds, opened from one another in one folder, share no row and no session", async () => {
  const house = await openAll()
  const titles = (rows: readonly StatusRow[]) => rows.map(({ title }) => title).toSorted()
  const names = TERMINALS.map(([name]) => name).toSorted()
  await waitFor(
    async () => (await house.rows()).filter((row) => row.state === "running").length === names.length,
    60_000,
    () => `all to work: ${names.map((name) => house.kept(name, "pid")).join(", ")}`,
  )
  expect(titles(await house.rows())).toEqual(names)

  const asking = ["kitty-2", "plain", "tmux-b-1"]
  for (const name of asking) process.kill(house.pid(name), "SIGUSR1")
  const waiting = async () => (await house.rows()).filter((row) => row.state === "needsInput")
  await waitFor(async () => (await waiting()).length === asking.length, 60_000, "three that wait")
  expect(titles(await waiting())).toEqual(asking)

  // Whoever comes back in a terminal finds what was last done there, and nowhere else.
  for (const name of names) process.kill(house.pid(name), "SIGKILL")
  await waitFor(
    () => names.every((name) => house.kept(name, "back") !== undefined),
    60_000,
    () => names.map((name) => `${name}: ${house.kept(name, "back")}`).join(", "),
  )
  expect(names.map((name) => house.kept(name, "back"))).toEqual(names.map((name) => `of-${name}`))
  const tabs = resumeStore(house.state)
    .list()
    .map(({ title, tab }) => [title, tab?.replace(/-[ab]-\w+-/, "-") ?? null])
  expect(Object.fromEntries(tabs)).toMatchObject({
    "code-from-kitty": null,
    plain: null,
    "wezterm-from-tmux": null,
  })
})

async function openAll() {
  const directory = temporaryDirectory("chorus-terminals-")
  const at = (...parts: string[]) => join(directory.path, ...parts)
  const [project, socket, state] = [at("project"), at("s"), at("state", "chorus")]
  for (const folder of [project, at("bin")]) mkdirSync(folder)
  writeFileSync(at("bin", "claude"), AGENT, { mode: 0o755 })
  await resumeStore(state).turn("claude", true)
  const [a, b] = [`a-${basename(directory.path)}`, `b-${basename(directory.path)}`]
  const env = {
    PATH: `${at("bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: directory.path,
    TERM: "xterm-256color",
    CHORUS_SOCK: socket,
    CHORUS_CACHE: at("cache"),
    XDG_STATE_HOME: at("state"),
    // What a shell's start-up file once set for all that is opened from it.
    CHORUS_TERMINAL_ID: "one-for-all",
  }
  const pid = (name: string) => Number(kept(name, "pid"))
  onTestFinished(async () => {
    for (const server of [a, b]) execFileSync("tmux", ["-L", server, "kill-server"], { env })
    const listener = await ping(socket)
    if (listener !== undefined) process.kill(listener.pid, "SIGTERM")
    await directory.remove()
  })

  function kept(name: string, what: string): string | undefined {
    const file = join(project, `${name}.${what}`)
    return existsSync(file) ? readFileSync(file, "utf8") : undefined
  }

  for (const [name, open, given = ""] of TERMINALS) {
    const chorus = `'${process.execPath}' '${CHORUS_MAIN}'`
    const script = `#!/bin/sh\n${given}\nexport NAME=${name}\n${chorus} run claude\n${chorus} resume\nexec sleep 600\n`
    writeFileSync(at(name), script, { mode: 0o755 })
    const command = open.replace("$SHELL", at(name)).replace("$A", a).replace("$B", b)
    const child = spawn("/bin/sh", ["-c", command], { cwd: project, env, stdio: ["pipe", "ignore", "ignore"] })
    onTestFinished(async () => {
      if (child.exitCode === null) await killTree(child.pid ?? 0)
    })
    await waitFor(() => kept(name, "pid") !== undefined, 60_000, `an agent in ${name}`)
  }
  return { rows: () => readRows(socket), pid, kept, state }
}
