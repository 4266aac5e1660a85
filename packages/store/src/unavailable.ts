import { ChorusError } from "@chorus/contracts"

/**
 * A lost database is our fault, not the caller's; whether a change was kept is unknown, so it says how to find out. Any other
 * error is given back as it is.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ChorusError || !isLost(error)) return error
  return new ChorusError("store_unavailable", `The database does not answer: ${error.message}.`, {
    status: 503,
    next: "Try again with the same idempotency key; a change that was kept is then answered, not repeated.",
    cause: error,
  })
}

const SAID =
  /^(Connection terminated|terminating connection|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/
const DISK_FULL = "53100"
/** What a replica, or a primary that was taken out of service, says to who writes. */
const READ_ONLY = "25006"
const SYSTEM = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"])

function isLost(error: Error): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== "string") return SAID.test(error.message)
  // It answers well that it has no room; trying again would not help.
  if (code === DISK_FULL) return false
  // A database that stops, crashed, starts, or has no room for one more; a network or socket that is not there.
  return (
    /^(08|57P|53)...?$/.test(code) ||
    code === READ_ONLY ||
    SYSTEM.has(code) ||
    (code === "ENOENT" && syscall === "connect") ||
    SAID.test(error.message)
  )
}
