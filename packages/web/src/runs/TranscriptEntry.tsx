import { classes } from "../design/index.ts"
import { type Translate, useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import type { Entry } from "./run.ts"

/** One thing that was said or done. Whatever an agent wrote is shown, never followed. */
export function TranscriptEntry({ entry }: { readonly entry: Entry }) {
  const indent = entry.child === null ? "" : "border-l-2 border-line pl-3"
  return (
    <div className={classes("min-w-0", indent)}>
      <Said entry={entry} />
    </div>
  )
}

function Said({ entry }: { readonly entry: Entry }) {
  const text = useText()
  const words = entry.text ?? ""
  if (entry.kind === "message") return <Markdown source={words} />
  if (entry.kind === "thought")
    return (
      <Folded title={text("runs.thought")} body={<p className="text-sm whitespace-pre-wrap text-muted">{words}</p>} />
    )
  if (entry.kind === "tool") return <Folded title={<CallTitle entry={entry} />} body={<Call entry={entry} />} />
  if (entry.kind === "plan") return <Plan entry={entry} />
  if (entry.kind === "ask")
    return (
      <p className="rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
        {entry.title} · {statusOf(text, entry)}
      </p>
    )
  if (entry.kind === "note") {
    return <p className="text-xs text-faint">{words}</p>
  }
  return <Folded title={text("runs.told")} body={<p className="text-sm break-words whitespace-pre-wrap">{words}</p>} />
}

function Folded({ title, body }: { readonly title: React.ReactNode; readonly body: React.ReactNode }) {
  return (
    <details className="rounded-lg border border-line bg-surface px-3 py-2">
      <summary className="cursor-pointer text-sm text-muted">{title}</summary>
      <div className="mt-2 grid grid-cols-1 gap-2">{body}</div>
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

interface Diff {
  readonly path: string
  readonly oldText: string | null
  readonly newText: string
}

function Call({ entry }: { readonly entry: Entry }) {
  const diffs = Array.isArray(entry.data["diffs"]) ? (entry.data["diffs"] as Diff[]) : []
  return (
    <>
      {diffs.map(({ path, oldText, newText }, at) => (
        <div key={at} className="text-xs">
          <code className="break-all text-muted">{path}</code>
          {oldText !== null && <Output text={oldText} tone="bg-failed-soft" />}
          <Output text={newText} tone="bg-done-soft" />
        </div>
      ))}
      {entry.text !== null && <Output text={entry.text} tone="bg-canvas" />}
    </>
  )
}

function Output({ text, tone }: { readonly text: string; readonly tone: string }) {
  return (
    <pre className={classes("max-h-80 overflow-auto rounded-md px-2 py-1 text-xs whitespace-pre-wrap", tone)}>
      {text}
    </pre>
  )
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
