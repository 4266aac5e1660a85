import type { ideas } from "@chorus/contracts"
import { isEnded } from "@chorus/core"
import { Ellipsis, FolderInput, Pencil, Trash2, Undo2, UserPlus } from "lucide-react"
import { useState } from "react"
import { AskDialog, Button, Field, IconButton, Menu, MenuItem, MenuLine, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useProjects } from "../projects/use-projects.ts"
import { useWorkRuns } from "../runs/WorkRuns.tsx"
import { StartRun } from "../runs/StartRun.tsx"
import { AssignMenu } from "../tasks/AssignMenu.tsx"

interface IdeaActionsProps {
  readonly idea: ideas.IdeaDetail
  onEdit(): void
  onMoved(projectUuid: string): void
  onDeleted(): void
}

export function IdeaActions({ idea, onEdit, onMoved, onDeleted }: IdeaActionsProps) {
  const text = useText()
  const [asking, setAsking] = useState<"delete" | "move">()
  const claim = useAction("chorus_claim_idea")
  const release = useAction("chorus_release_idea")
  const assign = useAction("chorus_pm_assign_idea")
  const remove = useAction("chorus_admin_delete_idea")
  const ideaUuid = idea.uuid
  const { runs } = useWorkRuns({ ideaUuid })
  // An agent is at it already; its run stands on the same page.
  const isPlanned = runs.some(({ work, state }) => work === "plan" && !isEnded(state))
  const close = () => setAsking(undefined)
  const erase = async () => ((await remove.run({ ideaUuid })) === undefined ? close() : onDeleted())
  return (
    <>
      {!idea.isContainer && idea.derivedStatus !== "done" && !isPlanned && (
        <StartRun ideaUuid={ideaUuid} projectUuid={idea.projectUuid} work="plan" />
      )}
      {!idea.isContainer && (
        <AssignMenu
          trigger={
            <Button size="sm" icon={UserPlus}>
              {text("tasks.assign")}
            </Button>
          }
          takeLabel={text("tasks.claim")}
          onTake={() => void claim.run({ ideaUuid })}
          onAgent={(assigneeUuid) => void assign.run({ ideaUuid, assigneeType: "agent", assigneeUuid })}
          onPerson={(assigneeUuid) => void assign.run({ ideaUuid, assigneeType: "user", assigneeUuid })}
        />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={text("action.more")} />} align="end">
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {text("action.edit")}
        </MenuItem>
        {idea.assignee !== null && (
          <MenuItem icon={Undo2} onSelect={() => void release.run({ ideaUuid })}>
            {text("tasks.release")}
          </MenuItem>
        )}
        <MenuItem icon={FolderInput} onSelect={() => setAsking("move")}>
          {text("ideas.move")}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} danger onSelect={() => setAsking("delete")}>
          {text("action.delete")}
        </MenuItem>
      </Menu>
      {asking === "move" && <MoveIdea idea={idea} onMoved={onMoved} onClose={close} />}
      <AskDialog
        open={asking === "delete"}
        title={text("ideas.deleteTitle")}
        description={text("ideas.deleteLead")}
        confirm={text("action.delete")}
        tone="danger"
        disabled={remove.busy}
        onClose={close}
        onConfirm={() => void erase()}
      >
        <p className="font-medium">{idea.title}</p>
      </AskDialog>
    </>
  )
}

function MoveIdea({
  idea,
  onMoved,
  onClose,
}: {
  readonly idea: ideas.IdeaDetail
  onMoved(projectUuid: string): void
  onClose(): void
}) {
  const text = useText()
  const move = useAction("chorus_move_idea")
  const others = useProjects().answer?.projects.filter(({ uuid }) => uuid !== idea.projectUuid) ?? []
  const [target, setTarget] = useState("")
  const send = async () => {
    if ((await move.run({ ideaUuid: idea.uuid, targetProjectUuid: target })) !== undefined) onMoved(target)
  }
  return (
    <AskDialog
      open
      title={text("ideas.move")}
      description={text("ideas.moveLead")}
      confirm={text("ideas.moveConfirm")}
      disabled={target === "" || move.busy}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <Field label={text("ideas.moveTo")}>
        {(ids) => (
          <Select {...ids} value={target} onChange={(event) => setTarget(event.target.value)}>
            <option value="">{text("ideas.chooseProject")}</option>
            {others.map(({ uuid, name }) => (
              <option key={uuid} value={uuid}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </AskDialog>
  )
}
