/** Rings for whoever waits; a ring while nobody waits is kept, so no change falls between looking and waiting. */
export class Bell {
  #rung = false
  readonly #waiting = new Set<() => void>()

  /** Bound, since it is what others are given to call. */
  readonly ring = (): void => {
    this.#rung = true
    for (const resume of this.#waiting) resume()
  }

  /** Resolves when it rings, or after so many milliseconds. No timer is left that would keep the process. */
  async heard(milliseconds?: number): Promise<void> {
    if (!this.#rung)
      await new Promise<void>((resolve) => {
        const resume = () => {
          clearTimeout(timer)
          this.#waiting.delete(resume)
          resolve()
        }
        const timer = milliseconds === undefined ? undefined : setTimeout(resume, milliseconds)
        this.#waiting.add(resume)
      })
    this.#rung = false
  }
}
