import { useEffect, useMemo } from "react"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import {
  DOING_LABEL,
  doingOf,
  followPresence,
  isByKey,
  peopleOf,
  type PresentAgent,
  type PresentSession,
  waitingSince,
} from "./presence.ts"
import { useNow } from "./use-now.ts"

const KEY_CALLS_MS = 60_000

/** Who is there at this moment. What no event tells is asked for again while somebody is there by that alone. */
export function usePeople() {
  const now = useNow()
  const { answer, ...loaded } = useOperation("chorus_get_presence", {}, followPresence)
  const { items } = useNeedsYou()
  const agents = useMemo((): readonly PresentAgent[] => {
    const waiting = waitingSince(items)
    return (answer?.agents ?? []).map((agent) => ({ ...agent, sessions: peopleOf(agent, now, waiting) }))
  }, [answer, now, items])
  const asks = agents.some(({ sessions }) => sessions.some(isByKey))
  const { reload } = loaded
  useEffect(() => {
    if (!asks) return
    const timer = setInterval(reload, KEY_CALLS_MS)
    return () => clearInterval(timer)
  }, [asks, reload])
  return { ...loaded, agents }
}

/** What somebody does, in words. */
export function useDoingWords(): (session: PresentSession) => string {
  const text = useText()
  const format = useFormat()
  return (session) => {
    const doing = doingOf(session)
    if (doing !== "silent") return text(DOING_LABEL[doing])
    const isToday = new Date(session.lastActiveAt).toDateString() === new Date().toDateString()
    return text("agents.silentSince", { when: format[isToday ? "time" : "dateTime"](session.lastActiveAt) })
  }
}
