import type { proposals, returned } from "@chorus/contracts"
import { Undo2 } from "lucide-react"
import { Badge, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Markdown } from "../markdown/Markdown.tsx"

type Back = returned.Returned | NonNullable<proposals.ProposalDetail["returned"]>

/** Why work or a plan came back, on top of it until it is handed in again. */
export function Returned({ returned: back }: { readonly returned: Back }) {
  const text = useText()
  const isWork = "failed" in back
  const failed = isWork ? back.failed : []
  const lines = "comments" in back ? (back.comments ?? []) : []
  return (
    <section
      aria-label={text(isWork ? "tasks.returned" : "proposals.returned")}
      className="grid grid-cols-1 gap-2 rounded-lg bg-waiting-soft px-4 py-3 text-sm"
    >
      <p className="flex flex-wrap items-center gap-2 font-medium text-waiting">
        <Undo2 aria-hidden className="size-4 shrink-0" />
        {text(isWork ? "tasks.returnedHandIn" : "proposals.returnedRevision", { number: back.handIn })}
        <span className="flex items-center gap-2 text-xs font-normal text-muted">
          <Who actor={back.by} />
          <When at={back.at} />
        </span>
      </p>
      {back.reason !== undefined && <Markdown source={back.reason} />}
      {failed.length + back.findings.length + lines.length > 0 && (
        <ul className="grid grid-cols-1 gap-1.5">
          {failed.map(({ uuid, criterion, evidence }) => (
            <li key={uuid}>
              <Badge tone="failed">{text("tasks.verdict.failed")}</Badge> <InlineCode text={criterion} />
              {evidence !== undefined && <Markdown source={evidence} className="mt-0.5 text-muted" />}
            </li>
          ))}
          {back.findings.map(({ key, text: words, by }) => (
            <li key={key}>
              <Badge>{key}</Badge> {words}
              {by !== undefined && <span className="text-xs text-faint"> {by}</span>}
            </li>
          ))}
          {lines.map(({ threadUuid, file, line, outdated, severity, text: words }) => (
            <li key={threadUuid} className="min-w-0 break-words">
              <Badge tone={severity === "blocker" ? "failed" : "todo"}>{`${file}:${line}`}</Badge> {words}{" "}
              {outdated !== undefined && <Badge tone="waiting">{text("changes.linesChanged")}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface HandInsProps {
  readonly handIns: readonly returned.HandIn[]
  /** The one whose return stands on top of the task, with its words. */
  readonly above: number | undefined
}

/** Every hand-in there was, newest first. */
export function HandIns({ handIns, above }: HandInsProps) {
  const text = useText()
  return (
    <ol aria-label={text("tasks.handIns")} className="mb-4 grid grid-cols-1 gap-2 text-sm">
      {handIns.toReversed().map((one) => (
        <li key={one.number} className="rounded-lg border border-line bg-surface px-4 py-2">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{text("tasks.handIn", { number: one.number })}</span>
            <Badge tone={one.outcome === "accepted" ? "done" : one.outcome === "returned" ? "waiting" : "todo"}>
              {text(`tasks.handIn.${one.outcome}`)}
            </Badge>
            <Who actor={one.decidedBy ?? one.submittedBy} />
            <When at={one.decidedAt ?? one.submittedAt} />
          </p>
          {one.reason !== null && one.number !== above && <Markdown source={one.reason} className="mt-1" />}
          {(one.number === above ? [] : one.failed).map(({ criterion, evidence }) => (
            <div key={criterion} className="mt-1 text-muted">
              <Badge tone="failed">{text("tasks.verdict.failed")}</Badge> <InlineCode text={criterion} />
              {evidence !== undefined && <Markdown source={evidence} className="mt-0.5" />}
            </div>
          ))}
        </li>
      ))}
    </ol>
  )
}
