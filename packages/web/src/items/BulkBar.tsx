import { CircleSlash, Signal, SquareKanban, Tag, UserPlus, X } from "lucide-react"
import { COLUMNS, type Task } from "../board/columns.ts"
import { Button, IconButton, Menu, MenuItem } from "../design/index.ts"
import { DayField } from "./DayField.tsx"
import { useText } from "../i18n/language.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AssignMenu } from "../tasks/AssignMenu.tsx"
import type { Change } from "./bulk.ts"
import { LabelPicker } from "./LabelPicker.tsx"
import { useBulk } from "./use-bulk.ts"

interface BulkBarProps {
  readonly projectUuid: string
  readonly tasks: readonly Task[]
  onClear(): void
}

/** What can be done to all that were chosen. */
export function BulkBar({ projectUuid, tasks, onClear }: BulkBarProps) {
  const text = useText()
  const { person } = useSignedIn()
  const { run, busy } = useBulk(projectUuid)
  const change = (what: Change) =>
    void run(
      tasks.map(({ uuid }) => uuid),
      what,
    )
  const [first, ...rest] = tasks.map(({ labels }) => labels)
  const common = (first ?? []).filter((name) => rest.every((labels) => labels.includes(name)))
  return (
    <div
      role="toolbar"
      data-bottom-bar
      aria-label={text("items.bulk")}
      aria-busy={busy}
      className="flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 shadow-(--shadow-raised) md:px-6"
    >
      <span className="text-sm font-medium tabular-nums" role="status">
        {text("items.chosen", { count: tasks.length })}
      </span>
      <IconButton icon={X} size="sm" className="mr-2 -ml-1" label={text("items.clearChoice")} onClick={onClear} />
      <LabelPicker
        projectUuid={projectUuid}
        chosen={common}
        onToggle={(name, on) => change(on ? { addLabels: [name] } : { removeLabels: [name] })}
        trigger={
          <Button size="sm" icon={Tag}>
            {text("items.labels")}
          </Button>
        }
      />
      <AssignMenu
        trigger={
          <Button size="sm" icon={UserPlus}>
            {text("items.assign")}
          </Button>
        }
        takeLabel={text("items.assignToMe")}
        onTake={() => change({ userUuid: person.uuid })}
        onAgent={(agentUuid) => change({ agentUuid })}
        onPerson={(userUuid) => change({ userUuid })}
      />
      <Menu
        trigger={
          <Button size="sm" icon={Signal}>
            {text("board.priority")}
          </Button>
        }
      >
        {(["high", "medium", "low"] as const).map((priority) => (
          <MenuItem key={priority} onSelect={() => change({ priority })}>
            {text(`board.priority.${priority}`)}
          </MenuItem>
        ))}
      </Menu>
      <DayField className="max-w-36" label={text("items.due")} value={null} onChange={(dueOn) => change({ dueOn })} />
      <Menu
        trigger={
          <Button size="sm" icon={SquareKanban}>
            {text("items.move")}
          </Button>
        }
      >
        {/* Work is accepted by who has seen it, task by task. */}
        {COLUMNS.filter(({ id }) => id !== "done").map(({ id, label }) => (
          <MenuItem key={id} onSelect={() => change({ status: id })}>
            {text(label)}
          </MenuItem>
        ))}
      </Menu>
      <Button size="sm" icon={CircleSlash} onClick={() => change({ status: "closed" })}>
        {text("items.close")}
      </Button>
    </div>
  )
}
