import { createWriteStream, mkdirSync } from "node:fs"
import { join } from "node:path"

/** Everything that went over the wire, as it was said. */
export interface Frames {
  /** Waits for the disk where that is behind. */
  add(direction: "in" | "out", line: string): Promise<void> | undefined
  end(): void
}

export function openFrames(folder: string): Frames {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = createWriteStream(join(folder, "frames.jsonl"), { flags: "a", mode: 0o600 })
  // A disk that is full costs the record, not the run.
  file.on("error", () => undefined)
  return {
    add(direction, line) {
      if (file.destroyed || file.write(`${JSON.stringify({ at: Date.now(), [direction]: line })}\n`)) return undefined
      return new Promise((room) => {
        const go = () => {
          file.off("drain", go).off("close", go)
          room()
        }
        file.once("drain", go).once("close", go)
      })
    },
    end: () => void file.end(),
  }
}
