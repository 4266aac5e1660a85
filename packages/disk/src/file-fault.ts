import { ChorusError } from "@chorus/contracts"

/** SQLite's own codes: full; a write, a truncation or the shared index that found no room. */
const FULL = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", 13, 778, 1546, 4874])
const NOT_WRITABLE = new Set<unknown>(["EROFS", "EACCES", "EPERM", 3, 8, 14])

/**
 * Turns what the file system says, itself or through SQLite, into an error that a person can act on; `elsewhere` says how to use another
 * place. Anything else comes back as it was.
 */
export function fileFault(error: unknown, path: string, elsewhere: string): unknown {
  if (!(error instanceof Error) || error instanceof ChorusError) return error
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (FULL.has(code) || FULL.has(errcode)) return diskFull(path, error)
  const primary = typeof errcode === "number" ? errcode & 0xff : code
  if (!NOT_WRITABLE.has(primary)) return error
  return new ChorusError(
    "not_writable",
    `${path} cannot be written (${typeof code === "string" && typeof errcode !== "number" ? code : error.message}). Nothing that was there has been changed.`,
    { next: `Make the folder writable for this user, or ${elsewhere}.`, status: 500, cause: error },
  )
}

export function diskFull(path: string, cause: unknown): ChorusError {
  return new ChorusError("disk_full", `No space is left to write ${path}. Nothing that was there has been changed.`, {
    next: "Make room on that disk, then try again.",
    status: 507,
    cause,
  })
}
