import type { checks, CriterionId, TaskId } from "@chorus/contracts"
import { Bot, Play, ShieldCheck, TriangleAlert, User } from "lucide-react"
import { useMemo, useState } from "react"
import { Badge, Button, classes, Nothing, Rows, Section, type Tone, When } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Output } from "../output/Output.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { byStanding, type Checks, isTrusted, newestOf, STANDINGS } from "./use-checks.ts"

const TONE: Record<checks.CheckState, Tone> = {
  queued: "waiting",
  running: "progress",
  passed: "done",
  failed: "failed",
  not_run: "todo",
}
const ICON = { chorus: ShieldCheck, person: User, agent: Bot } as const
const SAID: Record<checks.CheckSource, TextKey> = {
  chorus: "checks.by.chorus",
  person: "checks.by.person",
  agent: "checks.by.agent",
}

interface CheckProps {
  readonly taskUuid: string
  readonly item: Pick<checks.Checkable, "criterionUuid" | "command">
  readonly answer: Checks | undefined
}

/** What running a command gave, and whose word that is; with what can be done about it. */
export function Check({ taskUuid, item, answer }: CheckProps) {
  const text = useText()
  const { person } = useSignedIn()
  const run = useAction("chorus_run_checks")
  const approve = useAction("chorus_approve_check")
  const [open, setOpen] = useState(false)
  const about = answer?.checkable.find(
    ({ criterionUuid, command }) => criterionUuid === item.criterionUuid && command === item.command,
  )
  const check = newestOf(answer, item)
  const pending = check?.state === "queued" || check?.state === "running"
  const of = { taskUuid: taskUuid as TaskId, command: item.command }
  if (about === undefined) return null
  return (
    <div className="mt-1 grid grid-cols-1 gap-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        {check === undefined ? (
          <span className="text-faint">{text(about.approved ? "checks.notYet" : "checks.notApproved")}</span>
        ) : (
          <Result check={check} />
        )}
        {check !== undefined && check.outputBytes + check.tail.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="cursor-pointer text-muted hover:text-ink hover:underline"
          >
            {text("checks.output")}
          </button>
        )}
        {mayChange(person) && !about.approved && item.criterionUuid !== null && (
          <Button
            size="sm"
            disabled={approve.busy}
            onClick={() => void approve.run({ ...of, criterionUuid: item.criterionUuid as CriterionId })}
          >
            {text("checks.approve")}
          </Button>
        )}
        {mayChange(person) && about.approved && answer?.obstacle === null && (
          <Button size="sm" tone="ghost" icon={Play} disabled={pending || run.busy} onClick={() => void run.run(of)}>
            {text(check === undefined ? "checks.run" : "checks.again")}
          </Button>
        )}
      </div>
      {about.approved && answer?.obstacle !== null && !pending && check === undefined && (
        <p className="text-xs wrap-anywhere text-faint">
          <Reason text={answer?.obstacle ?? ""} />
        </p>
      )}
      {open && check !== undefined && <Printed taskUuid={taskUuid} check={check} />}
    </div>
  )
}

function Result({ check }: { readonly check: checks.CheckRow }) {
  const text = useText()
  const Icon = ICON[check.source]
  const { state, source, exitCode, reason, durationMs, machine, environment, touched, version, outdated } = check
  const isOver = state === "passed" || state === "failed"
  const who = source === "person" ? (check.by?.name ?? "") : ""
  return (
    <>
      <span
        title={environment ?? undefined}
        className={classes(
          "inline-flex items-center gap-1 rounded-md px-1.5 py-0.5",
          source === "chorus" ? "bg-accent-soft font-medium text-accent" : "bg-sunken",
        )}
      >
        <Icon aria-hidden className="size-3.5" />
        {text(SAID[source], { name: who })}
      </span>
      <Badge tone={outdated || (state === "passed" && !isTrusted(check)) ? "waiting" : TONE[state]}>
        {text(outdated && isOver ? `checks.earlier.${state}` : `checks.state.${state}`)}
      </Badge>
      {version !== null && !outdated && <span>{text("checks.onVersion", { version })}</span>}
      {exitCode !== null && <span>{text("tasks.exitCode", { code: exitCode })}</span>}
      {durationMs !== null && (
        <span className="tabular-nums">{text("checks.took", { seconds: (durationMs / 1000).toFixed(1) })}</span>
      )}
      {machine !== null && <span className="truncate">{text("checks.on", { machine })}</span>}
      {check.endedAt !== null && <When at={check.endedAt} />}
      {reason !== null && (
        <span className="w-full wrap-anywhere">
          <Reason text={reason} />
        </span>
      )}
      {outdated && (
        <span className="w-full wrap-anywhere text-waiting">
          {version === null ? text("checks.otherWork") : text("checks.outdated", { version })}
        </span>
      )}
      {touched.length > 0 && (
        <span className="flex w-full items-start gap-1 wrap-anywhere text-waiting">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {text("checks.touched", { files: touched.join(", ") })}
        </span>
      )}
    </>
  )
}

/** The end of it comes with the row; the rest is asked for. */
function Printed({ taskUuid, check }: { readonly taskUuid: string; readonly check: checks.CheckRow }) {
  const ended = check.endedAt !== null
  const follow = useMemo(
    () =>
      reloadWhen<Checks>(
        ({ entityType, entityUuid, patch }) =>
          entityType === "check" && entityUuid === check.uuid && patch.endedAt !== null,
      ),
    [check.uuid],
  )
  const of = { taskUuid: taskUuid as TaskId, checkUuid: check.uuid }
  const whole = useOperation("chorus_get_checks", of, follow).answer
  return <Output text={(ended ? whole?.output : undefined) ?? check.tail} className="max-h-64" />
}

interface ProjectChecksProps {
  readonly taskUuid: string
  readonly answer: Checks | undefined
}

/** What the project asks of all work, beside the criteria of this. */
export function ProjectChecks({ taskUuid, answer }: ProjectChecksProps) {
  const text = useText()
  const common = answer?.checkable.filter(({ criterionUuid }) => criterionUuid === null) ?? []
  if (common.length === 0) return null
  return (
    <Section title={text("checks.project")}>
      <Rows label={text("checks.project")}>
        {common.map((item) => (
          <li key={item.command} className="px-3 py-2">
            <p className="wrap-anywhere">{item.name}</p>
            <code className="mt-1 block rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs wrap-anywhere">
              {item.command}
            </code>
            <Check taskUuid={taskUuid} item={item} answer={answer} />
          </li>
        ))}
      </Rows>
    </Section>
  )
}

/** How the checks stand, in one line. */
export function ChecksInShort({ answer }: { readonly answer: Checks | undefined }) {
  const text = useText()
  if (answer === undefined || answer.checkable.length === 0) return <Nothing>{text("checks.none")}</Nothing>
  const standing = byStanding(answer)
  const counts = STANDINGS.flatMap((each) => {
    const count = standing[each]?.length ?? 0
    return count === 0 ? [] : [text(`checks.count.${each}`, { count })]
  })
  const total = text("checks.short", { count: answer.checkable.length })
  return <p className="text-sm text-muted">{`${total}${text("tasks.colon")}${counts.join(" · ")}`}</p>
}
