import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import {
  agentProgram,
  drive,
  isRunning,
  openTerminal,
  scratchHome,
  startModel,
  temporaryDirectory,
  type ScratchHome,
  type ScriptedModel,
  type Terminal,
  type TerminalOptions,
} from "@chorus/testing"

const FETCHING = { timeout: 600_000 }
const env = { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color" }

test("shows what a program writes, takes what is typed, and gives the exit code", async () => {
  const terminal = await open({
    command: "sh",
    args: ["-c", 'printf "name? "; read name; printf "\\033[1mhello\\033[0m $name;\\n"; exit 3;'],
  })
  await terminal.waitForText(/name\?/)
  await terminal.submit("Ada; Lovelace;")
  expect(await terminal.waitForText(/hello/)).toContain("hello Ada; Lovelace;;")
  expect(await terminal.waitForExit()).toBe(3)
  expect(terminal.raw()).toContain("\u001B[1mhello\u001B[0m Ada")
})

test("gives the program only the environment, folder and size it is meant to have", async () => {
  process.env["CHORUS_SECRET_OF_THE_TEST"] = "leaked"
  onTestFinished(() => {
    delete process.env["CHORUS_SECRET_OF_THE_TEST"]
  })
  const directory = temporaryDirectory()
  onTestFinished(directory.remove)
  const script = 'stty size; pwd; echo "secret=$CHORUS_SECRET_OF_THE_TEST given=$GIVEN"'
  const terminal = await open({
    command: "sh",
    args: ["-c", script],
    env: { ...env, GIVEN: "yes" },
    cwd: directory.path,
    columns: 90,
    rows: 20,
  })
  await terminal.waitForExit()
  expect(await terminal.screen()).toContain(`20 90\n${directory.path}\nsecret= given=yes`)
})

test("keys interrupt a program", async () => {
  const terminal = await open({
    command: "sh",
    args: ["-c", 'trap "echo caught; exit 7" INT; echo ready; while :; do sleep 0.1; done'],
  })
  await terminal.waitForText(/ready/)
  await terminal.key("C-c")
  expect(await terminal.waitForExit()).toBe(7)
})

test("says what the screen shows when a text does not come", async () => {
  const terminal = await open({ command: "sh", args: ["-c", "echo something else; sleep 60"] })
  await terminal.waitForText(/else/)
  await expect(terminal.waitForText(/never/, 100)).rejects.toThrow(
    /\/never\/ on the screen, which shows:\nsomething else/,
  )
})

test("stop ends the program and all it started; hanging up lets it clean up first", async () => {
  const directory = temporaryDirectory()
  onTestFinished(directory.remove)
  const args = ["-c", 'trap "touch cleaned-up; exit" HUP; echo ready; while :; do sleep 0.1; done']
  const stopped = await open({ command: "sh", args, cwd: directory.path })
  await stopped.waitForText(/ready/)
  const pid = (await stopped.panes())[0]?.pid ?? 0
  expect(isRunning(pid)).toBe(true)
  await stopped.stop()
  expect(isRunning(pid)).toBe(false)
  expect(existsSync(join(directory.path, "cleaned-up"))).toBe(false)
  const closed = await open({ command: "sh", args, cwd: directory.path })
  await closed.waitForText(/ready/)
  await closed.hangUp()
  expect(existsSync(join(directory.path, "cleaned-up"))).toBe(true)
})

test("Claude Code opens without a dialog and answers", FETCHING, async () => {
  const { home, model } = await setting()
  const terminal = await open({
    command: await agentProgram("claude-code"),
    args: ["--permission-mode", "bypassPermissions"],
    env: home.environment,
    cwd: home.project,
  })
  await terminal.waitForText(/bypass permissions on/)
  await terminal.submit(
    'DO: [[{"name":"Bash","input":{"command":"touch made","description":"Make a file"}}],{"text":"It is made."}]',
  )
  await terminal.waitForText(/^\s*[●⏺] It is made\./m)
  expect(existsSync(join(home.project, "made"))).toBe(true)
  expect(model.requests.some((request) => request.prompt.startsWith("DO:"))).toBe(true)
})

test("Codex opens without a dialog and answers", FETCHING, async () => {
  const { home } = await setting()
  // Any -c keeps the session in this process instead of a shared background one.
  const terminal = await open({
    command: await agentProgram("codex"),
    args: ["-c", "check_for_update_on_startup=false"],
    env: home.environment,
    cwd: home.project,
  })
  await terminal.waitForText(/Ask Codex|›/)
  await terminal.submit('DO: [{"text":"All is well."}]')
  await terminal.waitForText(/• All is well\./)
})

async function open(options: Partial<TerminalOptions> & { command: string }): Promise<Terminal> {
  const terminal = await openTerminal({ env, cwd: process.cwd(), ...options })
  onTestFinished(terminal.stop)
  return terminal
}

async function setting(): Promise<{ home: ScratchHome; model: ScriptedModel }> {
  const model = await startModel(drive)
  const home = scratchHome({ model })
  onTestFinished(async () => {
    await model.stop()
    await home.remove()
  })
  return { home, model }
}
