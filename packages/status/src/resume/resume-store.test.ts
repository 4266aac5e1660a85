import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StatusRow } from "@chorus/contracts"
import { expect, it, onTestFinished } from "vitest"
import { resumeStore } from "./resume-store.ts"

it("keeps nothing until an agent is switched on, the newest session after that, and nothing once it is off", () => {
  const { store, path } = scratch()
  store.record(row("t1", "claude", "claude --resume one"))
  expect(existsSync(path)).toBe(false)
  store.turn("claude", true)
  store.record(row("t1", "claude", "claude --resume one"))
  store.record(row("t1", "claude", "claude --resume two"))
  store.record(row("t2", "codex", "codex resume other"))
  expect(store.list().map((entry) => entry.command)).toEqual(["claude --resume two"])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  store.turn("claude", false)
  expect(store.list()).toEqual([])
  expect(readFileSync(path, "utf8")).not.toContain("two")
})

it("checks switch and command again at use", () => {
  const { store, path } = scratch()
  const entry = (command: string, agent = "claude") => ({
    terminalId: `t-${command}`,
    agent,
    command,
    title: null,
    at: 1,
  })
  const sessions = [
    entry("claude --resume ok"),
    entry("claude --resume x; rm -rf ~"),
    entry("sh -c ls"),
    entry("codex resume off", "codex"),
    entry("claude --resume -p"),
    { nonsense: true },
  ]
  writeFileSync(path, JSON.stringify({ on: ["claude", "vim"], sessions }))
  expect(store.list().map(({ command }) => command)).toEqual(["claude --resume ok"])
  writeFileSync(path, "{broken")
  expect(store.list()).toEqual([])
  expect(store.isOn("claude")).toBe(false)
})

function row(terminalId: string, agent: StatusRow["agent"], resumeCommand: string): StatusRow {
  return {
    terminalId,
    agent,
    state: "running",
    since: 1,
    source: "line",
    title: null,
    detail: null,
    summary: null,
    exitCode: null,
    resumeCommand,
    reason: null,
  }
}

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "chorus-resume-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { store: resumeStore(folder), path: join(folder, "resume.json") }
}
