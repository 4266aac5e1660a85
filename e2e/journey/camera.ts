import { execFileSync } from "node:child_process"
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import type { Page } from "playwright-core"
import { IMAGES, RENEW, renewPicture } from "../pictures.ts"

const MOST_BYTES = 1_500_000
const WIDTH = 960

/** Takes the README's pictures along the way, and puts the film together from them. Does nothing unless pictures are asked for. */
export interface Camera {
  /** A frame of the film, shown this long; with a name also a picture of its own. */
  shoot(page: Page, seconds: number, name?: string | undefined): Promise<void>
  /** Writes the film; says how long it is and how large. */
  develop(): { seconds: number; bytes: number } | undefined
}

export function openCamera(series = "journey"): Camera {
  if (!RENEW) return { shoot: async () => undefined, develop: () => undefined }
  const directory = temporaryDirectory("film-")
  const frames: { file: string; seconds: number }[] = []
  return {
    async shoot(page, seconds, name) {
      await page.bringToFront()
      await page.waitForFunction(() => document.querySelector("main .animate-pulse") === null)
      await page.evaluate(() =>
        Promise.allSettled(
          document
            .getAnimations()
            .flatMap((each) => (each.effect?.getComputedTiming().endTime === Infinity ? [] : [each.finished])),
        ),
      )
      const file = join(directory.path, `${frames.length}.png`)
      await page.screenshot({ path: file })
      frames.push({ file, seconds })
      if (name !== undefined) await renewPicture(page, `${series}-${name}.png`)
    },
    develop() {
      const list = join(directory.path, "frames.txt")
      writeFileSync(list, frames.map(({ file, seconds }) => `file '${file}'\nduration ${seconds}\n`).join(""))
      // How long the last frame stays, nothing in the list says.
      const end = String(Math.round((frames.at(-1)?.seconds ?? 0) * 100))
      mkdirSync(IMAGES, { recursive: true })
      const film = join(IMAGES, `${series}.gif`)
      const filter = `scale=${WIDTH}:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle`
      execFileSync(
        "ffmpeg",
        [
          "-v",
          "error",
          "-y",
          "-f",
          "concat",
          "-safe",
          "0",
          "-i",
          list,
          "-vsync",
          "vfr",
          "-vf",
          filter,
          "-final_delay",
          end,
          film,
        ],
        { stdio: "inherit" },
      )
      const { size } = statSync(film)
      if (size > MOST_BYTES) throw new Error(`the film has ${size} bytes; ${MOST_BYTES} are allowed`)
      return { seconds: frames.reduce((sum, frame) => sum + frame.seconds, 0), bytes: size }
    },
  }
}
