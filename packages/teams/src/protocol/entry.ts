import type { TeamEra, TeamInboxEntry } from "@chorus/contracts"

export interface Outgoing {
  readonly from: string
  readonly text: string
  readonly timestamp: string
  readonly summary?: string | undefined
  readonly color?: string | undefined
  /** Extra fields of ours; readers that do not know them pass them over. */
  readonly extra?: Record<string, unknown> | undefined
}

/** The entry in the form that the owner of the directory writes itself, down to the order of its keys. */
export function inboxEntry(era: TeamEra, message: Outgoing, id: string): TeamInboxEntry {
  return {
    from: message.from,
    text: message.text,
    ...(message.summary === undefined ? {} : { summary: message.summary }),
    timestamp: message.timestamp,
    ...(message.color === undefined ? {} : { color: message.color }),
    ...(era === "session" ? { msgV: 1, msg_id: id, type: "message" } : {}),
    read: false,
    ...message.extra,
  }
}
