import type { changes, TaskId } from "@chorus/contracts"
import { ChevronDown, ChevronRight, UnfoldVertical } from "lucide-react"
import { memo, type ReactNode, useCallback, useMemo } from "react"
import { Badge, Button, Checkbox, classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { linesOf, type ShownLine, type ShownRow } from "./diff-rows.ts"
import { DiffLines } from "./DiffLines.tsx"
import { FileImages, isImage } from "./FileImages.tsx"
import type { Shade } from "./syntax.ts"
import { NewThread, type Place, Thread } from "./Thread.tsx"

export interface Chosen {
  readonly file: string
  readonly line: number
}

interface FileDiffProps {
  readonly taskUuid: TaskId
  readonly version: number
  readonly file: changes.ChangeFile
  readonly rows: readonly ShownRow[] | undefined
  readonly shades: readonly (readonly Shade[])[] | undefined
  readonly threads: readonly changes.PlacedThread[]
  readonly split: boolean
  readonly found: string
  readonly viewed: boolean
  readonly open: boolean
  readonly chosen: number | null
  readonly writing: Place | null
  /** Comments belong to a version, not to what lies between two. */
  readonly mayComment: boolean
  readonly acts: FileActs
}

/** What can be done with a file and its lines. */
export interface FileActs {
  open(file: changes.ChangeFile, open: boolean): void
  view(file: changes.ChangeFile, viewed: boolean): void
  choose(file: changes.ChangeFile, line: number): void
  whole(file: changes.ChangeFile): void
  write(place: Place | null): void
}

/** One file of a change: what it is called, its lines, and what was said about them. */
export const FileDiff = memo(function FileDiff(props: FileDiffProps) {
  const { file, viewed, open, threads, acts } = props
  const text = useText()
  const Chevron = open ? ChevronDown : ChevronRight
  const name = file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`
  return (
    <section
      id={fileId(file.path)}
      aria-label={file.path}
      className="scroll-mt-2 rounded-lg border border-line bg-surface"
    >
      <header className="sticky top-0 z-10 flex flex-wrap items-center gap-2 rounded-lg border-b border-line bg-raised px-2 py-1.5 text-sm">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => acts.open(file, !open)}
          className="flex min-w-0 flex-1 cursor-pointer items-center gap-1.5 text-left max-sm:basis-full"
        >
          <Chevron aria-hidden className="size-4 shrink-0" />
          <span className="truncate font-mono text-xs" title={name}>
            {name}
          </span>
        </button>
        {file.status !== "modified" && <Badge>{text(`changes.status.${file.status}`)}</Badge>}
        {file.oldMode !== file.newMode && file.oldMode !== null && file.newMode !== null && (
          <Badge tone="waiting">{`${file.oldMode} → ${file.newMode}`}</Badge>
        )}
        <Counts additions={file.additions} deletions={file.deletions} />
        {open && file.afterSha !== null && !file.binary && (
          <Button size="sm" tone="ghost" icon={UnfoldVertical} onClick={() => acts.whole(file)}>
            {text("changes.whole")}
          </Button>
        )}
        <Checkbox checked={viewed} onChange={(on) => acts.view(file, on)} label={text("changes.viewed")} />
      </header>
      {threads
        .filter(({ outdated }) => outdated)
        .map((thread) => (
          <Thread key={thread.uuid} thread={thread} />
        ))}
      {open && <FileBody {...props} />}
    </section>
  )
})

function FileBody(props: FileDiffProps) {
  const { taskUuid, version, file, rows, shades, threads, split, found, chosen, writing, mayComment, acts } = props
  const text = useText()
  const lines = useMemo(() => linesOf(rows ?? [], split), [rows, split])
  const shadeOf = useMemo(
    () => new Map((rows ?? []).map((row, at) => [row, shades?.[at] ?? []] as const)),
    [rows, shades],
  )
  const choose = useCallback(
    (line: number, again: boolean) => {
      acts.choose(file, line)
      const place = lines[line] === undefined ? undefined : placeOf(file.path, lines[line])
      if (again && mayComment && place !== undefined) acts.write(place)
    },
    [acts, file, lines, mayComment],
  )
  if (file.binary && isImage(file.path)) return <FileImages taskUuid={taskUuid} file={file} />
  if (file.binary) return <Remark>{text("changes.binary", { size: file.size ?? 0 })}</Remark>
  if (file.omitted !== null)
    return <Remark>{text(file.omitted === "too_large" ? "changes.tooLarge" : "changes.notKept")}</Remark>
  if (rows === undefined) return <Remark>{text("app.loading")}</Remark>
  const after = new Map<number, ReactNode[]>()
  const put = (line: number, what: ReactNode) => after.set(line, [...(after.get(line) ?? []), what])
  const apart: ReactNode[] = []
  for (const thread of threads) {
    const { now, side, outdated } = thread
    const at = now === null ? -1 : lines.findIndex((line) => isAt(line, side, now.line))
    if (at !== -1) put(at, <Thread key={thread.uuid} thread={thread} />)
    else if (!outdated) apart.push(<Thread key={thread.uuid} thread={thread} apart />)
  }
  if (lines.length === 0)
    return (
      <>
        {apart}
        <Remark>{text("changes.noLines")}</Remark>
      </>
    )
  if (writing !== null) {
    const at = lines.findIndex((line) => isAt(line, writing.side, writing.line))
    const close = () => acts.write(null)
    if (at !== -1)
      put(at, <NewThread key="new" taskUuid={taskUuid} version={version} place={writing} onClose={close} />)
  }
  const cuts = [...after.keys()].map((at) => at + 1).sort((one, other) => one - other)
  // After the last line there is nothing more to draw.
  const parts = [0, ...cuts]
    .map((from, at) => ({ from, to: cuts[at] ?? lines.length }))
    .filter(({ from, to }) => from < to)
  return (
    <div className={classes("overflow-x-auto font-mono text-xs leading-5", split && "min-w-0")}>
      {apart}
      {parts.map(({ from, to }) => (
        <div key={from}>
          <DiffLines
            lines={lines}
            from={from}
            to={to}
            chosen={chosen}
            onChoose={choose}
            shades={shadeOf}
            split={split}
            found={found}
          />
          {after.get(to - 1)}
        </div>
      ))}
    </div>
  )
}

/** Where a comment on a line of the screen belongs: to what became of it, else to what it was. */
export function placeOf(file: string, { left, right }: ShownLine): Place | undefined {
  for (const row of [right, left]) {
    if (row === null || row.kind === "hunk" || row.kind === "note") continue
    if (row.after !== null) return { file, line: row.after, side: "after", text: row.text }
    if (row.before !== null) return { file, line: row.before, side: "before", text: row.text }
  }
  return undefined
}

export function fileId(path: string): string {
  return `file-${encodeURIComponent(path)}`
}

export function Counts({ additions, deletions }: { readonly additions: number; readonly deletions: number }) {
  return (
    <span className="shrink-0 text-xs tabular-nums">
      <span className="text-done">+{additions}</span> <span className="text-failed">−{deletions}</span>
    </span>
  )
}

function isAt({ left, right }: ShownLine, side: "before" | "after", line: number): boolean {
  return [left, right].some((row) => row !== null && row[side] === line)
}

function Remark({ children }: { readonly children: ReactNode }) {
  return <p className="px-3 py-2 text-sm text-muted">{children}</p>
}
