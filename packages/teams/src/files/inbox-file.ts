import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { type TeamEra, TeamInboxEntry } from "@chorus/contracts"
import { isErrno, replaceFile } from "@chorus/disk"
import { teamGone } from "./file-fault.ts"
import { holdsEntry, spliceEntry } from "./inbox-splice.ts"
import { appendJsonLines, jsonLines } from "./json-lines.ts"
import { fileNameOf } from "./name.ts"
import { appendNoted } from "./noted-append.ts"
import { patiently, readJson, tryReadJson, Unfinished } from "./patient-json.ts"
import { withTeamLock } from "./team-lock.ts"
import { refuseLinks, type TeamPaths } from "./team-paths.ts"

/** One message as it lies in an inbox, with an id that stays the same however often it is read. */
export interface Received {
  readonly id: string
  readonly entry: TeamInboxEntry
}

/** On return the entry is in the file. With a note it gets there once, whichever process tries how often. */
export async function appendToInbox(
  paths: TeamPaths,
  agent: string,
  entry: TeamInboxEntry,
  note?: string,
): Promise<void> {
  const path = inboxReady(paths, agent)
  let tried = false
  await patiently(path, () =>
    withTeamLock(paths, path, (held) => {
      if (note !== undefined) return appendNoted(paths, path, entry, held, note)
      if (tried && holdsEntry(path, entry)) return
      tried = true
      spliceEntry(path, entry, held)
    }),
  )
}

/** The messages nobody has taken yet, oldest first; nothing is changed. */
export async function unreadIn(paths: TeamPaths, agent: string): Promise<Received[]> {
  const path = paths.inbox(agent)
  refuseLinks(paths.directory, paths.inboxes, path)
  return identified(asArray(await readJson(path))).filter(({ entry }) => entry.read !== true)
}

/** Everything that lies in the inbox, read or not. */
export async function allIn(paths: TeamPaths, agent: string): Promise<Received[]> {
  const path = paths.inbox(agent)
  refuseLinks(paths.directory, paths.inboxes, path)
  return identified(asArray(await readJson(path)))
}

/** The same, this very moment: undefined while somebody is writing the file. */
export function allInNow(paths: TeamPaths, agent: string): Received[] | undefined {
  const read = tryReadJson(paths.inbox(agent))
  return read.state === "unfinished" ? undefined : identified(asArray(read.value))
}

/**
 * Takes unread messages out in one step: of several takers each message goes to one. Which: all, or those that `wanted` picks.
 * Taken messages are in our history before they leave the inbox, so a taker that dies loses nothing.
 */
export async function takeFromInbox(
  paths: TeamPaths,
  agent: string,
  era: TeamEra,
  wanted: (message: Received) => boolean = () => true,
): Promise<Received[]> {
  const path = paths.inbox(agent)
  refuseLinks(paths.directory, paths.inboxes, path)
  // Nothing to take needs no lock; a message that comes a moment later is there at the next look.
  const seen = allInNow(paths, agent)
  if (seen !== undefined && !seen.some((message) => message.entry.read !== true && wanted(message))) return []
  return patiently(path, () =>
    withTeamLock(paths, path, (held) => {
      const read = tryReadJson(path)
      if (read.state === "missing") return []
      if (read.state === "unfinished") throw new Unfinished()
      const all = asArray(read.value)
      const taken = identified(all).filter((message) => message.entry.read !== true && wanted(message))
      if (taken.length === 0) return []
      const gone = new Set<unknown>(taken.map(({ entry }) => entry))
      const { kept, history } = era === "session" ? withoutTaken(all, gone) : markedRead(all, gone)
      if (history.length > 0) appendJsonLines(historyPath(paths, agent), history, { synced: true })
      replaceFile(path, JSON.stringify(kept, null, 2), { held })
      return taken
    }),
  )
}

/** Messages that have left the inbox through us, oldest first. */
export function historyOf(paths: TeamPaths, agent: string): Received[] {
  const seen = new Set<string>()
  return historySince(paths, agent, 0).messages.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** What was added to the history since it had this many bytes, and how many it has now. A shorter one is another team's of that name. */
export function historySince(paths: TeamPaths, agent: string, bytes: number): { messages: Received[]; bytes: number } {
  const path = historyPath(paths, agent)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const from = size < bytes ? 0 : bytes
  if (size === from) return { messages: [], bytes: from }
  const added = readFileSync(path).subarray(from)
  const whole = added.subarray(0, added.lastIndexOf(0x0a) + 1)
  return { messages: identified(jsonLines(whole.toString("utf8"))), bytes: from + whole.length }
}

export function historyFolder(paths: TeamPaths): string {
  return join(paths.own, "history")
}

/** Creates the folder and an empty inbox for a new member; a team that is gone is not brought back by a late message. */
export async function openInbox(paths: TeamPaths, agent: string): Promise<void> {
  const path = inboxReady(paths, agent)
  await withTeamLock(paths, path, (held) => {
    if (!existsSync(path)) replaceFile(path, "[]", { held })
  })
}

function inboxReady(paths: TeamPaths, agent: string): string {
  const path = paths.inbox(agent)
  refuseLinks(paths.directory, paths.inboxes, path)
  if (existsSync(paths.inboxes)) return path
  try {
    if (!existsSync(paths.config)) throw teamGone(paths.team)
    mkdirSync(paths.inboxes, { mode: 0o700 })
  } catch (error) {
    if (isErrno(error, "ENOENT")) throw teamGone(paths.team)
    if (!isErrno(error, "EEXIST")) throw error
  }
  return path
}

function withoutTaken(all: unknown[], gone: Set<unknown>): { kept: unknown[]; history: unknown[] } {
  return { kept: all.filter((entry) => !gone.has(entry)), history: all.filter((entry) => gone.has(entry)) }
}

/** They stay, as in the original, however many they become. */
function markedRead(all: unknown[], taken: Set<unknown>): { kept: unknown[]; history: unknown[] } {
  return { kept: all.map((entry) => (taken.has(entry) ? { ...(entry as object), read: true } : entry)), history: [] }
}

/** Entries the protocol would not deliver (no sender, no text, no time) stay in the file and are passed over. */
function identified(entries: unknown[]): Received[] {
  const counts = new Map<string, number>()
  return entries.flatMap((value) => {
    if (!TeamInboxEntry.safeParse(value).success) return []
    const entry = value as TeamInboxEntry
    const base = idOf(entry)
    const nth = (counts.get(base) ?? 0) + 1
    counts.set(base, nth)
    return [{ id: nth === 1 || entry.msg_id !== undefined ? base : `${base}-${nth}`, entry }]
  })
}

/** The id the writer gave, else one made from what the message says. */
export function idOf(entry: TeamInboxEntry): string {
  return (
    entry.msg_id ??
    createHash("sha256").update(`${entry.from}\0${entry.timestamp}\0${entry.text}`).digest("hex").slice(0, 32)
  )
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function historyPath(paths: TeamPaths, agent: string): string {
  return join(historyFolder(paths), `${fileNameOf(agent)}.jsonl`)
}
