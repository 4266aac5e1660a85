import { useEffect } from "react"
import { Problem, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { Changes } from "../proposals/Comparison.tsx"
import { changedThings, whyNot, type Present, type RequestedChange } from "./change-request.ts"
import { followTask } from "../tasks/follow-task.ts"
import type { Seen } from "./Summary.tsx"

interface ChangeRequestProps {
  readonly request: RequestedChange
  onSeen?: ((seen: Seen) => void) | undefined
}

/** What was approved or written by a person, as it stands and as an agent asks for it. */
export function ChangeRequest({ request, onSeen }: ChangeRequestProps) {
  const text = useText()
  const { present, error, reload } = usePresent(request)
  const known = request.targetType === "proposal" || present !== undefined
  const fault = present === undefined ? undefined : whyNot(request, present)
  useEffect(() => {
    if (known) onSeen?.({ may: fault === undefined, passing: [] })
  }, [known, fault, onSeen])
  if (error !== undefined) return <Problem error={error} onRetry={reload} />
  if (!known) return <SkeletonRows rows={2} />
  return (
    <div className="mt-3 grid grid-cols-1 gap-4">
      {fault !== undefined && (
        <p role="alert" className="rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting">
          {text(fault)}
        </p>
      )}
      {changedThings(request, present).map((thing, at) => (
        <Changes key={at} {...thing} titleOf={(uuid) => draftTitle(request, uuid)} />
      ))}
    </div>
  )
}

/** The text that is to be changed; nothing where tasks are to be added to a plan. */
function usePresent({ targetType, targetUuid }: RequestedChange) {
  const of = (type: string) => targetType === type
  const task = useOperation("chorus_get_task", of("task") ? { taskUuid: targetUuid } : null, followTask(targetUuid))
  const idea = useOperation("chorus_get_idea", of("idea") ? { ideaUuid: targetUuid } : null, whenChanged(targetUuid))
  const document = useOperation(
    "chorus_get_document",
    of("document") ? { documentUuid: targetUuid } : null,
    whenChanged(targetUuid),
  )
  const written = idea.answer ?? document.answer
  const present: Present | undefined =
    task.answer === undefined
      ? written && { title: written.title, version: written.version, content: written.content ?? "", criteria: [] }
      : { ...task.answer, content: task.answer.description ?? "", criteria: task.answer.acceptanceCriteriaItems }
  const { error, reload } = of("task") ? task : of("idea") ? idea : document
  return { present, error, reload }
}

function whenChanged<Answer>(targetUuid: string) {
  return reloadWhen<Answer>(({ entityUuid }) => entityUuid === targetUuid)
}

function draftTitle({ change }: RequestedChange, uuid: string): string {
  const draft = change.tasks?.find(({ draftUuid }) => draftUuid === uuid)
  return typeof draft?.["title"] === "string" ? draft["title"] : uuid.slice(0, 8)
}
