// Appends to a JSON array under the lock, but stands still for good between its last check of the lock and the rename.
// It goes on when a line arrives on stdin.
import { readFileSync, readSync, writeSync } from "node:fs"
import { replaceFile } from "../../src/atomic-file.ts"
import { withLock } from "../../src/directory-lock.ts"

const [target = "", notes = "", word = ""] = process.argv.slice(2)
let tries = 0
await withLock(target, { notes }, (held) => {
  tries++
  const before = JSON.parse(readFileSync(target, "utf8")) as string[]
  const assertHeld = () => {
    held.assertHeld()
    if (tries > 1) return
    writeSync(1, "checked\n")
    readSync(0, Buffer.alloc(1))
  }
  replaceFile(target, JSON.stringify([...before, word]), { held: { assertHeld } })
})
writeSync(1, `written after ${tries} tries\n`)
