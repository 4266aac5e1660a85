/** A browser that may be called for a person; its address is a way to reach it and told to nobody. */
export interface PushSubscriptionsTable {
  uuid: string
  userUuid: string
  endpoint: string
  p256dh: string
  auth: string
  browser: string | null
  createdAt: string
  lastSentAt: string | null
}

/** A call on its way; "sent" only when the push service has said that it took it. */
export interface PushMessagesTable {
  uuid: string
  subscriptionUuid: string
  /** What it is about; a later one about the same takes its place. */
  tag: string
  payload: string
  status: "pending" | "sent" | "failed"
  attempts: number
  nextAttemptAt: string | null
  responseStatus: number | null
  error: string | null
  createdAt: string
  sentAt: string | null
}

/** When a person last had a page in view. */
export interface PersonPresenceTable {
  userUuid: string
  visibleAt: string
}
