import type { criteria, tasks } from "@chorus/contracts"
import { Check as Tick, ChevronRight, MessageSquareText, X } from "lucide-react"
import { useState } from "react"
import { Check } from "../checks/Check.tsx"
import { type Checks, useChecks } from "../checks/use-checks.ts"
import { Badge, classes, IconButton, ReasonDialog, Rows, StatusIcon, toast, When } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Markdown } from "../markdown/Markdown.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { VERDICT_TONE } from "./task-status.ts"

interface CriteriaProps {
  readonly task: tasks.TaskDetail
  readonly verdicts: readonly criteria.VerdictRow[]
}

/** What must be true at the end: the worker's own check and the verifier's verdict side by side, each with its evidence. */
export function Criteria({ task, verdicts }: CriteriaProps) {
  const text = useText()
  const { person } = useSignedIn()
  const mark = useAction("chorus_mark_acceptance_criteria")
  const checks = useChecks(task.uuid)
  const [failing, setFailing] = useState<criteria.CriterionRow>()
  const [noting, setNoting] = useState<criteria.CriterionRow>()
  const open = task.status === "in_progress" || task.status === "to_verify"
  const judge = (
    item: criteria.CriterionRow,
    status: "passed" | "failed",
    evidence = "",
    sendBack?: Promise<boolean>,
  ) =>
    mark.run(
      {
        taskUuid: task.uuid,
        criteria: [{ uuid: item.uuid, status, ...(evidence === "" ? {} : { evidence }) }],
        ...(sendBack === undefined ? {} : { sendBack: evidence }),
      },
      {
        held: sendBack,
        amend: [
          amending("chorus_get_task", { taskUuid: task.uuid }, (now) => ({
            ...now,
            acceptanceCriteriaItems: now.acceptanceCriteriaItems.map((each) =>
              each.uuid === item.uuid ? { ...each, status } : each,
            ),
          })),
        ],
      },
    )
  return (
    <>
      <Rows label={text("tasks.criteria")}>
        {task.acceptanceCriteriaItems.map((item) => (
          <Criterion
            key={item.uuid}
            taskUuid={task.uuid}
            item={item}
            handIn={task.handIns.length}
            checks={checks}
            verdicts={verdicts.filter(({ criterionUuid }) => criterionUuid === item.uuid)}
            onPass={open && mayChange(person) ? () => void judge(item, "passed") : undefined}
            onNote={open && mayChange(person) ? () => setNoting(item) : undefined}
            onFail={open && mayChange(person) ? () => setFailing(item) : undefined}
          />
        ))}
      </Rows>
      <ReasonDialog
        required
        open={noting !== undefined}
        draft={`pass.${noting?.uuid ?? ""}`}
        title={text("checks.passTitle")}
        lead={<InlineCode text={noting?.description ?? ""} />}
        confirm={text("tasks.pass")}
        onClose={() => setNoting(undefined)}
        onConfirm={async (words) => (noting === undefined ? undefined : judge(noting, "passed", words))}
      />
      <ReasonDialog
        open={failing !== undefined}
        draft={`fail.${failing?.uuid ?? ""}`}
        title={text("tasks.failTitle")}
        lead={<InlineCode text={failing?.description ?? ""} />}
        confirm={text("tasks.fail")}
        onClose={() => setFailing(undefined)}
        onConfirm={async (reason) => (failing === undefined ? undefined : judge(failing, "failed", reason))}
        {...(task.status === "to_verify" && {
          also: text("tasks.failAndSendBack"),
          alsoHolding: text("needsYou.deciding.sendBack", { title: task.title }),
          onBack: () => setFailing(failing),
          onAlso: async (reason: string, held?: Promise<boolean>) => {
            const done = failing === undefined ? undefined : await judge(failing, "failed", reason, held)
            if (done !== undefined) toast(text("needsYou.sentBack"))
            return done
          },
        })}
      />
    </>
  )
}

interface CriterionProps {
  readonly taskUuid: string
  readonly checks: Checks | undefined
  readonly item: criteria.CriterionRow
  /** The last one there was. */
  readonly handIn: number
  readonly verdicts: readonly criteria.VerdictRow[]
  readonly onPass: (() => void) | undefined
  /** Passes it with what the person saw. */
  readonly onNote: (() => void) | undefined
  readonly onFail: (() => void) | undefined
}

function Criterion({ taskUuid, item, handIn, checks, verdicts, onPass, onNote, onFail }: CriterionProps) {
  const text = useText()
  const [open, setOpen] = useState(false)
  const proof = item.devEvidence !== null || item.evidence !== null || verdicts.length > 0
  return (
    <li className="px-3 py-2">
      <div className="flex items-start gap-2">
        <StatusIcon tone={VERDICT_TONE[item.status]} className="mt-1" />
        <div className="min-w-0 flex-1">
          <p className="break-words">
            <InlineCode text={item.description} />
          </p>
          {item.command !== null && (
            <code className="mt-1 block rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs wrap-anywhere">
              {item.command}
            </code>
          )}
          {item.command !== null && (
            <Check taskUuid={taskUuid} item={{ criterionUuid: item.uuid, command: item.command }} answer={checks} />
          )}
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
            <Track name={text("tasks.track.dev")} status={item.devStatus} />
            <Track name={text("tasks.track.verifier")} status={item.status} />
            {!item.required && <Badge>{text("tasks.optional")}</Badge>}
            {proof && (
              <button
                type="button"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                className="inline-flex cursor-pointer items-center gap-0.5 text-muted hover:text-ink"
              >
                <ChevronRight
                  aria-hidden
                  className={classes("size-3 transition-transform duration-100", open && "rotate-90")}
                />
                {text("tasks.evidence")}
              </button>
            )}
          </div>
        </div>
        {onPass !== undefined && onNote !== undefined && onFail !== undefined && (
          <span className="flex shrink-0">
            <IconButton
              icon={Tick}
              size="sm"
              label={text("tasks.pass")}
              aria-pressed={item.status === "passed"}
              onClick={onPass}
              className={item.status === "passed" ? "text-done" : ""}
            />
            <IconButton icon={MessageSquareText} size="sm" label={text("checks.passWithNote")} onClick={onNote} />
            <IconButton
              icon={X}
              size="sm"
              label={text("tasks.fail")}
              aria-pressed={item.status === "failed"}
              onClick={onFail}
              className={item.status === "failed" ? "text-failed" : ""}
            />
          </span>
        )}
      </div>
      {open && <Proof item={item} handIn={handIn} verdicts={verdicts} />}
    </li>
  )
}

const VERDICT: Record<criteria.CriterionVerdict, TextKey> = {
  pending: "tasks.verdict.pending",
  passed: "tasks.verdict.passed",
  failed: "tasks.verdict.failed",
}

function Track({ name, status }: { readonly name: string; readonly status: criteria.CriterionVerdict }) {
  const text = useText()
  const colour = status === "passed" ? "text-done" : status === "failed" ? "text-failed" : ""
  return (
    <span>
      {name}
      {text("tasks.colon")}
      <span className={classes("font-medium", colour)}>{text(VERDICT[status])}</span>
    </span>
  )
}

/** Every mark there was, newest first: what was said, and what a command printed. */
function Proof({ item, handIn, verdicts }: Pick<CriterionProps, "item" | "handIn" | "verdicts">) {
  const text = useText()
  const kept = verdicts.length > 0 ? verdicts : bare(item, handIn)
  return (
    <ol className="mt-2 ml-5.5 grid gap-2">
      {kept.map((verdict) => (
        <li key={verdict.uuid} className="rounded-md bg-canvas px-3 py-2 text-sm">
          <p className="flex flex-wrap items-center gap-2 text-xs text-faint">
            <Track
              name={
                verdict.markedBy?.name ?? text(verdict.track === "dev" ? "tasks.track.dev" : "tasks.track.verifier")
              }
              status={verdict.status}
            />
            {verdict.exitCode !== null && (
              <Badge {...(verdict.track === "dev" ? {} : { tone: verdict.exitCode === 0 ? "done" : "failed" })}>
                {text(verdict.track === "dev" ? "checks.claimed" : "tasks.exitCode", { code: verdict.exitCode })}
              </Badge>
            )}
            {verdict.handIn < handIn && <Badge>{text("tasks.ofHandIn", { number: verdict.handIn })}</Badge>}
            {verdict.observed && <Badge>{text("tasks.observed")}</Badge>}
            {verdict.markedAt !== "" && <When at={verdict.markedAt} />}
          </p>
          {verdict.evidence !== null && verdict.evidence !== "" && (
            <Markdown source={verdict.evidence} className="mt-1" />
          )}
          {verdict.output !== null && verdict.output !== "" && (
            <pre
              tabIndex={0}
              className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap"
            >
              {verdict.output}
            </pre>
          )}
        </li>
      ))}
    </ol>
  )
}

function bare(item: criteria.CriterionRow, handIn: number): criteria.VerdictRow[] {
  const entry = (
    track: "dev" | "admin",
    status: criteria.CriterionVerdict,
    evidence: string | null,
    markedAt: string | null,
  ): criteria.VerdictRow[] =>
    status === "pending"
      ? []
      : [
          {
            uuid: track,
            criterionUuid: item.uuid,
            criterion: item.description,
            track,
            status,
            evidence,
            exitCode: null,
            observed: false,
            output: null,
            handIn,
            markedBy: null,
            markedAt: markedAt ?? "",
          },
        ]
  return [
    ...entry("admin", item.status, item.evidence, item.markedAt),
    ...entry("dev", item.devStatus, item.devEvidence, item.devMarkedAt),
  ]
}
