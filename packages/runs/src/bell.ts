/** Wakes whoever waits; rung while nobody does, it is heard by the next one. */
export interface Bell {
  ring(): void
  /** Resolves when it rings, or after a while. No timer is left that would keep the process. */
  heard(ms: number): Promise<void>
}

export function openBell(): Bell {
  let rung = false
  let wake: () => void = () => undefined
  return {
    ring() {
      rung = true
      wake()
    },
    async heard(ms) {
      if (!rung)
        await new Promise<void>((go) => {
          const timer = setTimeout(go, ms)
          wake = () => {
            clearTimeout(timer)
            go()
          }
        })
      rung = false
    },
  }
}
