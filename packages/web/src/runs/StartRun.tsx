import type { runs, TaskId } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { CirclePlay } from "lucide-react"
import { useState } from "react"
import { Button, Dialog, Field, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunners, PROGRAM_NAME } from "./run.ts"

const KEPT = "chorus.run"

interface Choice {
  readonly program: runs.RunProgram
  readonly machine: string
}

/** Puts an agent to work on a task; there once a machine is that runs any. What was chosen last is offered first. */
export function StartRun({ taskUuid }: { readonly taskUuid: string }) {
  const text = useText()
  const navigate = useNavigate()
  const start = useAction("chorus_start_run")
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const [open, setOpen] = useState(false)
  const [choice, setChoice] = useState<Choice>(kept)
  const offered = runners.filter(({ machine }) => choice.machine === "" || machine === choice.machine)
  const programs = [
    ...new Set(offered.flatMap(({ programs }) => programs.filter(({ missing }) => missing === null))),
  ].filter(({ program }) => program !== "command")
  const program = programs.find((one) => one.program === choice.program)?.program ?? programs[0]?.program
  if (runners.length === 0) return null
  const begin = async () => {
    if (program === undefined) return
    localStorage.setItem(KEPT, JSON.stringify({ ...choice, program }))
    const machine = choice.machine === "" ? {} : { machine: choice.machine }
    const run = await start.run({ taskUuid: taskUuid as TaskId, program, ...machine })
    if (run !== undefined) void navigate({ to: "/runs/$runUuid", params: { runUuid: run.uuid } })
  }
  return (
    <>
      <Button size="sm" icon={CirclePlay} onClick={() => setOpen(true)}>
        {text("runs.start")}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={text("runs.startTitle")}>
        <div className="grid grid-cols-1 gap-4">
          <Field label={text("runs.program")}>
            {(field) => (
              <Select
                {...field}
                value={program ?? ""}
                onChange={(event) => setChoice({ ...choice, program: event.target.value as runs.RunProgram })}
              >
                {programs.map((one) => (
                  <option key={one.program} value={one.program}>
                    {PROGRAM_NAME[one.program]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label={text("runs.machine")}>
            {(field) => (
              <Select
                {...field}
                value={choice.machine}
                onChange={(event) => setChoice({ ...choice, machine: event.target.value })}
              >
                <option value="">{text("runs.any")}</option>
                {runners.map(({ uuid, machine }) => (
                  <option key={uuid} value={machine}>
                    {machine}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {program === undefined && <p className="text-sm text-muted">{text("runs.noProgram")}</p>}
          <div className="flex justify-end">
            <Button tone="primary" disabled={program === undefined || start.busy} onClick={() => void begin()}>
              {text("runs.start")}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}

function kept(): Choice {
  try {
    return { program: "claude", machine: "", ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Choice>) }
  } catch {
    return { program: "claude", machine: "" }
  }
}
