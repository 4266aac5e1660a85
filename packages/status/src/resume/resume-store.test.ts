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
})

it("knows what it cannot read from what was never switched on, and begins anew only when asked to", async () => {
  const { store, path } = scratch()
  expect(store.damagedFile()).toBeUndefined()
  await store.turn("claude", true)
  expect(store.damagedFile()).toBeUndefined()
  for (const text of ["{broken", "", '"on"']) {
    writeFileSync(path, text)
    expect([store.damagedFile(), store.isOn("claude"), store.list()]).toEqual([path, false, []])
    await store.record(row("t1", "claude", "claude --resume one"))
    expect(readFileSync(path, "utf8")).toBe(text)
  }
  await store.turn("claude", true)
  expect([store.damagedFile(), store.isOn("claude")]).toEqual([undefined, true])
})

it("finds the session of this tab after a restart, and of another tab what the folder has besides", async () => {
  const { store } = scratch()
  await store.turn("claude", true)
  await store.record(row("tmux-1-pts-4-aa", "claude", "claude --resume one"), at("/shop", "tmux-1"))
  await store.record(row("tmux-2-pts-5-bb", "claude", "claude --resume two"), at("/shop", "tmux-2"))
  await store.record(row("pts-7-cc", "claude", "claude --resume bare"), at("/shop", null))
  const found = async (terminalId: string, folder: string, tab?: string) =>
    (await store.find({ terminalId, folder, tab })).map(({ command }) => command.split(" ").at(-1))
  expect(await found("tmux-2-pts-9-zz", "/shop", "tmux-2")).toEqual(["two"])
  expect(await found("pts-9-zz", "/shop")).toEqual(["bare"])
  expect(await found("pts-9-zz", "/other")).toEqual([])
  expect(await found("tmux-3-pts-9-zz", "/shop", "tmux-3")).toEqual(["bare", "two", "one"])
  // The same tab in another terminal after the restart, where it may have had two panes.
  await store.record(row("tmux-2-pts-9-zz", "claude", "claude --resume three"), at("/shop", "tmux-2"))
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toEqual(["three", "two"])
  // Of what was done in it in two folders, this folder's.
  await store.record(row("tmux-2-pts-8-xx", "claude", "claude --resume there"), at("/other", "tmux-2"))
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toEqual(["three", "two"])
  expect(await found("tmux-2-pts-1-yy", "/third", "tmux-2")).toEqual(["there", "three", "two"])
  await store.forget("tmux-2-pts-8-xx")
  await store.forget("tmux-2-pts-9-zz")
  expect(await found("tmux-2-pts-1-yy", "/shop", "tmux-2")).toEqual(["two"])
})

it("knows a session where it was last, and of a tab and folder no more than the last five", async () => {
  const { store } = scratch()
  await store.turn("claude", true)
  const place = (terminalId: string) => ({ terminalId, tab: "tmux/api", folder: "/shop" })
  await store.record(
    { ...row("pts-4-aa", "claude", "claude --resume one"), title: "The door" },
    at("/shop", "tmux/api"),
  )
  const [door] = await store.find(place("pts-5-bb"))
  expect(door).toMatchObject({ terminalId: "pts-4-aa", title: "The door" })
  await store.take("claude --resume another", "pts-5-bb")
  await store.take("claude --resume one", "pts-5-bb", "tmux/api")
  expect(store.list()).toEqual([{ ...door, terminalId: "pts-5-bb" }])
  // By hand in another tab and folder, before it was called anything.
  await store.record(row("pts-6-cc", "claude", "claude --resume one"), at("/other", null))
  expect(store.list()).toMatchObject([{ terminalId: "pts-6-cc", folder: "/other", title: "The door" }])
  for (let n = 0; n < 9; n++)
    await store.record(row(`pts-${n}-dd`, "claude", `claude --resume s${n}`), at("/shop", "tmux/api"))
  const left = (await store.find(place("pts-5-bb"))).map(({ terminalId }) => terminalId)
  expect(left).toEqual(["pts-8-dd", "pts-7-dd", "pts-6-dd", "pts-5-dd", "pts-4-dd"])
})

it("remembers no run that nobody comes back to", async () => {
  const { store } = scratch()
  await store.turn("codex", true)
  await store.record(row("process-7", "codex", "codex resume piped"), { ...at("/shop", null), once: true })
  expect(store.list()).toEqual([])
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

const at = (folder: string, tab: string | null) => ({ folder, tab, version: null, once: false, pid: null })

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
    ended: false,
  }
}

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "chorus-resume-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { store: resumeStore(folder), path: join(folder, "resume.json") }
}
