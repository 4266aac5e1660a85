import type { notifications } from "@chorus/contracts"

type About = Pick<notifications.NotificationRow, "action" | "entityType" | "entityUuid" | "projectUuid">

const FOLDER: Readonly<Record<string, string>> = {
  task: "tasks",
  idea: "ideas",
  proposal: "proposals",
  document: "documents",
}

/** What waits among a person's things to decide as long as nobody has settled it. */
const WAITS: readonly notifications.NotificationAction[] = [
  "attention_requested",
  "elaboration_requested",
  "proposal_submitted",
  "task_submitted_for_verify",
]

/** The page's address of what waits, where a person decides it: a round is found by its idea. */
export function pathOfWaiting(uuid: string): string {
  return `/?item=${uuid}`
}

/** The page's address of what a notification is about; a question has its place among what waits. */
export function pathOfNotification({ entityType, entityUuid, projectUuid }: About): string | undefined {
  if (entityType === "attention") return pathOfWaiting(entityUuid)
  if (projectUuid === null) return undefined
  const folder = FOLDER[entityType]
  return `/projects/${projectUuid}/${folder === undefined ? "activity" : `${folder}/${entityUuid}`}`
}

/** Where a call about a notification leads: to deciding what waits, else to what it is about. */
export function pathOfCall(about: About): string {
  if (WAITS.includes(about.action)) return pathOfWaiting(about.entityUuid)
  return pathOfNotification(about) ?? "/notifications"
}
