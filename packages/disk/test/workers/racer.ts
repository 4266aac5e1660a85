// Changes one thing over and over through the room that owns it, until it is killed. Says "in" while it holds the lock,
// "overlap" when somebody else holds it too, and the number of each change that it was told is made.
import { readFileSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { RACES, type Signals } from "../races.ts"

const [kind = "", folder = "", name = ""] = process.argv.slice(2)
// The judge is the kernel, which knows who lives: whoever is inside holds this, and nobody who is dead can.
const who = join(folder, "who")
const BUSY = 5
const judge = new DatabaseSync(join(folder, "judge"), { timeout: 0 })

const signals: Signals = {
  going: () => void writeSync(1, "in\n"),
  inside(work) {
    const alone = isAlone()
    writeSync(1, alone ? "in\n" : "overlap\nin\n")
    for (const until = performance.now() + Math.random() * 4; performance.now() < until;);
    try {
      return work()
    } finally {
      if (alone) judge.exec("ROLLBACK")
    }
  },
}

/** Of a killed process the first thread, which does the work, ends a moment before the last one, which lets go of its files. */
function isAlone(): boolean {
  for (;;) {
    try {
      judge.exec("BEGIN EXCLUSIVE")
      writeFileSync(who, String(process.pid))
      return true
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY) throw error
      if (isAtWork(readFileSync(who, "utf8"))) return false
    }
  }
}

function isAtWork(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

for (let made = 1; ; made++) {
  await RACES[kind]?.change(folder, name, made, signals)
  writeSync(1, `${made}\n`)
}
