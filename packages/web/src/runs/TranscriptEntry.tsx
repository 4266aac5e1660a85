import { ChevronDown, ChevronRight } from "lucide-react"
import { useMemo, useState } from "react"
import { Button, When } from "../design/index.ts"
import { DiffView } from "../diff/DiffView.tsx"
import { linesBetween } from "../diff/lines.ts"
import { type Translate, useText, useWritten } from "../i18n/language.ts"
import { reasonIn } from "../i18n/reason.ts"
import type { Written } from "../i18n/written.ts"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { Output } from "../output/Output.tsx"
import type { Entry } from "./run.ts"

const SHORT = 600

interface EntryProps {
  readonly entry: Entry
  readonly runUuid: string
}

interface FoldingProps {
  /** What stands above it. */
  readonly before: Entry | undefined
  /** Whether of what its sub-agent said and did only the name is shown. */
  readonly folded: boolean
  onFold(): void
}

/** One thing that was said or done. Whatever an agent wrote is shown, never followed. */
export function TranscriptEntry({ entry, runUuid, before, folded, onFold }: EntryProps & FoldingProps) {
  const text = useText()
  if (entry.child === null) return <Said entry={entry} runUuid={runUuid} />
  const { agent } = entry.data
  const Chevron = folded ? ChevronRight : ChevronDown
  return (
    <div className="min-w-0 border-l-2 border-line pl-3">
      {before?.child !== entry.child && (
        <button
          type="button"
          aria-expanded={!folded}
          className="flex cursor-pointer items-center gap-1 text-xs text-faint hover:text-ink"
          onClick={onFold}
        >
          <Chevron aria-hidden className="size-3" />
          {typeof agent === "string" ? agent : text("runs.subAgent")}
        </button>
      )}
      {!folded && <Said entry={entry} runUuid={runUuid} />}
    </div>
  )
}

function Said({ entry, runUuid }: EntryProps) {
  const text = useText()
  const written = useWritten()
  const words = entry.text ?? ""
  if (entry.kind === "message") return <Markdown source={words} className="[&_:is(p,li)]:whitespace-pre-line" />
  if (entry.kind === "thought")
    return (
      <Folded title={text("runs.thought")} body={<p className="text-sm whitespace-pre-wrap text-muted">{words}</p>} />
    )
  if (entry.kind === "tool")
    return <Folded title={<CallTitle entry={entry} />} body={<Call entry={entry} runUuid={runUuid} />} />
  if (entry.kind === "plan") return <Plan entry={entry} />
  if (entry.kind === "ask")
    return (
      <p className="rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
        {[entry.title, statusOf(text, entry), answeredBy(written, entry)].filter(Boolean).join(" · ")}
      </p>
    )
  if (entry.kind === "note") {
    return (
      <p className="text-xs text-faint">
        {reasonIn(written, words)} <When at={entry.at} />
      </p>
    )
  }
  const body = <p className="text-sm break-words whitespace-pre-wrap">{words}</p>
  // A brief is folded; what a person said to the agent is read like the rest of the talk.
  if (words.length > SHORT) return <Folded title={text("runs.told")} body={body} />
  return (
    <div className="rounded-lg bg-accent-soft px-3 py-2">
      <p className="text-xs text-muted">{text("runs.told")}</p>
      {body}
    </div>
  )
}

/** What is folded is drawn once it is opened: most of a long transcript never is. */
function Folded({ title, body }: { readonly title: React.ReactNode; readonly body: React.ReactNode }) {
  const [opened, setOpened] = useState(false)
  return (
    <details
      className="rounded-lg border border-line bg-surface px-3 py-2"
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary className="cursor-pointer text-sm text-muted">{title}</summary>
      {opened && <div className="mt-2 grid grid-cols-1 gap-2">{body}</div>}
    </details>
  )
}

function CallTitle({ entry }: { readonly entry: Entry }) {
  const text = useText()
  const { exitCode, ms } = entry.data
  const facts = [
    statusOf(text, entry),
    typeof exitCode === "number" && exitCode !== 0 ? `exit ${exitCode}` : undefined,
    typeof ms === "number" ? `${(ms / 1000).toFixed(1)} s` : undefined,
  ]
  return (
    <span className="break-words">
      <code>{entry.title}</code> <span className="text-xs text-faint">{facts.filter(Boolean).join(" · ")}</span>
    </span>
  )
}

const STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "failed",
  "cancelled",
  "open",
  "over",
  "answered",
  "approve",
  "deny",
] as const

/** In a person's words, where the program's is one that is known. */
function statusOf(text: Translate, { status }: Entry): string | null {
  const known = STATUSES.find((one) => one === status)
  return known === undefined ? status : text(`runs.entry.${known}`)
}

/** Who answered, and whether they did so once for all. */
function answeredBy(written: Written | undefined, { data }: Entry): string | undefined {
  return typeof data["by"] === "string" ? reasonIn(written, data["by"]) : undefined
}

interface Diff {
  readonly path: string
  readonly oldText: string | null
  readonly newText: string
}

function Call({ entry, runUuid }: EntryProps) {
  const diffs = Array.isArray(entry.data["diffs"]) ? (entry.data["diffs"] as Diff[]) : []
  const input = diffs.length > 0 ? "" : inputOf(entry)
  return (
    <>
      {input !== "" && <Output text={input} className="max-h-40" />}
      {diffs.map((diff, at) => (
        <Edited key={at} diff={diff} />
      ))}
      {entry.text !== null && <Printed entry={entry} runUuid={runUuid} />}
    </>
  )
}

/** Its beginning and end come with the entry; the rest is asked for. */
function Printed({ entry, runUuid }: EntryProps) {
  const text = useText()
  const [all, setAll] = useState(false)
  const { answer } = useOperation("chorus_get_run_output", all ? { runUuid, entryId: entry.id } : null)
  return (
    <>
      <Output text={answer?.output ?? entry.text ?? ""} className="max-h-80" />
      {answer?.output === null && <p className="text-xs text-faint">{text("runs.notKept")}</p>}
      {entry.data["more"] === true && answer === undefined && (
        <div>
          <Button size="sm" disabled={all} onClick={() => setAll(true)}>
            {text("runs.showAll")}
          </Button>
        </div>
      )}
    </>
  )
}

/** Of a file or of a part of it: which one the program does not say. */
function Edited({ diff: { path, oldText, newText } }: { readonly diff: Diff }) {
  const lines = useMemo(() => linesBetween(oldText ?? "", newText), [oldText, newText])
  return (
    <div className="grid grid-cols-1 gap-1 text-xs">
      <code className="break-all text-muted">{path}</code>
      <DiffView lines={lines} label={path} numbers={false} />
    </div>
  )
}

/** What the agent put into the call, as far as its title does not say it. */
function inputOf({ title, data }: Entry): string {
  const { input } = data
  if (typeof input !== "object" || input === null) return ""
  const unsaid = Object.entries(input).filter(([, value]) => !(title ?? "").includes(String(value)))
  return unsaid
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n")
}

function Plan({ entry }: { readonly entry: Entry }) {
  const text = useText()
  const steps = Array.isArray(entry.data["steps"])
    ? (entry.data["steps"] as { content?: unknown; status?: unknown }[])
    : []
  return (
    <ul aria-label={text("runs.plan")} className="grid gap-1 text-sm">
      {steps.map(({ content, status }, at) => (
        <li key={at} className={status === "completed" ? "text-faint line-through" : ""}>
          {status === "completed" ? "☑" : status === "in_progress" ? "◐" : "☐"} {String(content ?? "")}
        </li>
      ))}
    </ul>
  )
}
