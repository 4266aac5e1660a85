import type { InputOf, ProjectId, runPolicy } from "@chorus/contracts"
import { tellsCost } from "@chorus/core"
import { type FormEvent, useState } from "react"
import { Button, Field, Input, Select, Switch, toast, Unsaved } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Row, Rows, Section } from "../settings/Section.tsx"
import { MODES } from "./RunChoice.tsx"
import { followRunners, PROGRAM_NAME } from "./run.ts"
import { MEASURES } from "./Spend.tsx"

const WORK = ["plan", "build", "review", "answer"] as const
const SCOPES = ["run", "task", "project", "day"] as const
const PROGRAMS = ["claude", "codex", "opencode", "qwen", "gemini"] as const
const UNTOLD = PROGRAMS.filter((program) => !tellsCost(program)).map((program) => PROGRAM_NAME[program])
/** Before what a machine starts word for word. */
const COMMAND = "command "
const followPolicy = reloadWhen<runPolicy.RunPolicy>(({ kind }) => kind === "project.run_policy_changed")

type Policy = runPolicy.RunPolicy
type Changes = Omit<InputOf<typeof runPolicy.updateRunPolicy>, "projectUuid">

/** What a project allows the agents that Chorus starts. */
export function RunPolicySection({
  projectUuid,
  disabled,
}: {
  readonly projectUuid: string
  readonly disabled: boolean
}) {
  const text = useText()
  const of = { projectUuid: projectUuid as ProjectId }
  const { answer: policy } = useOperation("chorus_get_run_policy", of, followPolicy)
  const update = useAction("chorus_update_run_policy")
  const [changed, setChanged] = useState(false)
  if (policy === undefined) return null
  const set = async (changes: Changes) => {
    const done = (await update.run({ ...of, ...changes })) !== undefined
    if (done) toast(text("action.saved"))
    return done
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (await set(changesIn(new FormData(event.currentTarget)))) setChanged(false)
  }
  return (
    <Section title={text("runs.policy")} lead={text("runs.policyLead")}>
      <Rows>
        {(["autopilot", "reviewFirst"] as const).map((rule) => (
          <Row key={rule}>
            <div className="flex-1">
              <Switch
                label={text(`runs.policy.${rule}`)}
                hint={text(`runs.policy.${rule}Hint`)}
                disabled={disabled}
                checked={policy[rule]}
                onChange={(value) => void set({ [rule]: value })}
              />
            </div>
          </Row>
        ))}
      </Rows>
      <Unsaved changed={changed} />
      <form
        key={JSON.stringify(policy)}
        onInput={() => setChanged(true)}
        onSubmit={(event) => void submit(event)}
        className="mt-4 grid gap-4"
      >
        <Field label={text("runs.policy.starters")}>
          {(field) => (
            <Select {...field} name="starters" disabled={disabled} defaultValue={policy.starters}>
              {(["agents", "people", "stewards"] as const).map((who) => (
                <option key={who} value={who}>
                  {text(`runs.policy.starters.${who}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <fieldset className="grid grid-cols-1 gap-2">
          <legend className="pb-2 text-sm font-medium text-muted">{text("runs.policy.work")}</legend>
          {WORK.map((work) => (
            <WorkChoice key={work} work={work} choice={policy.work[work]} disabled={disabled} />
          ))}
        </fieldset>
        <Field label={text("runs.policy.parallel")}>
          {(field) => (
            <Input
              {...field}
              name="parallel"
              type="number"
              min={1}
              max={64}
              className="max-w-32"
              disabled={disabled}
              defaultValue={policy.parallel ?? ""}
            />
          )}
        </Field>
        <table className="text-sm">
          <caption className="pb-2 text-left text-sm font-medium text-muted">{text("runs.policy.budgets")}</caption>
          <thead>
            <tr>
              <td />
              {MEASURES.map((measure) => (
                <th key={measure} scope="col" className="px-1 text-left font-normal text-faint">
                  {text(`runs.measure.${measure}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {SCOPES.map((scope) => (
              <tr key={scope}>
                <th scope="row" className="pr-2 text-left font-normal">
                  {text(`runs.scope.${scope}`)}
                </th>
                {MEASURES.map((measure) => (
                  <td key={measure} className="p-1">
                    <Input
                      compact
                      type="number"
                      min={0}
                      step={measure === "usd" ? "0.01" : "1"}
                      name={`${scope}.${measure}`}
                      aria-label={`${text(`runs.scope.${scope}`)}: ${text(`runs.measure.${measure}`)}`}
                      disabled={disabled}
                      defaultValue={policy.budgets[scope]?.[measure] ?? ""}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <p className="text-sm text-muted">{text("runs.policy.costUntold", { programs: UNTOLD.join(", ") })}</p>
        <fieldset className="grid grid-cols-1 gap-4 sm:grid-cols-3">
          <legend className="pb-2 text-sm font-medium text-muted">{text("runs.policy.watch")}</legend>
          {WATCHES.map(([watch, least, most]) => (
            <Field key={watch} label={text(`runs.policy.${watch}`)}>
              {(field) => (
                <Input
                  {...field}
                  type="number"
                  required
                  min={least}
                  max={most}
                  name={watch}
                  disabled={disabled}
                  defaultValue={policy[watch]}
                />
              )}
            </Field>
          ))}
        </fieldset>
        <div>
          <Button type="submit" tone="primary" disabled={disabled || update.busy}>
            {text("runs.policy.save")}
          </Button>
        </div>
      </form>
    </Section>
  )
}

/** What stops a run that gets nowhere or says so of one that is silent, with the least and the most. */
const WATCHES = [
  ["sameCalls", 3, 1000],
  ["stillTurns", 2, 1000],
  ["silentMinutes", 1, 1440],
] as const

/** The agent for one kind of work: program, model and mode; commands are offered as the machines allow them. */
function WorkChoice({
  work,
  choice,
  disabled,
}: {
  readonly work: (typeof WORK)[number]
  readonly choice: Policy["work"][(typeof WORK)[number]]
  readonly disabled: boolean
}) {
  const text = useText()
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const allowed = runners.flatMap(({ programs }) => programs.flatMap(({ commands = [] }) => commands))
  const commands = new Set([...(choice?.command === undefined ? [] : [choice.command]), ...allowed])
  const name = text(`runs.work.${work}`)
  const common = { compact: true, disabled } as const
  return (
    <div className="grid grid-cols-[6rem_repeat(3,minmax(0,1fr))] items-center gap-2">
      <span className="text-sm">{name}</span>
      <Select
        {...common}
        name={work}
        aria-label={`${name}: ${text("runs.program")}`}
        defaultValue={choice?.command === undefined ? (choice?.program ?? "") : `${COMMAND}${choice.command}`}
      >
        <option value="">{text("runs.usual")}</option>
        {PROGRAMS.map((program) => (
          <option key={program} value={program}>
            {PROGRAM_NAME[program]}
          </option>
        ))}
        {[...commands].map((command) => (
          <option key={command} value={`${COMMAND}${command}`}>
            {command}
          </option>
        ))}
      </Select>
      <Input
        {...common}
        name={`${work}.model`}
        aria-label={`${name}: ${text("runs.model")}`}
        placeholder={text("runs.model")}
        defaultValue={choice?.model ?? ""}
      />
      <Select
        {...common}
        name={`${work}.mode`}
        aria-label={`${name}: ${text("runs.mode")}`}
        defaultValue={choice?.mode ?? ""}
      >
        <option value="">{text("runs.usual")}</option>
        {MODES.map((mode) => (
          <option key={mode} value={mode}>
            {text(`runs.mode.${mode}`)}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** The form as the operation takes it; a field left empty is no limit, and a kind of work without a program is as usual. */
function changesIn(form: FormData): Changes {
  const numberIn = (name: string) => {
    const typed = String(form.get(name) ?? "").trim()
    return typed === "" ? undefined : Number(typed)
  }
  const work = WORK.flatMap((kind) => {
    const [chosen = "", model = "", mode = ""] = [kind, `${kind}.model`, `${kind}.mode`].map((name) =>
      String(form.get(name) ?? "").trim(),
    )
    if (chosen === "") return []
    const isCommand = chosen.startsWith(COMMAND)
    const program = isCommand ? { program: "command", command: chosen.slice(COMMAND.length) } : { program: chosen }
    return [[kind, { ...program, ...(model === "" ? {} : { model }), ...(mode === "" ? {} : { mode }) }] as const]
  })
  const budgets = SCOPES.map((scope) => {
    const limits = MEASURES.flatMap((measure) => {
      const limit = numberIn(`${scope}.${measure}`)
      return limit === undefined ? [] : [[measure, limit] as const]
    })
    return [scope, Object.fromEntries(limits)] as const
  })
  return {
    starters: String(form.get("starters")) as Policy["starters"],
    parallel: numberIn("parallel") ?? null,
    ...Object.fromEntries(WATCHES.map(([watch]) => [watch, numberIn(watch)])),
    work: Object.fromEntries(work) as Policy["work"],
    budgets: Object.fromEntries(budgets),
  }
}
