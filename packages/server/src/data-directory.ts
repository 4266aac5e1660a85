import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ChorusError } from "@chorus/contracts"

/** What a running server leaves in its data directory for the command to find it. */
export interface RunningServer {
  readonly pid: number
  readonly url: string
  readonly startedAt: string
  readonly engine: "sqlite" | "postgres"
  /** By which the command acts for the owner; see local-credential.ts. */
  readonly token: string
}

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
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(directory, "lock"), { timeout: 0 })
  try {
    lock.exec("pragma locking_mode = exclusive; begin exclusive")
  } catch (error) {
    lock.close()
    throw heldByAnother(directory, error)
  }
  const announce = (server: RunningServer) => writeWhole(join(directory, "server.json"), JSON.stringify(server))
  announce({ pid: process.pid, url: "", startedAt: new Date().toISOString(), engine: "sqlite", token: "" })
  return {
    announce,
    release: () => {
      rmSync(join(directory, "server.json"), { force: true })
      lock.close()
    },
  }
}

/** The server that runs on this directory, if one says so; whether it lives is for the caller to try. */
export function runningServer(directory: string): RunningServer | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "server.json"), "utf8")) as RunningServer
  } catch {
    return undefined
  }
}

/** A reader sees the old text or the new one, and nobody but the owner sees either. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" })
  renameSync(temporary, path)
}

function heldByAnother(directory: string, cause: unknown): ChorusError {
  const holder = runningServer(directory)
  const who =
    holder === undefined ? "Another process" : `Process ${holder.pid}${holder.url === "" ? "" : ` (${holder.url})`}`
  return new ChorusError("data_in_use", `${who} already runs Chorus on ${directory}.`, {
    status: 409,
    next: "Use that server, stop it, or start this one with another --data DIR.",
    details: holder === undefined ? undefined : { pid: holder.pid, url: holder.url, startedAt: holder.startedAt },
    cause,
  })
}
