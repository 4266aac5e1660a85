import type { changes, TaskId } from "@chorus/contracts"
import { useEffect, useMemo, useRef, useState } from "react"
import {
  Button,
  Input,
  isComposing,
  isTyping,
  Nothing,
  Problem,
  Segmented,
  Select,
  SkeletonRows,
  Switch,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { SEQUENCE_MS } from "../keys/shortcuts.ts"
import { useAction } from "../live/use-action.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { ChangeHead, FileList } from "./ChangeHead.tsx"
import { linesOf } from "./diff-rows.ts"
import { ROW_PX } from "./DiffLines.tsx"
import { type Chosen, type FileActs, FileDiff, fileId, placeOf } from "./FileDiff.tsx"
import { type Place, Thread } from "./Thread.tsx"
import { useChange } from "./use-change.ts"
import { madeBy } from "./version-name.ts"
import { type Diff, useDiff } from "./use-diff.ts"

const NO_THREADS: readonly changes.PlacedThread[] = []

type Answer = NonNullable<ReturnType<typeof useChange>["answer"]>

export interface ChangesProps {
  readonly taskUuid: string
  /** Something else on the page has keys of its own: all but `c` count only where the focus is among the changes. */
  readonly beside?: boolean
}

/** What the work on a task changed: to be read, by mouse or by keys, and commented line by line. */
export function Changes({ taskUuid, beside = false }: ChangesProps) {
  const text = useText()
  const [version, setVersion] = useState<number | null>(null)
  const [since, setSince] = useState<number | null>(null)
  const { answer, status, error, reload } = useChange(taskUuid, version, since)
  const view = useAction("chorus_view_change")
  const [lookedAt, setLookedAt] = useState<number | null>(null)
  const looksAt = useRef<number>(undefined)
  const newest = answer?.versions.at(-1)?.number
  const [ignoreSpace, setIgnoreSpace] = useState(false)
  const first = useRef<number>(undefined)
  if (answer !== undefined) first.current ??= newest ?? 0
  // The lines are fetched beside the list of files; a version that came meanwhile is asked for by its number.
  const wanted = version ?? (newest === first.current ? null : (newest ?? null))
  const diff = useDiff({ taskUuid, version: wanted, since, ignoreSpace })
  useEffect(() => {
    if (answer === undefined || newest === undefined || looksAt.current === newest) return
    // Whoever had the one before on show when this one came has looked at that.
    setLookedAt(looksAt.current ?? answer.lookedAt)
    looksAt.current = newest
    void view.run({ taskUuid: taskUuid as TaskId, version: newest }, { tell: false }).catch(() => undefined)
  }, [answer, newest, taskUuid, view])
  if (status === "failed") return <Problem error={error} onRetry={reload} />
  if (answer === undefined) return <SkeletonRows rows={4} />
  if (answer.version === null)
    return (
      <Nothing>
        <InlineCode text={text("changes.none")} />
      </Nothing>
    )
  const shown = answer.version.number
  return (
    <div className="grid min-w-0 grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <label className="flex items-center gap-1.5">
          {text("changes.version")}
          <Select
            compact
            value={String(shown)}
            onChange={({ target }) => setVersion(Number(target.value))}
            aria-label={text("changes.version")}
          >
            {answer.versions.map((version) => (
              <option key={version.number} value={version.number}>
                {text("changes.versionOf", { version: version.number, made: madeBy(text, version) })}
              </option>
            ))}
          </Select>
        </label>
        <label className="flex items-center gap-1.5">
          {text("changes.comparedWith")}
          <Select
            compact
            value={String(since ?? 0)}
            onChange={({ target }) => setSince(Number(target.value) || null)}
            aria-label={text("changes.comparedWith")}
          >
            <option value="0">{text("changes.base")}</option>
            {answer.versions
              .filter(({ number }) => number !== shown)
              .map(({ number }) => (
                <option key={number} value={number}>
                  {text("changes.versionNumber", { version: number })}
                </option>
              ))}
          </Select>
        </label>
        {lookedAt !== null && lookedAt < shown && since !== lookedAt && (
          <Button size="sm" onClick={() => setSince(lookedAt)}>
            {text("changes.sinceLooked")}
          </Button>
        )}
      </div>
      <ChangeHead version={answer.version} />
      <Review
        key={`${shown} ${since ?? ""}`}
        taskUuid={taskUuid as TaskId}
        answer={answer}
        diff={diff}
        ignoreSpace={ignoreSpace}
        beside={beside}
        onIgnoreSpace={setIgnoreSpace}
        reload={reload}
      />
    </div>
  )
}

interface ReviewProps {
  readonly taskUuid: TaskId
  readonly answer: Answer
  readonly diff: Diff
  readonly ignoreSpace: boolean
  readonly beside: boolean
  onIgnoreSpace(on: boolean): void
  reload(): void
}

function Review({ taskUuid, answer, diff, ignoreSpace, beside, onIgnoreSpace, reload }: ReviewProps) {
  const text = useText()
  const [split, setSplit] = useState(false)
  const [found, setFound] = useState("")
  /** How many files were not read through when the last search found nothing. */
  const [missed, setMissed] = useState<number | null>(null)
  const [closed, setClosed] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [writing, setWriting] = useState<Place | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const wentAt = useRef(-SEQUENCE_MS)
  const view = useAction("chorus_view_change")
  const version = answer.version?.number ?? 1
  const viewed = useMemo(() => new Set(answer.viewed), [answer.viewed])
  const { files, threads } = answer
  const isOpen = (file: changes.ChangeFile) => closed.get(file.path) ?? !(file.folded || viewed.has(file.path))
  const linesIn = (file: changes.ChangeFile) => (isOpen(file) ? linesOf(diff.rows.get(file.path) ?? [], split) : [])

  const setOpen = (file: changes.ChangeFile, open: boolean) => {
    setClosed((before) => new Map(before).set(file.path, open))
    if (open && !diff.rows.has(file.path)) diff.open(file.path)
  }
  const setViewed = async (file: changes.ChangeFile, on: boolean) => {
    setClosed((before) => new Map(before).set(file.path, !on))
    if ((await view.run({ taskUuid, version, file: file.path, viewed: on })) !== undefined) reload()
  }
  const goTo = (file: string, line: number) => {
    setChosen({ file, line })
    if (line < 0) return document.getElementById(fileId(file))?.scrollIntoView({ block: "start" })
    requestAnimationFrame(() => reveal(file, line))
  }
  const at = chosen === null ? -1 : files.findIndex(({ path }) => path === chosen.file)
  const goToFile = (place: number) => {
    const file = files[Math.max(0, Math.min(files.length - 1, place))]
    if (file !== undefined) goTo(file.path, -1)
  }
  const lineAfter = (from: Chosen | null, by: 1 | -1): Chosen | undefined => {
    let place = from === null ? 0 : at
    let line = (from?.line ?? -1) + by
    for (; place < files.length; place += by, line = by === 1 ? 0 : Infinity) {
      const file = files[place]
      if (file === undefined) return undefined
      const lines = linesIn(file)
      for (line = Math.min(line, lines.length - 1); line >= 0 && line < lines.length; line += by) {
        const one = lines[line]
        if (one !== undefined && placeOf(file.path, one) !== undefined) return { file: file.path, line }
      }
      if (by === -1 && place <= 0) return undefined
    }
    return undefined
  }
  const step = (by: 1 | -1) => {
    const next = lineAfter(chosen, by)
    if (next !== undefined) goTo(next.file, next.line)
  }
  /** At the chosen line; where none is, at the first that can be commented on. */
  const comment = () => {
    const place = chosen === null || chosen.line < 0 ? lineAfter(chosen, 1) : chosen
    const file = files.find(({ path }) => path === place?.file)
    const line = file === undefined || place === undefined ? undefined : linesIn(file)[place.line]
    if (place === undefined || line === undefined || answer.since !== null) return
    goTo(place.file, place.line)
    setWriting(placeOf(place.file, line) ?? null)
  }
  /** In closed files too: what is found there opens its file. */
  const search = (from: Chosen | null) => {
    setMissed(null)
    const start = from === null ? 0 : files.findIndex(({ path }) => path === from.file)
    const wanted = found.toLowerCase()
    for (const file of [...files.slice(start), ...files.slice(0, start)]) {
      const line = linesOf(diff.rows.get(file.path) ?? [], split).findIndex(
        ({ left, right }, place) =>
          (file.path !== from?.file || place > from.line) &&
          [left, right].some((row) => row?.text.toLowerCase().includes(wanted)),
      )
      if (line === -1) continue
      if (!isOpen(file)) setOpen(file, true)
      return goTo(file.path, line)
    }
    if (from !== null) return search(null)
    setMissed(files.filter(({ path, patchSha }) => patchSha !== null && !diff.rows.has(path)).length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    // The second of `g` and a place.
    const follows = event.timeStamp - wentAt.current < SEQUENCE_MS
    wentAt.current = event.key === "g" ? event.timeStamp : -SEQUENCE_MS
    if (follows) return
    const within = event.target instanceof Node && box.current?.contains(event.target) === true
    const over = event.target instanceof Element ? event.target.closest("[role=dialog], [role=menu]") : null
    // What lies over the page has its keys to itself, unless the changes lie in it.
    if (over !== null && !over.contains(box.current)) return
    if (beside && !within && event.key !== "c") return
    const file = files[at]
    const keys: Readonly<Record<string, () => void>> = {
      n: () => goToFile(at + 1),
      p: () => goToFile(at - 1),
      j: () => step(1),
      k: () => step(-1),
      v: () => file !== undefined && void setViewed(file, !viewed.has(file.path)),
      c: comment,
      t: () => goToThread(box.current),
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const acts = {
    open: setOpen,
    view: (file: changes.ChangeFile, on: boolean) => void setViewed(file, on),
    choose: (file: changes.ChangeFile, line: number) => setChosen({ file: file.path, line }),
    whole: (file: changes.ChangeFile) => file.afterSha !== null && diff.whole(file.path, file.afterSha),
    go: (path: string) => goTo(path, -1),
    write: (place: Place | null) => {
      setWriting(place)
      if (place === null) box.current?.focus({ preventScroll: true })
    },
  }
  const latest = useRef({ onKeyDown, acts })
  useEffect(() => {
    latest.current = { onKeyDown, acts }
  })
  // The same for as long as the files are on show: one that has not changed is not drawn again.
  const [stable] = useState<FileActs & { go(path: string): void }>(() => ({
    go: (path) => latest.current.acts.go(path),
    open: (file, on) => latest.current.acts.open(file, on),
    view: (file, on) => latest.current.acts.view(file, on),
    choose: (file, line) => latest.current.acts.choose(file, line),
    whole: (file) => latest.current.acts.whole(file),
    write: (place) => latest.current.acts.write(place),
  }))
  const threadsIn = useMemo(() => Map.groupBy(threads, ({ now, file }) => now?.file ?? file), [threads])
  useEffect(() => {
    // Before the page's own keys, of which `c` is one: whoever reads changes comments with it.
    const listen = (event: KeyboardEvent) => latest.current.onKeyDown(event)
    addEventListener("keydown", listen, { capture: true })
    return () => removeEventListener("keydown", listen, { capture: true })
  }, [])
  const lost = threads.filter(({ now, file }) => now === null && !files.some(({ path }) => path === file))
  return (
    <div
      ref={box}
      role="group"
      tabIndex={0}
      aria-label={text("changes.title")}
      aria-keyshortcuts="n p j k v c t"
      className="grid min-w-0 grid-cols-1 gap-3 focus-visible:outline-2"
    >
      <div className="flex flex-wrap items-center gap-3">
        <Segmented
          label={text("changes.layout")}
          value={split ? "split" : "unified"}
          onChange={(value) => setSplit(value === "split")}
          options={[
            { value: "unified", label: text("changes.unified") },
            { value: "split", label: text("changes.split") },
          ]}
        />
        <Switch checked={ignoreSpace} onChange={onIgnoreSpace} label={text("changes.ignoreSpace")} />
        <Input
          compact
          type="search"
          aria-label={text("changes.search")}
          placeholder={text("changes.search")}
          value={found}
          onChange={({ target }) => {
            setFound(target.value)
            setMissed(null)
          }}
          onKeyDown={({ key }) => key === "Enter" && found !== "" && search(chosen)}
          className="w-44"
        />
        {missed !== null && (
          <span role="status" className="text-xs text-waiting">
            {text("changes.notFound")}
            {missed > 0 && ` ${text("changes.notRead", { count: missed })}`}
          </span>
        )}
        <span className="text-xs text-muted tabular-nums">
          {text("changes.progress", { viewed: viewed.size, total: files.length })}
        </span>
      </div>
      <p className="text-xs text-muted">
        {text("changes.tapLine")}
        <span className="hidden sm:inline"> · {text("changes.keys")}</span>
      </p>
      {diff.failed !== undefined && <Problem error={new Error(diff.failed)} onRetry={reload} />}
      {files.length === 0 && <Nothing>{text("changes.nothingNew")}</Nothing>}
      <FileList files={files} viewed={viewed} threads={threads} onGo={stable.go} />
      {lost.map((thread) => (
        <Thread key={thread.uuid} thread={thread} />
      ))}
      {files.map((file) => (
        <FileDiff
          key={file.path}
          taskUuid={taskUuid}
          version={version}
          file={file}
          rows={diff.rows.get(file.path)}
          shades={diff.shades.get(file.path)}
          threads={threadsIn.get(file.path) ?? NO_THREADS}
          split={split}
          found={found}
          viewed={viewed.has(file.path)}
          open={isOpen(file)}
          chosen={chosen?.file === file.path ? chosen.line : null}
          writing={writing?.file === file.path ? writing : null}
          mayComment={answer.since === null}
          acts={stable}
        />
      ))}
    </div>
  )
}

/** To the thread after the one that has the focus; after the last, or where none has it, to the first. */
function goToThread(box: HTMLElement | null): void {
  const threads = [...(box?.querySelectorAll("article") ?? [])]
  const at = threads.findIndex((thread) => thread.contains(document.activeElement))
  const next = threads[at + 1] ?? threads[0]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: "center" })
}

/** Brings a line into view that may not be drawn yet: where it will be is known. */
function reveal(file: string, line: number): void {
  const parts = [...(document.getElementById(fileId(file))?.querySelectorAll<HTMLElement>("[data-from]") ?? [])]
  const part = parts.findLast((one) => Number(one.dataset["from"]) <= line)
  if (part === undefined) return
  const probe = document.createElement("span")
  probe.style.cssText = `position:absolute;height:${ROW_PX}px;top:${(line - Number(part.dataset["from"])) * ROW_PX}px`
  part.append(probe)
  const { top, bottom } = probe.getBoundingClientRect()
  if (top < 80 || bottom > innerHeight - 40) probe.scrollIntoView({ block: "center" })
  probe.remove()
}
