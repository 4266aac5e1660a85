import { useEffect, useRef, useState } from "react"
import { useEvents } from "../live/use-operation.ts"
import { celebrant } from "./scene.ts"

const JOY_MS = 6000

/** The sessions that handed in work a moment ago; who hands in more is happy for longer. */
export function useCelebrants(): ReadonlySet<string> {
  const [joyful, setJoyful] = useState<ReadonlySet<string>>(new Set())
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  useEffect(() => () => timers.current.forEach(clearTimeout), [])
  useEvents((event) => {
    const uuid = celebrant(event)
    if (uuid === undefined) return
    setJoyful((now) => new Set([...now, uuid]))
    clearTimeout(timers.current.get(uuid))
    timers.current.set(
      uuid,
      setTimeout(() => setJoyful((now) => new Set([...now].filter((each) => each !== uuid))), JOY_MS),
    )
  })
  return joyful
}
