import type { tasks } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { AskDialog, Checkbox, DraftNote, Field, Input, onEnter, Select, toast } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import { criterionInput, mayMeasure } from "./task-status.ts"

interface SplitTaskProps {
  /** As it stands now; it changes when somebody else does something with it. */
  readonly task: tasks.TaskDetail
  onClose(): void
}

const ORDERS = ["beside", "first", "after"] as const
type Order = (typeof ORDERS)[number]

interface Begun {
  readonly title: string
  /** The criteria that it takes along. */
  readonly chosen: readonly string[]
  readonly order: Order
  /** The new task, where this one could not be changed after it was made. */
  readonly made?: string
}

const NOTHING: Begun = { title: "", chosen: [], order: "beside" }

/**
 * A part of a task becomes a task of its own and takes some of the criteria along. The new one is made first and this
 * one changed after that, so that whatever fails in between, no criterion is lost.
 */
export function SplitTask({ task, onClose }: SplitTaskProps) {
  const text = useText()
  const navigate = useNavigate()
  const create = useAction("chorus_create_tasks")
  const update = useAction("chorus_update_task")
  const draft = useDraft(`split.${task.uuid}`, NOTHING)
  const { title, chosen, order, made } = draft.value
  const write = (changed: Partial<Begun>) => draft.set({ ...draft.value, ...changed })
  const items = task.acceptanceCriteriaItems
  const moving = items.filter(({ uuid }) => chosen.includes(uuid))
  const staying = items.filter(({ uuid }) => !chosen.includes(uuid))
  const late = !mayMeasure(task.status)
  const emptied = moving.length > 0 && staying.length === 0
  const ready = title.trim() !== "" && !late && !emptied && !create.busy && !update.busy

  const split = async () => {
    if (!ready) return
    const part = made ?? (await makePart())
    if (part === undefined) return
    if (!(await changeThis(part))) return write({ made: part })
    draft.drop()
    onClose()
    toast(text("tasks.splitDone", { title: title.trim() }), { open: () => void navigate(placeOf(part)) })
  }
  const makePart = async () => {
    const answer = await create.run({
      projectUuid: task.projectUuid,
      ...(task.proposalUuid === null ? {} : { proposalUuid: task.proposalUuid }),
      tasks: [
        {
          title: title.trim(),
          priority: task.priority,
          labels: task.labels,
          acceptanceCriteriaItems: moving.length === 0 ? [{ description: title.trim() }] : moving.map(criterionInput),
          ...(order === "after" ? { dependsOnTaskUuids: [task.uuid] } : {}),
        },
      ],
    })
    return answer?.tasks[0]?.uuid
  }
  const changeThis = async (part: string) => {
    const changes = {
      ...(moving.length === 0 ? {} : { acceptanceCriteriaItems: staying.map(criterionInput) }),
      ...(order === "first" ? { addDependsOn: [part] } : {}),
    }
    if (Object.keys(changes).length === 0) return true
    const changed = await update.run({ taskUuid: task.uuid, ...changes, expectedVersion: task.version })
    return changed !== undefined
  }
  const placeOf = (taskUuid: string) =>
    ({ to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid: task.projectUuid, taskUuid } }) as const
  return (
    <AskDialog
      open
      kept
      title={text("tasks.splitTitle")}
      description={task.title}
      confirm={text(made === undefined ? "tasks.splitConfirm" : "action.retry")}
      disabled={!ready}
      onClose={onClose}
      onConfirm={() => void split()}
    >
      <div className="grid grid-cols-1 gap-4">
        <DraftNote draft={draft} />
        {late && <Note>{text("tasks.splitLate")}</Note>}
        {made !== undefined && <Note>{text("tasks.splitHalf", { title: title.trim() })}</Note>}
        {made === undefined && (
          <>
            <Field label={text("tasks.splitName")}>
              {(ids) => (
                <Input
                  {...ids}
                  autoFocus
                  required
                  maxLength={256}
                  value={title}
                  onChange={(event) => write({ title: event.target.value })}
                  onKeyDown={onEnter(() => void split())}
                />
              )}
            </Field>
            {items.length > 1 && (
              <fieldset className="grid grid-cols-1 gap-2">
                <legend className="mb-1.5 text-sm font-medium text-muted">{text("tasks.splitCriteria")}</legend>
                {items.map(({ uuid, description }) => (
                  <Checkbox
                    key={uuid}
                    checked={chosen.includes(uuid)}
                    onChange={(on) =>
                      write({ chosen: on ? [...chosen, uuid] : chosen.filter((each) => each !== uuid) })
                    }
                    label={<span className="wrap-anywhere">{description}</span>}
                  />
                ))}
                {emptied && (
                  <p role="alert" className="text-xs text-failed">
                    {text("tasks.splitEmptied")}
                  </p>
                )}
              </fieldset>
            )}
            {moving.length === 0 && <p className="text-xs text-faint">{text("tasks.splitNone")}</p>}
            <Field label={text("tasks.splitOrder")}>
              {(ids) => (
                <Select {...ids} value={order} onChange={(event) => write({ order: event.target.value as Order })}>
                  {ORDERS.map((each) => (
                    <option key={each} value={each}>
                      {text(`tasks.splitOrder.${each}`)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </>
        )}
      </div>
    </AskDialog>
  )
}

function Note({ children }: { readonly children: string }) {
  return (
    <p role="alert" className="rounded-lg bg-waiting-soft px-4 py-3 text-sm text-waiting">
      {children}
    </p>
  )
}
