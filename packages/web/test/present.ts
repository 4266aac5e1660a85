import type { LogEvent, sessions } from "@chorus/contracts"
import type { PresentSession } from "../src/agents/presence.ts"
import { logEvent, stayRow } from "./rows.ts"

/** A session that is there and of which nothing more is known. */
export function present(uuid: string, changes: Partial<PresentSession> = {}): PresentSession {
  return {
    uuid,
    agentUuid: "a1",
    name: uuid,
    description: null,
    status: "active",
    source: null,
    externalId: null,
    machine: null,
    parentUuid: null,
    agentType: null,
    spawn: null,
    spawnedByUuid: null,
    claimedTaskUuid: null,
    supersededByUuid: null,
    state: null,
    stateSince: null,
    stateDetail: null,
    lastWords: null,
    lastActiveAt: "1",
    createdAt: "1",
    updatedAt: "1",
    closedAt: null,
    working: [],
    ...changes,
  }
}

/** A session's stay at a task; it lasts until it is checked out. */
export function stay(sessionUuid: string, checkoutAt: string | null = null): sessions.CheckinRow {
  return stayRow({ uuid: `stay-${sessionUuid}`, sessionUuid, checkoutAt })
}

/** One line of the log. */
export function happened(
  entityType: string,
  entityUuid: string,
  action: LogEvent["action"],
  patch: Record<string, unknown>,
): LogEvent {
  return logEvent({ entityType, entityUuid, action, patch })
}
