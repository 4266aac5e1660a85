export interface Progress {
  /** Between 0 and 1. */
  at(part: number): void
  done(text: string): void
}

const SILENT: Progress = { at: () => undefined, done: () => undefined }

/** Says on stderr how far long work is: a line that moves for people at a terminal, first and last line for a log, nothing for programs. */
export function progress(title: string, json = false): Progress {
  if (json) return SILENT
  const { stderr } = process
  if (!stderr.isTTY) {
    stderr.write(`${title} …\n`)
    return { at: () => undefined, done: (text) => stderr.write(`${text}\n`) }
  }
  let shown = ""
  const show = (text: string) => {
    if (text === shown) return
    shown = text
    stderr.write(`\r\u001b[2K${text}`)
  }
  show(`${title} …`)
  return {
    at: (part) => show(`${title} … ${Math.min(100, Math.floor(part * 100))} %`),
    done: (text) => {
      show(text)
      stderr.write("\n")
    },
  }
}
