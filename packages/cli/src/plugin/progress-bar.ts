import type { Progress } from "@chorus/plugins"

const WIDTH = 24

/** Shows how far a download or clone is, on one line of stderr; silent when nobody watches. */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): Progress | undefined {
  if (!stream.isTTY) return undefined
  let last = ""
  return ({ what, done, total }) => {
    const line = barLine(what, done, total)
    if (line === last) return
    last = line
    stream.write(`\r\u001B[2K${line}`)
    if (total !== undefined && done >= total) stream.write("\r\u001B[2K")
  }
}

export function barLine(what: string, done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return `${what} ${Math.round(done / 1024)} KiB`
  const part = Math.min(1, done / total)
  const filled = Math.round(part * WIDTH)
  return `${what} [${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}] ${Math.floor(part * 100)} %`
}
