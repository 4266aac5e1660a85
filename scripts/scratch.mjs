// Where tests keep their files: in memory where there is room, as most of them wait for a disk more than for anything else.
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MEMORY = "/dev/shm"
const ROOM = 8 * 2 ** 30

/** What to add to the environment of tests. The folder goes with this process. */
export function scratchInMemory() {
  if (!existsSync(MEMORY)) return {}
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < ROOM) return {}
  const folder = mkdtempSync(join(MEMORY, "chorus-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  // Other accounts may pass through to a folder that is given to them, as PostgreSQL's is.
  chmodSync(folder, 0o711)
  return canRunFrom(folder) ? { TMPDIR: folder } : {}
}

/** Containers often forbid it, and tests start programs that they have written. */
function canRunFrom(folder) {
  const program = join(folder, "program")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 })
  return spawnSync(program).status === 0
}
