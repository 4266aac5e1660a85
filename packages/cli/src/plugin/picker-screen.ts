import { emitKeypressEvents, type Key } from "node:readline"
import { paint } from "../output.ts"
import { pickerLines, pressKey, startPicker, type PickerItem } from "./picker.ts"

/** Shows a list until something is picked; undefined when the person goes back. */
export function pick<T extends PickerItem>(title: string, items: readonly T[]): Promise<T | undefined> {
  const { stdin, stdout } = process
  let state = startPicker(title, items)
  let drawn = 0
  const erase = () => {
    if (drawn > 0) stdout.write(`\u001B[${drawn}A\u001B[0J`)
    drawn = 0
  }
  const draw = () => {
    erase()
    const lines = pickerLines(state, Math.min(stdout.rows, 24), stdout.columns).map((line, index) => {
      if (index === 0) return paint("bold", line)
      return line.startsWith("❯") ? paint("cyan", line) : line
    })
    stdout.write(`${lines.join("\n")}\n`)
    drawn = lines.length
  }
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  draw()
  return new Promise((resolve) => {
    const finish = (item: T | undefined) => {
      stdin.off("keypress", onKey)
      stdin.setRawMode(false)
      stdin.pause()
      erase()
      resolve(item)
    }
    const onKey = (text: string | undefined, key: Key) => {
      const name =
        key.ctrl === true && key.name === "c"
          ? "interrupt"
          : key.name !== undefined && ["up", "down", "return", "escape", "backspace"].includes(key.name)
            ? key.name
            : (text ?? "")
      const step = pressKey(state, name)
      if (step.kind !== "show") return finish(step.kind === "picked" ? step.item : undefined)
      state = step.state
      draw()
    }
    stdin.on("keypress", onKey)
  })
}
