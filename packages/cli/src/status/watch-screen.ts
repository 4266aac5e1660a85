import type { StatusRow } from "@chorus/contracts"
import { byUrgency, ensureListener, type RowWatch, screenLines, tellTerminal, watchRows } from "@chorus/status"
import { oneLine, paint } from "../output.ts"
import { answerTo, isShownWhole } from "./answer.ts"

/** Changes that come together are painted together. */
const FRAME_MS = 30
const CLOCK_MS = 1000

const ESCAPE = "\u001b"

/** Those pressed quickly arrive together; one that has no letter, or is pressed with Alt, is several letters long. */
const ONE_KEY = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|O.|[^${ESCAPE}])?|.`, "gsu")

const KEYS = "↑↓ choose · Enter go there · y/n answer · s seen · q end"

/**
 * Paints the terminals and keeps painting as they change, until q or Ctrl-C; what is chosen can be gone to and
 * answered.
 */
export async function watchScreen(path: string): Promise<void> {
  await ensureListener(path)
  const { stdin, stdout } = process
  await new Promise<void>((resolve, reject) => {
    let frame: NodeJS.Timeout | undefined
    let rows = follow()
    let isEnded = false
    // By name and not by line: what is pressed is about the row that was chosen, wherever it has moved to since.
    let chosen: string | undefined
    let note = KEYS
    const clock = setInterval(draw, CLOCK_MS)

    function follow(): RowWatch {
      const watch = watchRows(path, () => told(watch), again)
      return watch
    }

    /** What was last known stands until the next listener has said what it knows. */
    function told(watch: RowWatch): void {
      if (isEnded) return watch.close()
      rows = watch
      frame ??= setTimeout(draw, FRAME_MS)
    }

    /** A listener that was killed is followed by another, which picks up what it knew. */
    function again(): void {
      if (isEnded) return
      ensureListener(path).then(follow, (error: Error) => end(error))
    }

    function draw(): void {
      clearTimeout(frame)
      frame = undefined
      const size = { columns: stdout.columns ?? 120, rows: (stdout.rows ?? 40) - 1 }
      const asked = askedIn(size.columns)
      const lines = screenLines(sorted(), Date.now(), { ...size, rows: size.rows - asked.length }, paint, chosen)
      lines.push(...asked)
      if (stdin.isTTY) lines.push(paint("dim", below().slice(0, size.columns)))
      // Each line is cleared to its end and the rest below: no flicker from clearing everything first.
      stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\r\n")}\r\n\u001b[J`)
    }

    /** What came of the last key; else the keys, and from what the chosen one's state is known. */
    function below(): string {
      const row = chosen === undefined ? undefined : rows.rows.get(chosen)
      return row === undefined || note !== KEYS ? note : `${KEYS} · said by ${row.source}`
    }

    /** All that the chosen one asks for, where the table has it in part; what finds no room is not granted here. */
    function askedIn(columns: number): string[] {
      const { asks = null, detail = null } = (chosen === undefined ? undefined : rows.rows.get(chosen)) ?? {}
      if (asks === null || isShownWhole({ asks, detail })) return []
      const lines = asks
        .split("\n")
        .flatMap((line) => line.match(new RegExp(`.{1,${Math.max(1, columns)}}`, "gu")) ?? [""])
      return lines.length > ((stdout.rows ?? 40) - 1) / 2 ? [] : lines
    }

    function sorted(): StatusRow[] {
      return [...rows.rows.values()].sort(byUrgency)
    }

    function choose(step: number): void {
      const ids = sorted().map(({ terminalId }) => terminalId)
      const at = chosen === undefined ? (step > 0 ? -1 : ids.length) : ids.indexOf(chosen)
      note = KEYS
      chosen = ids[Math.min(ids.length - 1, Math.max(0, at + step))]
    }

    /** Does something about the chosen row; what cannot be done is said below. */
    function act(key: string): void {
      const row = chosen === undefined ? undefined : rows.rows.get(chosen)
      if (row === undefined) return
      note = KEYS
      const tell = async () => {
        if (key === "y" && !isShownWhole(row) && row.ask !== null && askedIn(stdout.columns ?? 120).length === 0)
          throw new Error(`It finds no room here: chorus status answer ${row.terminalId} yes`)
        if (key === "y" || key === "n") return tellTerminal(path, row.terminalId, answerTo(row, key === "y"))
        return tellTerminal(path, row.terminalId, { ask: key === "s" ? "seen" : "jump" })
      }
      tell()
        .catch((error: Error) => (note = oneLine(error.message)))
        .finally(draw)
    }

    function press(key: string): void {
      if (isEnded) return
      if (key === "q" || key === "\u0003") return end()
      if (key === "\u001b[A" || key === "\u001b[B") choose(key === "\u001b[A" ? -1 : 1)
      if (["y", "n", "s", "\r"].includes(key)) act(key)
      draw()
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
    stdin.on("data", (data) => String(data).match(ONE_KEY)?.forEach(press))
    process.once("SIGTERM", () => end())
    draw()
  })
}
