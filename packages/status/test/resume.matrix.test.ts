import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { CHORUS_MAIN, isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { ping } from "../src/listener/listener-client.ts"
import { resumeStore } from "../src/resume/resume-store.ts"

/** An agent that calls its session by its name, and writes down what it was resumed with; it says nothing of that. */
const AGENT = `#!/usr/bin/perl
use JSON::PP;
my $name = $ENV{NAME};
sub save { open my $file, '>', "$name.new"; print $file $_[1]; close $file; rename "$name.new", "$name.$_[0]" }
save('pid', $$);
if (my ($id) = "@ARGV" =~ /--resume (\\S+)/) { save('back', $id) }
else {
  my $hooks = decode_json((grep { /"hooks"/ } @ARGV)[0])->{hooks};
  open my $to, '|-', $hooks->{UserPromptSubmit}[0]{hooks}[0]{command};
  print $to encode_json({ hook_event_name => 'UserPromptSubmit', session_id => "of-$name", prompt => $name });
}
sleep 1 while 1;
`

it("tmux restarted, panes closed and opened: a session comes back in its window, once", async () => {
  const house = await openHouse()
  const { tmux, open, back, screen } = house
  await open("new-session", "-d", "-x", "150", "-y", "40", "-s", "shop", "-n", "api")("door", "run claude")
  await open("new-window", "-d", "-n", "web")("till", "run claude")
  await house.remembered("door", "till")

  // The panes and windows of the next server have the numbers of others.
  tmux("kill-server")
  await house.gone("door", "till")
  await open("new-session", "-d", "-x", "150", "-y", "40", "-s", "shop", "-n", "web")("web", "resume")
  await back("web", "of-till")
  await open("new-window", "-d", "-n", "api")("api", "resume")
  await back("api", "of-door")

  // Nobody has said a word in them yet; they are open all the same.
  const beside = await open("split-window", "-d", "-t", "shop:api")("beside", "resume")
  expect(await screen(beside, /nothing_to_resume/)).toContain("No session is remembered for terminal")

  // What is closed by hand is not to come back, unlike what ends with its terminal program.
  await open("split-window", "-d", "-t", "shop:api")("lamp", "run claude")
  const third = await open("split-window", "-d", "-t", "shop:api")("sign", "run claude")
  await house.remembered("door", "till", "lamp", "sign")
  tmux("kill-pane", "-t", third)
  await house.forgotten("sign")

  tmux("kill-server")
  await house.gone("api", "web", "lamp")
  const asked = await open("new-session", "-d", "-x", "150", "-y", "40", "-s", "shop", "-n", "api")("asked", "resume")
  expect(await screen(asked, /Which one/)).toMatch(/Several sessions .*\n1 {2}lamp .*\n2 {2}door /)
  tmux("send-keys", "-t", asked, "2", "Enter")
  await back("asked", "of-door")

  // Where the tab has nothing, what another has left in the folder is no more than offered.
  const other = await open("new-window", "-d", "-n", "mail")("other", "resume")
  expect(await screen(other, /Which one/)).toMatch(/Other tabs .*\n1 {2}lamp .* ago .*tmux\/.*\/shop\/api/)
  tmux("send-keys", "-t", other, "Enter")
  expect(await screen(other, /nothing_chosen/)).toContain("--terminal")
})

async function openHouse() {
  const directory = temporaryDirectory("chorus-windows-")
  const at = (...parts: string[]) => join(directory.path, ...parts)
  const [project, socket, state] = [at("project"), at("s"), at("state", "chorus")]
  for (const folder of [project, at("bin")]) mkdirSync(folder)
  writeFileSync(at("bin", "claude"), AGENT, { mode: 0o755 })
  const store = resumeStore(state)
  await store.turn("claude", true)
  const server = `windows-${basename(directory.path)}`
  const env = {
    PATH: `${at("bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: directory.path,
    TERM: "xterm-256color",
    CHORUS_SOCK: socket,
    CHORUS_CACHE: at("cache"),
    XDG_STATE_HOME: at("state"),
  }
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-L", server, "-f", "/dev/null", ...args], { cwd: project, env, encoding: "utf8" })
  const panes = new Map<string, string>()
  onTestFinished(async () => {
    tmux("kill-server")
    const listener = await ping(socket)
    if (listener !== undefined) process.kill(listener.pid, "SIGTERM")
    await directory.remove()
  })

  function kept(name: string, what: string): string | undefined {
    const file = join(project, `${name}.${what}`)
    return existsSync(file) ? readFileSync(file, "utf8") : undefined
  }

  return {
    tmux,
    pane: (name: string) => panes.get(name) ?? "",
    /** A pane, opened so, in which an agent is begun or brought back. */
    open:
      (...how: string[]) =>
      async (name: string, command: string) => {
        const chorus = `'${process.execPath}' '${CHORUS_MAIN}'`
        const script = `export NAME=${name}; ${chorus} ${command}; exec sleep 600`
        const pane = tmux(...how, "-P", "-F", "#{pane_id}", "/bin/sh", "-c", script).trim()
        panes.set(name, pane)
        return pane
      },
    back: (name: string, session: string) =>
      waitFor(
        () => kept(name, "back") === session,
        60_000,
        () =>
          `${session} in ${name}, where ${kept(name, "back")} is:\n${tmux("capture-pane", "-p", "-t", panes.get(name) ?? "")}`,
      ),
    remembered: (...names: string[]) =>
      waitFor(
        () => names.every((name) => store.list().some(({ title }) => title === name)),
        60_000,
        () => JSON.stringify(store.list()),
      ),
    forgotten: (name: string) =>
      waitFor(
        () => store.list().every(({ title }) => title !== name),
        60_000,
        () => JSON.stringify(store.list()),
      ),
    gone: (...names: string[]) =>
      waitFor(() => names.every((name) => !isRunning(Number(kept(name, "pid")))), 60_000, "the agents to be gone"),
    async screen(pane: string, pattern: RegExp) {
      let shown = ""
      await waitFor(
        () => pattern.test((shown = tmux("capture-pane", "-p", "-J", "-t", pane))),
        60_000,
        () => `${pattern} on the screen, which shows:\n${shown}`,
      )
      return shown
    },
  }
}
