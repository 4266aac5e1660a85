import { type FSWatcher, watch } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { StatusLine, StatusState } from "@chorus/contracts"
import { readJson } from "@chorus/disk"
import { type HookCall, isRecord } from "../line/index.ts"

export interface SessionFiles {
  /** A hook call shows where this client keeps its sessions, and which process it is. */
  follow(call: HookCall): void
  /**
   * What the file of a process says that told us nothing itself, if there is one; it is followed from here on. One that
   * has no hooks of ours is known by this file alone.
   */
  pickUp(terminalId: string, pid: number, from: { config: string; alone: boolean }): StatusLine[]
  /** Reads every followed file once more; for file systems that report no changes. */
  refresh(): void
  /** Stops following the processes that no terminal names any more. */
  keep(pids: ReadonlySet<number>): void
  close(): void
}

/**
 * Claude Code writes for each process what it is doing (`<config>/sessions/<pid>.json`: busy, waiting, idle). That
 * closes what hooks leave open: Esc fires none at all, and neither does the answer to a permission prompt.
 */
export function sessionFiles(pass: (line: StatusLine) => void): SessionFiles {
  const folders = new Map<string, FSWatcher>()
  const followed = new Map<number, { folder: string; terminalId: string; seen: string; alone: boolean }>()

  function read(pid: number): void {
    const known = followed.get(pid)
    if (known === undefined) return
    const lines = sessionFileLines(known.terminalId, pid, readJson(join(known.folder, `${pid}.json`)), known.alone)
    const seen = JSON.stringify(lines)
    if (seen === known.seen) return
    known.seen = seen
    for (const line of lines) pass(line)
  }

  function watchFolder(folder: string): void {
    if (folders.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        const pid = Number(name?.split(".")[0])
        if (Number.isInteger(pid)) read(pid)
      })
      watcher.on("error", () => watcher.close())
      folders.set(folder, watcher)
    } catch {
      // An older client has no such folder; hooks and the process remain.
    }
  }

  return {
    follow(call) {
      const transcript = call.payload["transcript_path"]
      if (call.agent !== "claude" || call.pid === undefined || typeof transcript !== "string") return
      const folder = join(dirname(dirname(dirname(transcript))), "sessions")
      watchFolder(folder)
      const known = followed.get(call.pid)
      if (known?.terminalId !== call.terminalId)
        followed.set(call.pid, { folder, terminalId: call.terminalId, seen: "", alone: false })
      read(call.pid)
    },
    pickUp(terminalId, pid, { config, alone }) {
      const folder = join(config, "sessions")
      // Watched before it is read: what changes in between would be seen two seconds later.
      watchFolder(folder)
      const lines = sessionFileLines(terminalId, pid, readJson(join(folder, `${pid}.json`)), alone)
      if (lines.length > 0 || alone) followed.set(pid, { folder, terminalId, seen: JSON.stringify(lines), alone })
      return lines
    },
    refresh: () => followed.forEach((_, pid) => read(pid)),
    keep: (pids) => followed.forEach((_, pid) => pids.has(pid) || followed.delete(pid)),
    close: () => folders.forEach((watcher) => watcher.close()),
  }
}

/** Where a client with this environment keeps its sessions. */
export function claudeConfig(env: Readonly<Record<string, string | undefined>>): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude")
}

/** The transcript of the session that a process is in; nothing where its file does not say. */
export function transcriptOf(config: string, pid: number): { session: string; path: string } | undefined {
  const file = readJson(join(config, "sessions", `${pid}.json`))
  if (!isRecord(file) || typeof file["sessionId"] !== "string" || typeof file["cwd"] !== "string") return undefined
  const folder = file["cwd"].replaceAll(/[^A-Za-z0-9]/g, "-")
  return { session: file["sessionId"], path: join(config, "projects", folder, `${file["sessionId"]}.jsonl`) }
}

/** What a session file says about the terminal its process runs in. */
export function sessionFileLines(terminalId: string, pid: number, file: unknown, alone = false): StatusLine[] {
  if (!isRecord(file) || file["pid"] !== pid || typeof file["statusUpdatedAt"] !== "number") return []
  const base = { terminalId, agent: "claude" as const, at: file["statusUpdatedAt"], source: "claude:session-file" }
  const rest: StatusState[] = alone ? ["idle", "finished"] : []
  const lines: StatusLine[] = []
  if (file["nameSource"] === "user" && typeof file["name"] === "string")
    lines.push({ ...base, event: "note", sessionTitle: file["name"], titleOrigin: "person" })
  if (file["status"] === "busy") lines.push({ ...base, event: "running", only: ["needsInput", "unknown", ...rest] })
  if (file["status"] === "waiting")
    lines.push({ ...base, event: "needsInput", only: ["running", "needsInput", "unknown", ...rest] })
  if (file["status"] === "idle")
    lines.push({
      ...base,
      event: "idle",
      only: ["running", "needsInput", "unknown"],
      ...(alone ? {} : { reason: "the turn was interrupted or ended without a word" }),
    })
  return lines
}
