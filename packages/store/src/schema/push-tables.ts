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

/** When a person last had a page in view. */
export interface PersonPresenceTable {
  userUuid: string
  visibleAt: string
}
