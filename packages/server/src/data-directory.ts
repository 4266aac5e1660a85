import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { claim, fileFault, readJson, replaceFile } from "@chorus/disk"

/** What a running server leaves in its data directory for the command to find it. */
export interface RunningServer {
  readonly pid: number
  readonly url: string
  readonly startedAt: string
  readonly engine: "sqlite" | "postgres"
  /** By which the command acts for the owner; see local-credential.ts. */
  readonly token: string
}

/** The header in which the command says below which agent it runs, as not every system tells the server. */
export const BELOW = "chorus-below"

export interface HeldDirectory {
  /** Says where the server is reached, once it listens. */
  announce(server: RunningServer): void
  release(): void
}

/**
 * Takes the data directory for this process. The lock is the operating system's on an open file, so it goes with the
 * process that holds it, however that ends.
 */
export function holdDirectory(directory: string): HeldDirectory {
  return inDirectory(directory, () => hold(directory))
}

/** Does something with the files of a data directory; a disk that does not let it is told with what to do. */
export function inDirectory<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw fileFault(error, directory, "use another with --data DIR")
  }
}

function hold(directory: string): HeldDirectory {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = claim(join(directory, "lock"))
  if (lock === undefined) throw heldByAnother(directory)
  const announce = (server: RunningServer) =>
    replaceFile(join(directory, "server.json"), JSON.stringify(server), { mode: 0o600, fleeting: true })
  try {
    announce({ pid: process.pid, url: "", startedAt: new Date().toISOString(), engine: "sqlite", token: "" })
  } catch (error) {
    lock.release()
    throw error
  }
  return {
    announce,
    release: () => {
      rmSync(join(directory, "server.json"), { force: true })
      lock.release()
    },
  }
}

/**
 * A folder that once held data never starts empty by itself: what looks like a new installation beside old secrets or an unread
 * log is an accident, and to go on would make it final.
 */
export function refuseLostData(directory: string): void {
  const file = join(directory, "chorus.sqlite")
  if (sizeOf(file) > 0) return
  const left = ["secrets.json", "chorus.sqlite-wal"].filter((name) => sizeOf(join(directory, name)) > 0)
  if (left.length === 0) return
  throw new ChorusError(
    "data_missing",
    `${file} is ${existsSync(file) ? "empty" : "missing"}, but ${left.join(" and ")} beside it ${left.length > 1 ? "are" : "is"} from an earlier Chorus.`,
    {
      status: 500,
      next: "Put the file back or `chorus restore` a backup. To start afresh, use another --data DIR, or move these files away.",
      details: { file, left },
    },
  )
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The server that runs on this directory, if one says so; whether it lives is for the caller to try. */
export function runningServer(directory: string): RunningServer | undefined {
  return readJson(join(directory, "server.json")) as RunningServer | undefined
}

function heldByAnother(directory: string): ChorusError {
  const holder = runningServer(directory)
  const who =
    holder === undefined ? "Another process" : `Process ${holder.pid}${holder.url === "" ? "" : ` (${holder.url})`}`
  return new ChorusError("data_in_use", `${who} already runs Chorus on ${directory}.`, {
    status: 409,
    next: "Use that server, stop it, or start this one with another --data DIR.",
    details: holder === undefined ? undefined : { pid: holder.pid, url: holder.url, startedAt: holder.startedAt },
  })
}
