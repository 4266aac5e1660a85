import { ChorusError } from "@chorus/contracts"
import { diskFull } from "@chorus/disk"

/**
 * A lost database is our fault, not the caller's; whether a change was kept is unknown, so it says how to find out. One that is
 * full or damaged says so. Any other error is given back as it is.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ChorusError) return error
  const { code } = error as { code?: unknown }
  if (code === DISK_FULL) return diskFull("the data", error)
  if (DAMAGED.has(code)) return postgresDamaged(error)
  if (code === READ_ONLY) return readOnly(error)
  if (!isLost(error)) return error
  return new ChorusError("store_unavailable", `The database does not answer: ${error.message}.`, {
    status: 503,
    next: "Try again with the same idempotency key; a change that was kept is then answered, not repeated.",
    cause: error,
  })
}

const SAID =
  /^(Connection terminated|terminating connection|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/
/** It answers well that it has no room; trying again would not help. */
const DISK_FULL = "53100"
/** Pages or index entries that make no sense; a file that is gone, or that the disk does not give back. */
const DAMAGED = new Set<unknown>(["XX001", "XX002", "58P01", "58030"])
/** What a replica, or a primary that was taken out of service, says to who writes. */
const READ_ONLY = "25006"
const SYSTEM = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"])

function isLost(error: Error): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== "string") return SAID.test(error.message)
  // A database that stops, crashed, starts, or has no room for one more; a network or socket that is not there.
  return (
    /^(08|57P|53)...?$/.test(code) ||
    SYSTEM.has(code) ||
    (code === "ENOENT" && syscall === "connect") ||
    SAID.test(error.message)
  )
}

/** Whether a database that answers takes no change at all as it is: there is no room, or it only reads. */
export function takesNoChanges(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === DISK_FULL || code === READ_ONLY
}

function readOnly(error: Error): ChorusError {
  return new ChorusError("store_unavailable", `The database takes no changes: ${error.message}.`, {
    status: 503,
    next: "Have CHORUS_DATABASE lead to the server that takes changes, or let this one take them; then try again with the same idempotency key.",
    cause: error,
  })
}

function postgresDamaged(error: Error): ChorusError {
  return new ChorusError("store_damaged", `PostgreSQL found part of the data damaged: ${error.message}.`, {
    status: 500,
    next: "Stop the servers, check that database's disk, and restore it from a backup.",
    cause: error,
  })
}
