import type { tasks } from "@chorus/contracts"
import { isFinished, nextTaskStatus } from "@chorus/core"
import { Check, Ellipsis, Eraser, Pencil, Split, Trash2, Undo2, UserPlus, X } from "lucide-react"
import { useState } from "react"
import { SendBack } from "../attention/SendBack.tsx"
import { VerifyTask } from "../attention/VerifyTask.tsx"
import { AskDialog, Button, Dialog, IconButton, Menu, MenuItem, MenuLine, ReasonDialog } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLandings } from "../landings/landing.ts"
import { StartRun } from "../runs/StartRun.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AssignMenu } from "./AssignMenu.tsx"
import { becoming } from "./becoming.ts"
import { SplitTask } from "./SplitTask.tsx"
import { mayMeasure } from "./task-status.ts"

interface TaskActionsProps {
  readonly task: tasks.TaskDetail
  onEdit(): void
  onDeleted(): void
}

/** What a person can do with a task as it stands. */
export function TaskActions({ task, onEdit, onDeleted }: TaskActionsProps) {
  const text = useText()
  const { person } = useSignedIn()
  const [asking, setAsking] = useState<"verify" | "reopen" | "release" | "split" | "delete" | "discard">()
  const claim = useAction("chorus_claim_task")
  const release = useAction("chorus_release_task")
  const assignAgent = useAction("chorus_pm_assign_task")
  const assignPerson = useAction("chorus_assign_task_to_person")
  const move = useAction("chorus_move_task")
  const close = useAction("chorus_admin_close_task")
  const remove = useAction("chorus_admin_delete_task")
  const land = useAction("chorus_land_change")
  const landing = useLandings(task.uuid).answer
  if (!mayChange(person)) return null
  const taskUuid = task.uuid
  const can = (action: Parameters<typeof nextTaskStatus>[1]) => nextTaskStatus(task.status, action) !== undefined
  const isOthers = task.assignee !== null && task.assignee.uuid !== person.uuid
  const between = task.dependsOn.length > 0 && task.dependedBy.length > 0
  return (
    <div data-actions className="flex flex-wrap items-center gap-2">
      {can("claim") && (
        <AssignMenu
          trigger={
            <Button icon={UserPlus} size="sm">
              {text("tasks.assign")}
            </Button>
          }
          takeLabel={text("tasks.claim")}
          onTake={() => void claim.run({ taskUuid })}
          onAgent={(agentUuid) => void assignAgent.run({ taskUuid, agentUuid })}
          onPerson={(userUuid) => void assignPerson.run({ taskUuid, userUuid })}
        />
      )}
      {!isFinished(task.status) && (
        <StartRun
          taskUuid={taskUuid}
          projectUuid={task.projectUuid}
          work={task.status === "to_verify" ? "review" : "build"}
        />
      )}
      {can("start") && (
        <Button
          size="sm"
          disabled={move.busy || task.blockers.length > 0}
          onClick={() => void move.run({ taskUuid, status: "in_progress" }, { amend: becoming(task, "in_progress") })}
        >
          {text("tasks.start")}
        </Button>
      )}
      {can("submit") && (
        <Button
          size="sm"
          disabled={move.busy}
          onClick={() => void move.run({ taskUuid, status: "to_verify" }, { amend: becoming(task, "to_verify") })}
        >
          {text("tasks.submit")}
        </Button>
      )}
      {can("verify") && (
        <>
          <Button size="sm" icon={Undo2} onClick={() => setAsking("reopen")}>
            {text("needsYou.sendBack")}
          </Button>
          <Button size="sm" tone="primary" icon={Check} onClick={() => setAsking("verify")}>
            {text("needsYou.verify")}
          </Button>
        </>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={text("action.more")} />} align="end">
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {text("action.edit")}
        </MenuItem>
        {mayMeasure(task.status) && (
          <MenuItem icon={Split} onSelect={() => setAsking("split")}>
            {text("tasks.split")}
          </MenuItem>
        )}
        {can("release") && (
          <MenuItem icon={Undo2} onSelect={() => (isOthers ? setAsking("release") : void release.run({ taskUuid }))}>
            {text("tasks.release")}
          </MenuItem>
        )}
        {can("reopen") && !can("verify") && (
          <MenuItem icon={Undo2} onSelect={() => setAsking("reopen")}>
            {text("tasks.reopen")}
          </MenuItem>
        )}
        {can("close") && task.status !== "done" && (
          <MenuItem icon={X} onSelect={() => void close.run({ taskUuid }, { amend: becoming(task, "closed") })}>
            {text("tasks.close")}
          </MenuItem>
        )}
        <MenuLine />
        {landing?.landable === true && (
          <MenuItem icon={Eraser} danger onSelect={() => setAsking("discard")}>
            {text("landings.discard")}
          </MenuItem>
        )}
        <MenuItem icon={Trash2} danger onSelect={() => setAsking("delete")}>
          {text("action.delete")}
        </MenuItem>
      </Menu>
      {asking === "verify" && <VerifyTask task={task} onClose={() => setAsking(undefined)} />}
      {asking === "reopen" && (
        <SendBack
          of={task}
          amend={becoming(task, nextTaskStatus(task.status, "reopen") ?? task.status)}
          onClose={() => setAsking(undefined)}
          onBack={() => setAsking("reopen")}
        />
      )}
      {asking === "split" && <SplitTask task={task} onClose={() => setAsking(undefined)} />}
      <ReasonDialog
        open={asking === "release"}
        draft={`release.${taskUuid}`}
        title={text("tasks.release")}
        lead={text("tasks.releaseLead", { name: task.assignee?.name ?? "" })}
        confirm={text("tasks.release")}
        onClose={() => setAsking(undefined)}
        onConfirm={(reason) => release.run({ taskUuid, ...(reason === "" ? {} : { reason }) })}
      />
      <AskDialog
        open={asking === "discard"}
        tone="danger"
        title={text("landings.discard")}
        description={text("landings.discardLead")}
        confirm={text("landings.discard")}
        disabled={land.busy}
        onClose={() => setAsking(undefined)}
        onConfirm={() => {
          setAsking(undefined)
          void land.run({ taskUuid, act: "discard" })
        }}
      >
        <p className="font-medium">{task.title}</p>
      </AskDialog>
      <Dialog
        open={asking === "delete"}
        onOpenChange={() => setAsking(undefined)}
        title={text("tasks.deleteTitle")}
        description={`${text("tasks.deleteLead")}${between ? ` ${text("tasks.deleteBridge")}` : ""}`}
        footer={
          <>
            <Button onClick={() => setAsking(undefined)}>{text("action.cancel")}</Button>
            <Button
              tone="danger"
              onClick={() => {
                setAsking(undefined)
                const input = between ? { taskUuid, neighbours: "bridge" as const } : { taskUuid }
                void remove.run(input).then((done) => done !== undefined && onDeleted())
              }}
            >
              {text("action.delete")}
            </Button>
          </>
        }
      >
        <p className="font-medium">{task.title}</p>
      </Dialog>
    </div>
  )
}
