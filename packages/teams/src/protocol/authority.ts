import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TeamInboxEntry } from "@chorus/contracts"
import { isErrno } from "@chorus/disk"
import { teamFileFault } from "../files/index.ts"

/**
 * Marks a decision that a person made. Any agent can send text that looks like an approval; only code that holds this
 * machine's key, which no message and no tool hands out, can make the mark.
 */
export interface Authority {
  sign(decision: Decision): string
  verify(decision: Decision, mark: unknown): boolean
}

export interface Decision {
  readonly team: string
  readonly member: string
  readonly text: string
  /** The person's name. */
  readonly by?: string | undefined
}

/** The fields of an inbox entry that carry the mark, and who decided. */
export const MARK = "chorus_mark"
const DECIDED_BY = "chorus_by"

/** What marks an entry as decided, and says by whom where that is known. */
export function marked(authority: Authority, decision: Decision, decided: true | string): Record<string, string> {
  if (decided === true) return { [MARK]: authority.sign(decision) }
  return { [MARK]: authority.sign({ ...decision, by: decided }), [DECIDED_BY]: decided }
}

/** Who decided, as the entry says; the mark tells whether that is so. */
export function decidedBy(entry: TeamInboxEntry): string | undefined {
  const by = entry[DECIDED_BY]
  return typeof by === "string" ? by : undefined
}

export function openAuthority(root: string): Authority {
  const key = keyOf(root)
  const sign = ({ team, member, text, by }: Decision) =>
    createHmac("sha256", key)
      .update(JSON.stringify([team, member, text, ...(by === undefined ? [] : [by])]))
      .digest("base64url")
  return {
    sign,
    verify(decision, mark) {
      if (typeof mark !== "string") return false
      const expected = Buffer.from(sign(decision))
      const given = Buffer.from(mark)
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
  }
}

const KEY_BYTES = 32

function keyOf(root: string): Buffer {
  const folder = join(root, "chorus")
  const path = join(folder, "authority.key")
  try {
    return keyIn(folder, path)
  } catch (error) {
    throw teamFileFault(error, path)
  }
}

/** The key is made once; of several processes that try, the first wins and the others read it. */
function keyIn(folder: string, path: string): Buffer {
  const known = readIfThere(path)
  if (known !== undefined && known.length >= KEY_BYTES) return known
  // A key that a power cut left empty would be one that everybody can guess.
  rmSync(path, { force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString("hex")}`
  writeFileSync(temporary, randomBytes(KEY_BYTES).toString("base64url"), { flag: "wx", mode: 0o600 })
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return readIfThere(path) ?? Buffer.alloc(0)
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(path, "utf8").trim(), "base64url")
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined
    throw error
  }
}
