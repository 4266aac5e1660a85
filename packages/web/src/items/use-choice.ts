import { useMemo, useRef, useState } from "react"
import type { Task } from "../board/columns.ts"

export interface Choice {
  readonly tasks: readonly Task[]
  /** Whether that is everything shown. */
  readonly whole: boolean
  has(uuid: string): boolean
  /** `through` also takes everything between this one and the one before it. */
  toggle(uuid: string, options?: { readonly through?: boolean }): void
  all(): void
  clear(): void
}

/** Which of the shown tasks were chosen; what is no longer shown is not chosen either. */
export function useChoice(shown: readonly Task[]): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  return useMemo(
    () => ({
      tasks: shown.filter(({ uuid }) => chosen.has(uuid)),
      whole: shown.every(({ uuid }) => chosen.has(uuid)),
      has: (uuid) => chosen.has(uuid),
      toggle(uuid, { through = false } = {}) {
        const [from, to] = [last.current, uuid].map((each) => shown.findIndex((task) => task.uuid === each))
        last.current = uuid
        const span =
          through && from !== undefined && to !== undefined && from >= 0
            ? shown.slice(Math.min(from, to), Math.max(from, to) + 1).map((task) => task.uuid)
            : [uuid]
        const off = !through && chosen.has(uuid)
        setChosen(new Set(off ? [...chosen].filter((each) => each !== uuid) : [...chosen, ...span]))
      },
      all: () => setChosen(new Set(shown.map(({ uuid }) => uuid))),
      clear: () => setChosen(new Set()),
    }),
    [shown, chosen],
  )
}
