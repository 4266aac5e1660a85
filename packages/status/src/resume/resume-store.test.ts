import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StatusRow } from "@chorus/contracts"
import { expect, it, onTestFinished } from "vitest"
import { resumeStore } from "./resume-store.ts"

it("keeps nothing until an agent is switched on, the newest session after that, and nothing once it is off", async () => {
  const { store, path } = scratch()
  await store.record(row("t1", "claude", "claude --resume one"))
  expect(existsSync(path)).toBe(false)
  await store.turn("claude", true)
  await store.record(row("t1", "claude", "claude --resume one"))
  await store.record(row("t1", "claude", "claude --resume two"))
  await store.record(row("t2", "codex", "codex resume other"))
  expect(store.list().map((entry) => entry.command)).toEqual(["claude --resume two"])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await store.turn("claude", false)
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

it("finds the session of this tab after a restart, and none of another tab's", async () => {
  const { store } = scratch()
  await store.turn("claude", true)
  const at = (folder: string, tab: string | null) => ({ folder, tab, version: null })
  await store.record(row("tmux-1-pts-4-aa", "claude", "claude --resume one"), at("/shop", "tmux-1"))
  await store.record(row("tmux-2-pts-5-bb", "claude", "claude --resume two"), at("/shop", "tmux-2"))
  await store.record(row("pts-7-cc", "claude", "claude --resume bare"), at("/shop", null))
  const found = async (terminalId: string, folder: string, tab?: string) =>
    (await store.find({ terminalId, folder, tab }))?.command.split(" ").at(-1)
  expect(await found("tmux-2-pts-9-zz", "/shop", "tmux-2")).toBe("two")
  expect(await found("pts-9-zz", "/shop")).toBe("bare")
  expect(await found("pts-9-zz", "/other")).toBeUndefined()
  expect(await found("tmux-3-pts-9-zz", "/shop", "tmux-3")).toBeUndefined()
  // The same tab in another terminal after the restart: its newest session is the one.
  await store.record(row("tmux-2-pts-9-zz", "claude", "claude --resume three"), at("/shop", "tmux-2"))
  expect(store.list()).toHaveLength(3)
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toBe("three")
  // Of what was done in it in two folders, this folder's.
  await store.record(row("tmux-2-pts-8-xx", "claude", "claude --resume there"), at("/other", "tmux-2"))
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toBe("three")
  expect(await found("tmux-2-pts-1-yy", "/third", "tmux-2")).toBe("there")
  await store.forget("tmux-2-pts-8-xx")
  await store.forget("tmux-2-pts-9-zz")
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toBeUndefined()
})

it("loses no switch and no session to writers at the same time", async () => {
  const { store, path } = scratch()
  await store.turn("claude", true)
  const other = resumeStore(join(path, ".."))
  await Promise.all([
    ...Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? store : other).record(row(`t${n}`, "claude", `claude --resume s${n}`)),
    ),
    other.turn("codex", true),
  ])
  expect(store.list()).toHaveLength(12)
  expect([store.isOn("claude"), store.isOn("codex")]).toEqual([true, true])
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
    outside: false,
    ask: null,
    asks: null,
    folder: null,
    unread: false,
  }
}

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "chorus-resume-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { store: resumeStore(folder), path: join(folder, "resume.json") }
}
