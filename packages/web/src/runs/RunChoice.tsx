import type { InputOf, OutputOf, ProjectId, runPolicy, runs } from "@chorus/contracts"
import { usualProgram } from "@chorus/core"
import { useState } from "react"
import { Checkbox, Field, Input, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { followRunners, PROGRAM_NAME } from "./run.ts"

export interface Choice {
  readonly program: runs.RunProgram | ""
  readonly command: string
  readonly model: string
  readonly mode: runs.RunMode | ""
  readonly machine: string
  /** Of those that the machine allows; it does not fit another project, so it is kept for each. */
  readonly folder: string
  readonly inPlace: boolean
}

const NOTHING: Choice = { program: "", command: "", model: "", mode: "", machine: "", folder: "", inPlace: false }
export const MODES: readonly runs.RunMode[] = ["ask", "edit", "all"]

const followPolicy = reloadWhen<OutputOf<typeof runPolicy.getRunPolicy>>(
  ({ kind }) => kind === "project.run_policy_changed",
)

export interface RunChoice {
  readonly choice: Choice
  readonly runners: readonly runs.RunnerRow[]
  readonly work: runs.RunWork
  /** Whether there is any agent to start where it is to be started, and a place for it is chosen. */
  readonly able: boolean
  /** Where it may work, if there is more than one place. */
  readonly folders: readonly string[]
  /** Whether a machine lets it work in the checkout itself. */
  readonly mayBeInPlace: boolean
  set(change: Partial<Choice>): void
  /** What was chosen, as an operation takes it; kept to be offered first the next time. */
  take(): Partial<Pick<InputOf<typeof runs.startRun>, keyof Choice>>
}

/** How an agent is to be put to work. What was chosen last for the same work is offered first. */
export function useRunChoice(work: runs.RunWork, projectUuid: string | null): RunChoice {
  const name = `chorus.run.${work}`
  const folderName = `chorus.run.folder.${projectUuid}`
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const project = useProjects().answer?.projects.find(({ uuid }) => uuid === projectUuid)?.name
  const [chosen, setChoice] = useState<Choice>(() => ({
    ...kept(name),
    folder: localStorage.getItem(folderName) ?? "",
    inPlace: false,
  }))
  const folders = foldersOn(runners, chosen.machine, project)
  const mayBeInPlace = ableOn(runners, chosen.machine).some(({ inPlace }) => inPlace === true)
  const picked: Choice = {
    ...chosen,
    folder: folders.includes(chosen.folder) ? chosen.folder : "",
    inPlace: chosen.inPlace && mayBeInPlace,
  }
  const programs = programsOn(runners, picked.machine)
  // Where there is but one, nobody has to choose it.
  const only: Choice["program"] = programs.length === 1 && programs[0] !== "command" ? (programs[0] ?? "") : ""
  const choice: Choice = { ...picked, program: picked.program === "" ? only : picked.program }
  return {
    choice,
    runners,
    work,
    able: programs.length > 0 && (folders.length === 0 || picked.folder !== ""),
    folders,
    mayBeInPlace,
    set: (change) => setChoice((before) => ({ ...before, ...change })),
    take() {
      localStorage.setItem(name, JSON.stringify(choice))
      const { program, command, model, mode, machine, folder, inPlace } = choice
      if (folder !== "") localStorage.setItem(folderName, folder)
      return {
        ...(program === "" ? {} : { program }),
        ...(program === "command" ? { command } : {}),
        ...(model.trim() === "" ? {} : { model: model.trim() }),
        ...(mode === "" ? {} : { mode }),
        ...(machine === "" ? {} : { machine }),
        ...(folder === "" ? {} : { folder }),
        ...(inPlace ? { inPlace } : {}),
      }
    },
  }
}

export function RunChoiceFields(props: RunChoiceFieldsProps) {
  const { choice, runners, work, set, projectUuid, folders, mayBeInPlace } = props
  const text = useText()
  const here = runners.filter(({ present }) => present)
  const usual = useUsual(projectUuid, work, ableOn(here, choice.machine))
  const program = choice.program === "" ? usual?.program : choice.program
  const lacks = ableOn(runners, choice.machine).find((one) => one.program === program)?.lacks ?? []
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
              {usual === undefined ? text("runs.usual") : text("runs.usualIs", { program: usual.name })}
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
      {lacks.length > 0 && (
        <div className="text-xs text-muted">
          <p>{text("runs.lacks")}</p>
          <ul className="list-disc pl-5">
            {lacks.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
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
      {folders.length > 0 && (
        <Field label={text("runs.folder")}>
          {(field) => (
            <Select {...field} value={choice.folder} onChange={({ target }) => set({ folder: target.value })}>
              <option value="">{text("runs.chooseFolder")}</option>
              {folders.map((path) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {mayBeInPlace && (
        <Checkbox checked={choice.inPlace} onChange={(inPlace) => set({ inPlace })} label={text("runs.inPlace")} />
      )}
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
  return { program, name: command ?? PROGRAM_NAME[program] }
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

/** None where each machine has but one for this project. */
function foldersOn(runners: readonly runs.RunnerRow[], machine: string, project: string | undefined): string[] {
  const named = runners.filter((runner) => machine === "" || runner.machine === machine)
  const open = named.map(({ folders }) => {
    const own = folders.filter((folder) => folder.project !== undefined && folder.project === project)
    return own.length > 0 ? own : folders.filter((folder) => folder.project === undefined)
  })
  if (open.every((folders) => folders.length < 2)) return []
  return [...new Set(open.flat().map(({ path }) => path))].toSorted()
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
