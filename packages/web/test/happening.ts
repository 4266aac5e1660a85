import type { StreamMessage } from "../src/live/stream-host.ts"
import { owner } from "./stage.tsx"

/** Makes something happen that the log tells of; its name is like no other. */
export async function happen(): Promise<string> {
  const name = `Happening ${crypto.randomUUID()}`
  await owner.call("chorus_admin_create_project", { name })
  return name
}

/** What one listener of the stream was told. */
export function listener() {
  const told: StreamMessage[] = []
  return {
    told,
    hear: (message: StreamMessage) => void told.push(message),
    connected: () => told.some((message) => message.type === "connection" && message.connected),
    /** How often it was told that this happened. */
    heard: (name: string) =>
      told.filter(
        (message) =>
          message.type === "event" && message.event.entityType === "project" && message.event.patch.name === name,
      ).length,
    count: (type: StreamMessage["type"]) => told.filter((message) => message.type === type).length,
  }
}
