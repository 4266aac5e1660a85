import { useEffect, useState } from "react"
import { useEvents, useLive } from "../live/use-operation.ts"

const ASK_EVERY_MS = 2000

/** `setUp`: its key has been used, if only by the command that sets it up. `connected`: the agent itself has done something. */
export type Connection = "none" | "setUp" | "connected"

/** How far the agent has come; what it did before the page was opened counts too. */
export function useAgentConnection(agentUuid: string | undefined): Connection {
  const { client } = useLive()
  const [used, setUsed] = useState<string>()
  const [seen, setSeen] = useState<string>()
  const isUsed = agentUuid !== undefined && used === agentUuid
  const isSeen = agentUuid !== undefined && seen === agentUuid
  useEvents((event) => {
    if (event.actor.uuid === agentUuid) setSeen(agentUuid)
  })
  useEffect(() => {
    if (agentUuid === undefined) return
    client.call("chorus_list_events", { limit: 100 }).then(
      ({ events }) => events.some(({ actor }) => actor.uuid === agentUuid) && setSeen(agentUuid),
      // The next event of the agent says the same.
      () => undefined,
    )
  }, [client, agentUuid])
  useEffect(() => {
    if (agentUuid === undefined || isUsed || isSeen) return
    const ask = () => {
      client.call("chorus_list_keys", { agentUuid }).then(
        ({ keys }) => keys.some(({ lastUsedAt }) => lastUsedAt !== null) && setUsed(agentUuid),
        () => undefined,
      )
    }
    ask()
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [client, agentUuid, isUsed, isSeen])
  if (isSeen) return "connected"
  return isUsed ? "setUp" : "none"
}
