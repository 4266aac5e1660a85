/** How high each of many rows is, and where it begins: sums over a tree, so that one change costs no more than a few steps. */
export class Heights {
  readonly #own: number[] = [0]
  readonly #sums: number[] = [0]

  constructor(heights: Iterable<number> = []) {
    for (const height of heights) this.append(height)
  }

  get length(): number {
    return this.#own.length - 1
  }

  get total(): number {
    return this.start(this.length)
  }

  append(height: number): void {
    const at = this.#own.push(height) - 1
    let sum = height
    for (let below = at - 1; below > at - (at & -at); below -= below & -below) sum += this.#sums[below] ?? 0
    this.#sums.push(sum)
  }

  height(row: number): number {
    return this.#own[row + 1] ?? 0
  }

  set(row: number, height: number): void {
    const more = height - this.height(row)
    if (more === 0) return
    this.#own[row + 1] = height
    for (let at = row + 1; at <= this.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) + more
  }

  /** Where a row begins; the one after the last begins where all end. */
  start(row: number): number {
    let sum = 0
    for (let at = Math.min(row, this.length); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0
    return sum
  }

  /** The row that covers this point. */
  at(point: number): number {
    let row = 0
    let left = Math.max(0, point)
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.length))); step >= 1; step /= 2) {
      const sum = this.#sums[row + step]
      if (row + step > this.length || sum === undefined || sum > left) continue
      row += step
      left -= sum
    }
    return Math.min(row, Math.max(0, this.length - 1))
  }
}
