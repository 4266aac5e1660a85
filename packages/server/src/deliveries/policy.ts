import type { deliveries } from "@chorus/contracts"

type Kind = deliveries.DeliveryKind

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface Policy {
  /** Before the second, third … attempt; after the last it is given up. */
  readonly waitsMs: readonly number[]
  /** After which it is of no use to anybody. */
  readonly ageMs?: number
  /** The receiver asks for it; otherwise it is posted. */
  readonly fetched?: true
}

const TO_MACHINES: Policy = { waitsMs: [2 * SECOND, 10 * SECOND, MINUTE, 5 * MINUTE], ageMs: 7 * DAY, fetched: true }

const POLICIES: Readonly<Record<Kind, Policy>> = {
  event: { waitsMs: [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR] },
  call: { waitsMs: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE], ageMs: HOUR },
  answer: TO_MACHINES,
  order: TO_MACHINES,
}

export function isFetched(kind: Kind): boolean {
  return POLICIES[kind].fetched === true
}

export function waitsOf(kind: Kind): readonly number[] {
  return POLICIES[kind].waitsMs
}

export function expiryOf(kind: Kind, now: string): string | null {
  const { ageMs } = POLICIES[kind]
  return ageMs === undefined ? null : new Date(Date.parse(now) + ageMs).toISOString()
}
