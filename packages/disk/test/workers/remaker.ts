// Takes a folder away and makes it again, with the file by which processes exclude each other in it, until it is ended.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [folder = ""] = process.argv.slice(2)
process.stdout.write("begun\n")
for (;;) {
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, "takeover.db"), "", { flag: "wx" })
  } catch {
    // The other process was quicker.
  }
}
