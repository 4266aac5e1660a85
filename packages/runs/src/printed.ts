/** So much of it is shown with its call: the beginning and the end. */
const LONGEST_SHOWN = 16_000
/** So much of its end is kept, for whoever asks. */
const LONGEST_KEPT = 300_000
const HALF = (LONGEST_SHOWN - 60) / 2

/** What a call prints. However long that is, one more word of it costs no more than the word. */
export class Printed {
  #head = ""
  #tail = ""
  #length = 0
  #parts: string[] = []
  #kept = 0

  get isLong(): boolean {
    return this.#length > LONGEST_SHOWN
  }

  add(text: string): void {
    this.#length += text.length
    this.#head += text.slice(0, HALF - this.#head.length)
    this.#tail = (this.#tail + text.slice(-HALF)).slice(-HALF)
    this.#parts.push(text)
    this.#kept += text.length
    while (this.#kept - (this.#parts[0]?.length ?? 0) > LONGEST_KEPT) this.#kept -= this.#parts.shift()?.length ?? 0
  }

  become(text: string): void {
    this.#head = ""
    this.#tail = ""
    this.#length = 0
    this.#parts = []
    this.#kept = 0
    this.add(text)
  }

  shown(): string {
    if (!this.isLong) return this.#parts.join("")
    return `${this.#head}\n… ${this.#length - 2 * HALF} characters left out …\n${this.#tail}`
  }

  /** All that is kept of what is too long to be shown, once; from then on it is whoever took it that keeps it. */
  take(): string | undefined {
    if (!this.isLong || this.#parts.length === 0) return undefined
    const kept = this.#parts.join("").slice(-LONGEST_KEPT)
    this.#parts = []
    this.#kept = 0
    return kept
  }
}
