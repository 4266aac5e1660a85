import { CalendarDays, Tag } from "lucide-react"
import { Fact, IconButton } from "../design/index.ts"
import { DayField } from "./DayField.tsx"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { DueDay } from "./DueDay.tsx"
import { LabelChip, LabelHues } from "./LabelChip.tsx"
import { LabelPicker } from "./LabelPicker.tsx"
import { useLabels } from "./use-labels.ts"

interface Labelled {
  readonly projectUuid: string
  readonly labels: readonly string[]
}

/** What a task or an idea is filed under, with a way to change it. */
function LabelsFact({ item, onChange }: { readonly item: Labelled; onChange(labels: string[]): void }) {
  const text = useText()
  const { hues } = useLabels(item.projectUuid)
  const { person } = useSignedIn()
  return (
    <Fact name={text("items.labels")}>
      <LabelHues value={hues}>
        <span className="flex flex-wrap items-center gap-1">
          {item.labels.map((name) => (
            <LabelChip key={name} name={name} />
          ))}
          {mayChange(person) && (
            <LabelPicker
              projectUuid={item.projectUuid}
              chosen={item.labels}
              onToggle={(name, on) =>
                onChange(on ? [...item.labels, name] : item.labels.filter((each) => each !== name))
              }
              trigger={<IconButton icon={Tag} size="sm" className="-my-1 -ml-1.5" label={text("items.changeLabels")} />}
            />
          )}
        </span>
      </LabelHues>
    </Fact>
  )
}

interface TaskItem extends Labelled {
  readonly uuid: string
  readonly status: string
  readonly dueOn: string | null
}

/** The labels of a task and the day it is due. */
export function TaskItemFacts({ task }: { readonly task: TaskItem }) {
  const text = useText()
  const { person } = useSignedIn()
  const update = useAction("chorus_update_task")
  const change = (changes: { labels?: string[]; dueOn?: string | null }) =>
    void update.run({ taskUuid: task.uuid, ...changes })
  return (
    <>
      <LabelsFact item={task} onChange={(labels) => change({ labels })} />
      <Fact name={text("items.due")}>
        {mayChange(person) ? (
          <DayField
            className="-my-1.5 max-w-40"
            label={text("items.due")}
            value={task.dueOn}
            onChange={(dueOn) => change({ dueOn })}
          />
        ) : task.dueOn === null ? (
          <CalendarDays aria-hidden className="size-4 text-faint" />
        ) : (
          <DueDay task={task} />
        )}
      </Fact>
    </>
  )
}

export function IdeaLabels({ idea }: { readonly idea: Labelled & { readonly uuid: string } }) {
  const edit = useAction("chorus_edit_idea")
  return <LabelsFact item={idea} onChange={(labels) => void edit.run({ ideaUuid: idea.uuid, labels })} />
}
