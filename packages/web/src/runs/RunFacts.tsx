import { isEnded, tellsCost } from "@chorus/core"
import type { OutputOf, ProjectId, runPolicy, TaskId } from "@chorus/contracts"
import { Link, useNavigate } from "@tanstack/react-router"
import { GitFork, Undo2 } from "lucide-react"
import { useState } from "react"
import { Button, Dialog, Fact, Facts, Field, IconButton, Input, Section, When, Who } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { followRows } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { BudgetFields, useBudget } from "./BudgetFields.tsx"
import { type Choice, ModeField } from "./RunChoice.tsx"
import { PROGRAM_NAME, type Run } from "./run.ts"
import { RunTime } from "./RunTime.tsx"
import { Amounts, spent, useSpend } from "./Spend.tsx"

const followRules = followRows<OutputOf<typeof runPolicy.listRunRules>>({ entity: "run_rule", rows: "rules" })

/** Where a run stands: its work, its worktree, what it used, and what was said yes to once for all. */
export function RunFacts({ run }: { readonly run: Run }) {
  const text = useText()
  const format = useFormat()
  const { person } = useSignedIn()
  const spend = useSpend({ runUuid: run.uuid })
  const task = useSpend(run.taskUuid === null ? { runUuid: run.uuid } : { taskUuid: run.taskUuid as TaskId })
  const project = useSpend({ projectUuid: run.projectUuid as ProjectId })
  return (
    <div className="grid grid-cols-1 content-start gap-6">
      <Facts>
        {run.reason !== null && (
          <Fact name={text("runs.reason")}>
            <Reason text={run.reason} />
          </Fact>
        )}
        {run.warning !== null && (
          <Fact name={text("runs.warning")}>
            <Reason text={run.warning} />
          </Fact>
        )}
        <Fact name={text("runs.workName")}>{text(`runs.work.${run.work}`)}</Fact>
        <Fact name={text(run.taskUuid === null ? "runs.idea" : "runs.task")}>
          <Subject run={run} />
        </Fact>
        <Fact name={text("runs.program")}>{[PROGRAM_NAME[run.program], run.model].filter(Boolean).join(" · ")}</Fact>
        {run.mode !== null && <Fact name={text("runs.mode")}>{text(`runs.mode.${run.mode}`)}</Fact>}
        <Fact name={text("runs.machine")}>{run.machine ?? text("runs.any")}</Fact>
        <Fact name={text("runs.startedBy")}>
          <Who actor={run.startedBy} />
          <When at={run.createdAt} />
        </Fact>
        {run.forkOf !== null && (
          <Fact name={text("runs.forkOf")}>
            <Link to="/runs/$runUuid" params={{ runUuid: run.forkOf }} className="text-accent hover:underline">
              {run.forkTurn === null ? text("runs.end") : text("runs.turn", { turn: run.forkTurn })}
            </Link>
          </Fact>
        )}
        {run.branch !== null && (
          <Fact name={text("runs.branch")}>
            <code className="break-all">{run.branch}</code>
          </Fact>
        )}
        {run.worktree !== null && (
          <Fact name={text("runs.worktree")}>
            <code className="text-xs break-all">{run.worktree}</code>
          </Fact>
        )}
        {run.startedAt !== null && (
          <Fact name={text("runs.time")}>
            <RunTime run={run} />
          </Fact>
        )}
        <Fact name={text("runs.tokens")}>
          {text("runs.used", {
            input: format.number(run.usage.inputTokens),
            output: format.number(run.usage.outputTokens),
          })}
        </Fact>
        {spend !== undefined && (
          <Fact name={text("runs.thisRun")}>
            <Amounts of={spent(spend.total)} />
            {Object.keys(run.budget).length > 0 && (
              <span className="text-muted">
                {text("runs.ofBudget")} <Amounts of={run.budget} />
              </span>
            )}
          </Fact>
        )}
        {run.taskUuid !== null && task !== undefined && (
          <Fact name={text("runs.wholeTask")}>
            <Amounts of={spent(task.total)} />
          </Fact>
        )}
        {project !== undefined && (
          <Fact name={text("runs.wholeProject")}>
            <Amounts of={spent(project.total)} />
          </Fact>
        )}
      </Facts>
      {mayChange(person) && <ChangeRun run={run} />}
      {spend !== undefined && spend.turns.length > 0 && (
        <Section title={text("runs.turns")} count={run.turns}>
          <ol className="grid gap-1 text-xs">
            {spend.turns.map(({ turn, ...used }) => (
              <li key={turn} className="flex flex-wrap items-center gap-2">
                <span>{text("runs.turn", { turn })}</span>
                <span className="text-faint">
                  <Amounts of={spent(used)} />
                </span>
                {mayChange(person) && isEnded(run.state) && <Fork run={run} turn={turn} />}
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Rules run={run} />
    </div>
  )
}

function Subject({ run }: { readonly run: Run }) {
  const { projectUuid, taskUuid, ideaUuid, taskTitle } = run
  const className = "min-w-0 text-accent wrap-anywhere hover:underline"
  if (taskUuid !== null)
    return (
      <Link to="/projects/$projectUuid/tasks/$taskUuid" params={{ projectUuid, taskUuid }} className={className}>
        {taskTitle}
      </Link>
    )
  return (
    <Link
      to="/projects/$projectUuid/ideas/$ideaUuid"
      params={{ projectUuid, ideaUuid: ideaUuid ?? "" }}
      className={className}
    >
      {taskTitle}
    </Link>
  )
}

function ChangeRun({ run }: { readonly run: Run }) {
  const text = useText()
  const change = useAction("chorus_change_run")
  const [open, setOpen] = useState(false)
  const [model, setModel] = useState(run.model ?? "")
  const [mode, setMode] = useState<Choice["mode"]>(run.mode ?? "")
  const limits = useBudget(run.budget)
  const save = async () => {
    const done = await change.run({
      runUuid: run.uuid,
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(mode === "" ? {} : { mode }),
      budget: limits.budget ?? {},
    })
    if (done !== undefined) setOpen(false)
  }
  return (
    <div>
      <Button size="sm" onClick={() => setOpen(true)}>
        {text("runs.change")}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={text("runs.changeTitle")}>
        <div className="grid grid-cols-1 gap-4">
          <Field label={text("runs.model")}>
            {(field) => <Input {...field} value={model} onChange={(event) => setModel(event.target.value)} />}
          </Field>
          <ModeField label={text("runs.mode")} mode={mode} onChange={setMode} />
          <BudgetFields {...limits} />
          {limits.budget?.usd !== undefined && !tellsCost(run.program) && (
            <p className="text-sm text-waiting">{text("runs.costUntold", { program: PROGRAM_NAME[run.program] })}</p>
          )}
          <div className="flex justify-end">
            <Button tone="primary" disabled={change.busy || !limits.fits} onClick={() => void save()}>
              {text("action.save")}
            </Button>
          </div>
        </div>
      </Dialog>
    </div>
  )
}

function Fork({ run, turn }: { readonly run: Run; readonly turn: number }) {
  const text = useText()
  const navigate = useNavigate()
  const fork = useAction("chorus_fork_run")
  const begin = async () => {
    const made = await fork.run({ runUuid: run.uuid, turn })
    if (made !== undefined) void navigate({ to: "/runs/$runUuid", params: { runUuid: made.uuid }, ignoreBlocker: true })
  }
  return (
    <IconButton icon={GitFork} label={text("runs.fork", { turn })} disabled={fork.busy} onClick={() => void begin()} />
  )
}

function Rules({ run }: { readonly run: Run }) {
  const text = useText()
  const { person } = useSignedIn()
  const revoke = useAction("chorus_revoke_run_rule")
  const { answer } = useOperation("chorus_list_run_rules", { runUuid: run.uuid }, followRules)
  const rules = (answer?.rules ?? []).filter(
    ({ projectUuid, runUuid }) => projectUuid === run.projectUuid && (runUuid === null || runUuid === run.uuid),
  )
  if (rules.length === 0) return null
  return (
    <Section title={text("runs.rules")} count={rules.length}>
      <ul className="grid gap-1 text-xs">
        {rules.map((rule) => (
          <li key={rule.uuid} className="flex items-center gap-2">
            <code className="min-w-0 flex-1 wrap-anywhere">{rule.title}</code>
            <span className="text-faint">{text(rule.runUuid === null ? "runs.wholeProject" : "runs.thisRun")}</span>
            {mayChange(person) && (
              <IconButton
                icon={Undo2}
                label={text("runs.revoke", { title: rule.title })}
                disabled={revoke.busy}
                onClick={() => void revoke.run({ ruleUuid: rule.uuid })}
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
