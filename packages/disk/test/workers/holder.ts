// Takes the lock and keeps it until killed.
import { writeSync } from "node:fs"
import { withLock } from "../../src/directory-lock.ts"

const [target = "", notes = ""] = process.argv.slice(2)
await withLock(target, { notes }, () => {
  writeSync(1, "held\n")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
