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

/** Where else a person is called; an address may hold a secret and is told to nobody. */
export interface ChannelsTable {
  uuid: string
  userUuid: string
  kind: "email" | "slack" | "ntfy" | "telegram"
  address: string
  chat: string | null
  allowPrivate: number
  createdAt: string
  lastSentAt: string | null
}

/** When a person last had a page in view. */
export interface PersonPresenceTable {
  userUuid: string
  visibleAt: string
}
