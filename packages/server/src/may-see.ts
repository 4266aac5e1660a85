import type { ActorRef, Entity, LogEvent, NewEvent, Resource } from "@chorus/contracts"
import { type ExpressionBuilder, type ExpressionWrapper, sql, type SqlBool } from "kysely"
import type { Schema } from "@chorus/store"
import { type Actor, mayRead } from "./operation.ts"

/** What somebody must be allowed to read to hear of such a thing; of all others everybody within reach hears. */
const READ_WITH: Partial<Record<Entity, Resource>> = {
  attachment: "document",
  change: "task",
  change_thread: "task",
  check: "task",
  document: "document",
  draft: "proposal",
  finding: "proposal",
  idea: "idea",
  landing: "task",
  project: "project",
  project_group: "project",
  proposal: "proposal",
  pull_request: "task",
  reservation: "task",
  review: "proposal",
  round: "idea",
  run: "task",
  run_rule: "task",
  runner: "task",
  task: "task",
}
/** These are read with what they hang on. */
const HANGING: readonly string[] = ["comment", "reference"] satisfies Entity[]
const TARGETS = ["idea", "proposal", "document", "task"] as const satisfies Resource[]

/**
 * A notification is its recipient's, and of agents a question its asker's; the rest is seen by whoever reaches its project
 * and may read what it is about.
 */
export function maySee(actor: Actor, event: LogEvent | NewEvent): boolean {
  if (event.entityType === "notification")
    return event.patch.recipientUuid === actor.uuid && reaches(actor, event.patch.projectUuid ?? null)
  if (actor.type === "agent" && event.entityType === "attention") return askerOf(event.patch) === actor.uuid
  // People's addresses are none of an agent's business.
  if (actor.type === "agent" && event.entityType === "member") return false
  if (actor.projectUuids !== null && (event.projectUuid === null || !reaches(actor, event.projectUuid))) return false
  return mayReadAbout(actor, event)
}

/** What holds for all projects is within everybody's reach. */
function reaches({ projectUuids }: Actor, projectUuid: string | null): boolean {
  return projectUuids === null || projectUuid === null || projectUuids.has(projectUuid)
}

function mayReadAbout(actor: Actor, { entityType, patch }: LogEvent | NewEvent): boolean {
  if (!HANGING.includes(entityType)) return !unreadable(actor).includes(entityType)
  const target = "targetType" in patch ? patch.targetType : undefined
  return TARGETS.every((kind) => (target !== undefined && target !== kind) || mayRead(actor, kind))
}

function unreadable(actor: Actor): string[] {
  return Object.entries(READ_WITH).flatMap(([entity, resource]) => (mayRead(actor, resource) ? [] : [entity]))
}

/** A question is told with the agent that asks, later changes of it with that agent's id. */
function askerOf(patch: {
  agentUuid?: string | null | undefined
  agent?: ActorRef | null | undefined
}): string | undefined {
  return patch.agentUuid ?? patch.agent?.uuid
}

type Lines = ExpressionBuilder<Schema, "events">

/** The same of rights, for a question to the log; which projects somebody reaches is up to the caller. */
export function whatMayBeRead(actor: Actor): ((line: Lines) => ExpressionWrapper<Schema, "events", SqlBool>)[] {
  const kept = unreadable(actor)
  const targets = TARGETS.filter((kind) => mayRead(actor, kind))
  return [
    ...(kept.length === 0 ? [] : [({ eb }: Lines) => eb("entityType", "not in", kept)]),
    ...(targets.length === TARGETS.length
      ? []
      : [
          ({ or, eb }: Lines) =>
            or([
              eb("entityType", "not in", HANGING),
              ...targets.map((kind) => eb("patch", "like", `%"targetType":"${kind}"%`)),
            ]),
        ]),
  ]
}

/** Of what somebody was told only what lies within their reach now. */
export function withinReach({ projectUuids }: Actor, column: string) {
  const place = sql.ref(column)
  if (projectUuids === null) return sql<boolean>`1 = 1`
  if (projectUuids.size === 0) return sql<boolean>`${place} is null`
  return sql<boolean>`(${place} is null or ${place} in (${sql.join([...projectUuids])}))`
}
