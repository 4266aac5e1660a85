import { ChorusError } from "@chorus/contracts"
import { asUnavailable } from "@chorus/store"
import type { z } from "zod"

export function notFound(noun: string, uuid: string): ChorusError {
  return new ChorusError("not_found", `There is no ${noun} ${uuid} that you can see.`, {
    status: 404,
    next: `Check the id; list the ${noun}s you can see to find the right one.`,
  })
}

export function forbidden(message: string, next: string): ChorusError {
  return new ChorusError("forbidden", message, { status: 403, next })
}

export function invalidInput(error: z.ZodError): ChorusError {
  const issues = error.issues
    .slice(0, 20)
    .map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message }))
  const text = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  return new ChorusError("invalid_input", `The input does not fit: ${text}.`, {
    status: 400,
    next: "Correct the named fields and call again; nothing was changed.",
    details: { issues },
  })
}

/** Anything that is not a ChorusError is our fault: the caller learns the request id, the log the rest. */
export function asChorusError(error: unknown, requestId: string): ChorusError {
  const fault = asUnavailable(error)
  if (fault instanceof ChorusError) return fault
  if (isDiskFull(error)) {
    return new ChorusError(
      "disk_full",
      "The disk that holds the data takes no more. Nothing of this call was kept; what was there can be read.",
      {
        status: 507,
        next: "Make room on the server's disk, then call again.",
        cause: error,
      },
    )
  }
  return new ChorusError("internal", `Something went wrong on the server (request ${requestId}).`, {
    status: 500,
    next: "Try again; if it stays, look for this request id in the server's log.",
    cause: error,
  })
}

/** SQLite says "full" or that a write failed, PostgreSQL has a code for it. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  return errcode === SQLITE_FULL || errcode === SQLITE_IOERR_WRITE || code === PG_DISK_FULL
}

const SQLITE_FULL = 13
const SQLITE_IOERR_WRITE = 778
const PG_DISK_FULL = "53100"
