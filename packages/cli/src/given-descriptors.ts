import { readFileSync } from "node:fs"

/** Nobody waits on a descriptor with this flag: who reads or writes it is told to ask again. */
const NON_BLOCKING = 0o4000

/**
 * Which of input, output and errors were given to this process as non-blocking. To be asked before anything else is loaded: Node
 * makes every pipe non-blocking that it opens, for all who share it, and what we become must find them as they were.
 */
export function givenNonBlocking(): number[] {
  return [0, 1, 2].filter((descriptor) => (flagsOf(descriptor) & NON_BLOCKING) !== 0)
}

function flagsOf(descriptor: number): number {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")
    return Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? "0", 8)
  } catch {
    // Closed, or a system that does not tell; descriptors wait unless somebody decided otherwise.
    return 0
  }
}
