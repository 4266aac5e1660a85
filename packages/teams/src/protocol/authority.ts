import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isErrno } from "@chorus/disk"

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
}

/** The field of an inbox entry that carries the mark. */
export const MARK = "chorus_mark"

export function openAuthority(root: string): Authority {
  const key = keyOf(root)
  const sign = ({ team, member, text }: Decision) =>
    createHmac("sha256", key)
      .update(JSON.stringify([team, member, text]))
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

/** The key is made once; of several processes that try, the first wins and the others read it. */
function keyOf(root: string): Buffer {
  const folder = join(root, "chorus")
  const path = join(folder, "authority.key")
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
