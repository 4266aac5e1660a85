import { ChorusError } from "@chorus/contracts"
import { fileFault } from "@chorus/disk"

const [IO_ERROR, CORRUPT, NOT_A_DATABASE] = [10, 11, 26]
/** A page that the disk does not give back, or not whole. */
const UNREADABLE = new Set([266, 522, 8202, 8458])

/** What SQLite says about its file, as an error that tells people what to do; any other error is given back as it is. */
export function sqliteFault(error: unknown, path: string): unknown {
  const fault = fileFault(error, path, "use another with --data DIR")
  if (!(fault instanceof Error) || fault instanceof ChorusError) return fault
  const { errcode } = fault as { errcode?: unknown }
  if (typeof errcode !== "number") return fault
  const primary = errcode & 0xff
  if (primary === CORRUPT || primary === NOT_A_DATABASE || UNREADABLE.has(errcode))
    return storeDamaged(path, fault.message, fault)
  if (primary !== IO_ERROR) return fault
  return new ChorusError("disk_failed", `The disk failed while ${path} was used: ${fault.message}.`, {
    status: 507,
    next: "Check the disk, then try again. Nothing of this change was kept.",
    cause: fault,
  })
}

export function storeDamaged(path: string, found: string, cause?: unknown): ChorusError {
  return new ChorusError("store_damaged", `Part of ${path} is damaged: ${found}.`, {
    status: 500,
    next: "Stop the server and restore a backup: chorus restore FILE --force. What is there is set aside, not deleted.",
    cause,
  })
}
