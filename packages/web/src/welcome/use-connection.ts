import { useEffect, useState } from "react"
import { useEvents, useLive } from "../live/use-operation.ts"

const ASK_EVERY_MS = 2000

/** Whether the agent has shown itself: by an event it caused, or by its key having been used. */
export function useAgentConnection(agentUuid: string | undefined): boolean {
  const { client } = useLive()
  const [seen, setSeen] = useState<string>()
  const connected = agentUuid !== undefined && seen === agentUuid
  useEvents((event) => {
    if (event.actor.uuid === agentUuid) setSeen(agentUuid)
  })
  useEffect(() => {
    if (agentUuid === undefined || connected) return
    const ask = () => {
      client.call("chorus_list_keys", { agentUuid }).then(
        ({ keys }) => keys.some(({ lastUsedAt }) => lastUsedAt !== null) && setSeen(agentUuid),
        () => undefined,
      )
    }
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [client, agentUuid, connected])
  return connected
}
