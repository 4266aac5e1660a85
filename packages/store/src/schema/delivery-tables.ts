/** Something on its way to somebody outside. */
export interface DeliveriesTable {
  /** The mark by which a receiver knows it again. */
  uuid: string
  workspaceUuid: string
  /**
   * Where it goes, `webhook:<uuid>`, `bridge:<uuid>`, `push:<uuid>` or `machine:<uuid>`: what one of them delays is its
   * own.
   */
  lane: string
  /** Its place in the lane; for an event its position in the log. */
  place: number
  /** Within a lane: what must arrive one after the other. */
  thread: string | null
  kind: "event" | "call" | "answer" | "order"
  /** What it is about. */
  tag: string | null
  title: string
  payload: string
  /** Whose it is; those without are for who runs the workspace. */
  byUuid: string | null
  state: "pending" | "delivered" | "dead"
  attempts: number
  /** Also how long whoever tries it holds it. Null while pending means that it rests. */
  nextAttemptAt: string | null
  expiresAt: string | null
  responseStatus: number | null
  lastError: string | null
  next: string | null
  createdAt: string
  settledAt: string | null
}

/** A project that is kept in step with the issues of a repository. */
export interface BridgesTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string
  /** `github:octo/shop` */
  origin: string
  api: string
  token: string
  /** What the tracker's webhook proves that it comes from there with. */
  secret: string
  allowPrivate: number
  /** How far of the log it has been told. */
  lastEvent: number
  /** In whose name things are brought from there. */
  createdByUuid: string
  createdAt: string
  updatedAt: string
}
