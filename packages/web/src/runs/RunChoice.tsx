import type { OutputOf, ProjectId, runPolicy, runs } from "@chorus/contracts"
import { usualProgram } from "@chorus/core"
import { useState } from "react"
import { Field, Input, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunners, PROGRAM_NAME } from "./run.ts"

export interface Choice {
  readonly program: runs.RunProgram | ""
  readonly command: string
  readonly model: string
  readonly mode: runs.RunMode | ""
  readonly machine: string
}

const NOTHING: Choice = { program: "", command: "", model: "", mode: "", machine: "" }
export const MODES: readonly runs.RunMode[] = ["ask", "edit", "all"]

const followPolicy = reloadWhen<OutputOf<typeof runPolicy.getRunPolicy>>(
  ({ kind }) => kind === "project.run_policy_changed",
)

export interface RunChoice {
  readonly choice: Choice
  readonly runners: readonly runs.RunnerRow[]
  readonly work: runs.RunWork
  /** Whether there is any agent to start where it is to be started. */
  readonly able: boolean
  set(change: Partial<Choice>): void
  /** What was chosen, as an operation takes it; kept to be offered first the next time. */
  take(): { program?: runs.RunProgram; command?: string; model?: string; mode?: runs.RunMode; machine?: string }
}

/** How an agent is to be put to work. What was chosen last for the same work is offered first. */
export function useRunChoice(work: runs.RunWork): RunChoice {
  const name = `chorus.run.${work}`
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const [picked, setChoice] = useState<Choice>(() => kept(name))
  const programs = programsOn(runners, picked.machine)
  // Where there is but one, nobody has to choose it.
  const only: Choice["program"] = programs.length === 1 && programs[0] !== "command" ? (programs[0] ?? "") : ""
  const choice: Choice = { ...picked, program: picked.program === "" ? only : picked.program }
  return {
    choice,
    runners,
    work,
    able: programs.length > 0,
    set: (change) => setChoice((before) => ({ ...before, ...change })),
    take() {
      localStorage.setItem(name, JSON.stringify(choice))
      const { program, command, model, mode, machine } = choice
      return {
        ...(program === "" ? {} : { program }),
        ...(program === "command" ? { command } : {}),
        ...(model.trim() === "" ? {} : { model: model.trim() }),
        ...(mode === "" ? {} : { mode }),
        ...(machine === "" ? {} : { machine }),
      }
    },
  }
}

export function RunChoiceFields({ choice, runners, work, set, projectUuid }: RunChoiceFieldsProps) {
  const text = useText()
  const here = runners.filter(({ present }) => present)
  const usual = useUsual(projectUuid, work, ableOn(here, choice.machine))
  const programs = programsOn(runners, choice.machine)
  const commands = [...new Set(ableOn(runners, choice.machine).flatMap((one) => one.commands ?? []))]
  return (
    <>
      <Field label={text("runs.program")}>
        {(field) => (
          <Select
            {...field}
            value={choice.program === "command" ? `command ${choice.command}` : choice.program}
            onChange={({ target: { value } }) =>
              value.startsWith("command ")
                ? set({ program: "command", command: value.slice("command ".length) })
                : set({ program: value as Choice["program"], command: "" })
            }
          >
            <option value="">
              {usual === undefined ? text("runs.usual") : text("runs.usualIs", { program: usual })}
            </option>
            {programs
              .filter((program) => program !== "command")
              .map((program) => (
                <option key={program} value={program}>
                  {PROGRAM_NAME[program]}
                </option>
              ))}
            {commands.map((command) => (
              <option key={command} value={`command ${command}`}>
                {command}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={text("runs.model")} hint={text("runs.modelHint")}>
        {(field) => <Input {...field} value={choice.model} onChange={(event) => set({ model: event.target.value })} />}
      </Field>
      <ModeField label={text("runs.mode")} mode={choice.mode} onChange={(mode) => set({ mode })} />
      <Field label={text("runs.machine")}>
        {(field) => (
          <Select {...field} value={choice.machine} onChange={(event) => set({ machine: event.target.value })}>
            <option value="">{text("runs.any")}</option>
            {runners.map(({ uuid, machine }) => (
              <option key={uuid} value={machine}>
                {machine}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {programs.length === 0 && <p className="text-sm text-muted">{text("runs.noProgram")}</p>}
    </>
  )
}

interface RunChoiceFieldsProps extends RunChoice {
  /** Where the work lies; null where that is not known. */
  readonly projectUuid: string | null
}

/** Which program does it where none is chosen. */
function useUsual(projectUuid: string | null, work: runs.RunWork, able: readonly runs.RunnerProgram[]) {
  const asked = projectUuid === null ? null : { projectUuid: projectUuid as ProjectId }
  const policy = useOperation("chorus_get_run_policy", asked, followPolicy).answer
  if (policy === undefined) return undefined
  const { program, command } = usualProgram(policy.work, work, able)
  return command ?? PROGRAM_NAME[program]
}

export function ModeField({
  label,
  mode,
  onChange,
}: {
  readonly label: string
  readonly mode: Choice["mode"]
  onChange(mode: Choice["mode"]): void
}) {
  const text = useText()
  return (
    <Field label={label}>
      {(field) => (
        <Select {...field} value={mode} onChange={(event) => onChange(event.target.value as Choice["mode"])}>
          <option value="">{text("runs.usual")}</option>
          {MODES.map((one) => (
            <option key={one} value={one}>
              {text(`runs.mode.${one}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

function ableOn(runners: readonly runs.RunnerRow[], machine: string): runs.RunnerProgram[] {
  return runners
    .filter((runner) => machine === "" || runner.machine === machine)
    .flatMap(({ programs }) => programs.filter(({ missing }) => missing === null))
}

function programsOn(runners: readonly runs.RunnerRow[], machine: string): runs.RunProgram[] {
  return [...new Set(ableOn(runners, machine).map(({ program }) => program))]
}

function kept(name: string): Choice {
  try {
    return { ...NOTHING, ...(JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<Choice>) }
  } catch {
    return NOTHING
  }
}
