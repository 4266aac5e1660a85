import { ensureListener, type RowWatch, screenLines, watchRows } from "@chorus/status"
import { paint } from "../output.ts"

/** Changes that come together are painted together. */
const FRAME_MS = 30
const CLOCK_MS = 1000

/** Paints the terminals and keeps painting as they change, until q or Ctrl-C. */
export async function watchScreen(path: string): Promise<void> {
  await ensureListener(path)
  const { stdin, stdout } = process
  await new Promise<void>((resolve, reject) => {
    let frame: NodeJS.Timeout | undefined
    let rows = follow()
    let isEnded = false
    const clock = setInterval(draw, CLOCK_MS)

    function follow(): RowWatch {
      return watchRows(path, () => (frame ??= setTimeout(draw, FRAME_MS)), again)
    }

    /** A listener that was killed is followed by another, which picks up what it knew. */
    function again(): void {
      if (isEnded) return
      ensureListener(path).then(
        () => (rows = follow()),
        (error: Error) => end(error),
      )
    }

    function draw(): void {
      clearTimeout(frame)
      frame = undefined
      const size = { columns: stdout.columns ?? 120, rows: stdout.rows ?? 40 }
      const lines = screenLines([...rows.rows.values()], Date.now(), size, paint)
      // Each line is cleared to its end and the rest below: no flicker from clearing everything first.
      stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\r\n\u001b[J`)
    }

    function end(error?: Error): void {
      isEnded = true
      clearTimeout(frame)
      clearInterval(clock)
      rows.close()
      stdout.off("resize", draw)
      if (stdin.isTTY) stdin.setRawMode(false)
      stdin.pause()
      stdout.write("\u001b[?25h\u001b[?1049l")
      if (error === undefined) return resolve()
      reject(error)
    }

    stdout.write("\u001b[?1049h\u001b[?25l")
    stdout.on("resize", draw)
    if (stdin.isTTY) stdin.setRawMode(true)
    stdin.on("data", (key) => {
      if (["q", "\u0003", "\u001b"].includes(String(key))) end()
    })
    process.once("SIGTERM", () => end())
    draw()
  })
}
