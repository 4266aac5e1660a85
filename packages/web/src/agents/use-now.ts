import { useEffect, useState } from "react"

/**
 * Signs of life are told every four minutes; whoever has given none for longer may be dead, and is shown as nothing
 * else.
 */
export const SILENT_MS = 6 * 60_000

/** The time, told again every so often, for what says how long something lasts. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
