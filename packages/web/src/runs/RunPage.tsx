import { isEnded } from "@chorus/core"
import { Link, useParams } from "@tanstack/react-router"
import { Download, Hand, Search, Square } from "lucide-react"
import { useMemo, useState } from "react"
import { Asking } from "../attention/Asking.tsx"
import { Composer } from "../comments/Composer.tsx"
import {
  Badge,
  Button,
  IconButton,
  Input,
  Nothing,
  Page,
  Problem,
  Section,
  SkeletonRows,
  toastError,
} from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useLive, useOperation } from "../live/use-operation.ts"
import { saveFile } from "../sections/save-file.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AskCard, useAsks } from "./AskCard.tsx"
import { type Entry, followRun, type Run, RUN_LABEL, RUN_TONE } from "./run.ts"
import { RunFacts } from "./RunFacts.tsx"
import { TakeUp } from "./TakeUp.tsx"
import { TranscriptEntry } from "./TranscriptEntry.tsx"
import { TranscriptList } from "./TranscriptList.tsx"
import { useTranscript } from "./use-transcript.ts"

/** One run: what its agent says and does on the left, where it stands on the right. */
export function RunPage() {
  const text = useText()
  const { runUuid } = useParams({ from: "/runs/$runUuid" })
  const { answer: run, status, error, reload } = useOperation("chorus_get_run", { runUuid }, followRun)
  return (
    <Page
      width="full"
      title={
        <>
          <Link to="/runs" className="font-normal text-muted hover:text-ink">
            {text("runs.title")}
          </Link>
          <span aria-hidden className="px-1.5 text-faint">
            /
          </span>
          {run?.taskTitle ?? text("app.loading")}
        </>
      }
      beside={
        run !== undefined && (
          <>
            <Badge tone={RUN_TONE[run.state]}>{text(RUN_LABEL[run.state])}</Badge>
            {run.stoppedFor === "budget" && <Badge tone="failed">{text("runs.overBudget")}</Badge>}
          </>
        )
      }
      actions={run !== undefined && <RunActions run={run} />}
    >
      <div className="min-h-0 w-full max-w-[1600px] flex-1 overflow-y-auto lg:flex">
        {status === "loading" && <SkeletonRows />}
        {status === "failed" && <Problem error={error} onRetry={reload} />}
        {run !== undefined && (
          <>
            <Transcript key={run.uuid} run={run} />
            <div className="shrink-0 p-4 md:p-6 lg:w-84 lg:overflow-y-auto">
              <RunFacts run={run} />
            </div>
          </>
        )}
      </div>
    </Page>
  )
}

function RunActions({ run }: { readonly run: Run }) {
  const text = useText()
  const { person } = useSignedIn()
  const stop = useAction("chorus_stop_run")
  const interrupt = useAction("chorus_interrupt_run")
  if (!mayChange(person)) return null
  const { uuid: runUuid } = run
  if (run.stoppedFor === "budget" || isEnded(run.state)) return <TakeUp run={run} />
  return (
    <div className="flex gap-2">
      {run.state === "running" && (
        <Button size="sm" icon={Hand} disabled={interrupt.busy} onClick={() => void interrupt.run({ runUuid })}>
          {text("runs.interrupt")}
        </Button>
      )}
      <Button size="sm" icon={Square} disabled={stop.busy} onClick={() => void stop.run({ runUuid })}>
        {text("runs.stop")}
      </Button>
    </div>
  )
}

/** By which of its agent's requests an open question stands in the transcript. */
function openRequest({ kind, status, data }: Entry): unknown {
  return kind === "ask" && status === "open" ? data["requestId"] : undefined
}

/** Of a sub-agent that is folded only its first entry is left, which bears its name. */
function withoutFolded(entries: readonly Entry[], folded: ReadonlySet<string>): readonly Entry[] {
  if (folded.size === 0) return entries
  const begun = new Set<string>()
  return entries.filter(({ child }) => {
    if (child === null || !folded.has(child)) return true
    const isFirst = !begun.has(child)
    begun.add(child)
    return isFirst
  })
}

/** Words end nothing that is under way: they wait for it, in programs that hear anything within a turn. */
function heardWhen({ program }: Run, entries: readonly Entry[]): TextKey {
  if (program !== "claude" && program !== "codex") return "runs.heardNextTurn"
  const isCalling = entries.some(
    ({ kind, status }) => kind === "tool" && (status === "pending" || status === "in_progress"),
  )
  return isCalling ? "runs.heardAfterCall" : "runs.heardNow"
}

function Transcript({ run }: { readonly run: Run }) {
  const text = useText()
  const { person } = useSignedIn()
  const send = useAction("chorus_send_to_run")
  const { entries, status, error, more, loadEarlier, reload } = useTranscript(run.uuid)
  const asks = useAsks(run)
  const inPlace = new Set<unknown>(entries.map(openRequest).filter((request) => request !== undefined))
  const [target, setTarget] = useState<string>()
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(() => withoutFolded(entries, folded), [entries, folded])
  const fold = (child: string, isFolded: boolean) =>
    setFolded((before) => new Set([...before].filter((one) => one !== child).concat(isFolded ? [child] : [])))
  const come = async ({ id, place, child }: Entry) => {
    if (child !== null) fold(child, false)
    if (place < (entries[0]?.place ?? 0)) await loadEarlier(place)
    setTarget(id)
  }
  return (
    // As high as the window: what is written to the agent is sent without looking for the button.
    <Section
      title={text("runs.transcript")}
      actions={<Export run={run} />}
      className="flex h-full flex-col overflow-y-auto p-4 md:p-6 lg:flex-1"
    >
      <Find run={run} onFound={(entry) => void come(entry)} />
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && entries.length === 0 && <Nothing>{text("runs.silent")}</Nothing>}
      <TranscriptList
        label={text("runs.transcript")}
        entries={shown}
        target={target}
        onNearTop={() => void (more && loadEarlier())}
        render={(entry, before) => {
          const request = openRequest(entry)
          const ask = asks.find(({ detail }) => request !== undefined && detail["requestId"] === request)
          if (ask !== undefined) return <AskCard ask={ask} />
          const { child } = entry
          const isFolded = child !== null && folded.has(child)
          const toggle = () => child !== null && fold(child, !isFolded)
          return <TranscriptEntry {...{ entry, before }} runUuid={run.uuid} folded={isFolded} onFold={toggle} />
        }}
      />
      <div className="mt-4">
        <Asking
          about={({ detail, notice }) =>
            detail["runUuid"] === run.uuid && notice === null && !inPlace.has(detail["requestId"])
          }
        />
      </div>
      {mayChange(person) && (
        <div className="mt-4 grid gap-2">
          {run.state === "running" && <p className="text-xs text-muted">{text(heardWhen(run, entries))}</p>}
          <Composer
            mentions={false}
            draft={`run.${run.uuid}`}
            placeholder={text("runs.sayPlaceholder")}
            send={text("runs.say")}
            onSend={async (words) => (await send.run({ runUuid: run.uuid, text: words })) !== undefined}
          />
        </div>
      )}
    </Section>
  )
}

/** Looks through all that was said and done, also what is not loaded here. */
function Find({ run, onFound }: { readonly run: Run; onFound(entry: Entry): void }) {
  const text = useText()
  const [typed, setTyped] = useState("")
  const [words, setWords] = useState("")
  const asked = words === "" ? null : { runUuid: run.uuid, text: words }
  const { answer } = useOperation("chorus_search_transcript", asked)
  return (
    <form
      role="search"
      className="mb-3 grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        setWords(typed.trim())
      }}
    >
      <div className="flex gap-2">
        <Input
          compact
          type="search"
          aria-label={text("runs.search")}
          placeholder={text("runs.search")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <IconButton icon={Search} type="submit" label={text("runs.search")} />
      </div>
      {answer !== undefined && words !== "" && (
        <ul aria-label={text("runs.found")} className="grid max-h-40 gap-1 overflow-y-auto text-xs" tabIndex={0}>
          {answer.entries.length === 0 && <li className="text-muted">{text("runs.nothingFound")}</li>}
          {answer.entries.map((entry) => (
            <li key={entry.id}>
              <button
                type="button"
                className="w-full cursor-pointer truncate rounded px-2 py-1 text-left hover:bg-hover"
                onClick={() => onFound(entry)}
              >
                {text("runs.turn", { turn: entry.turn })} · {entry.title ?? entry.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

/** The whole transcript as a file, one entry a line. */
function Export({ run }: { readonly run: Run }) {
  const text = useText()
  const { client } = useLive()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    const lines: string[] = []
    try {
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
        const told: { entries: Entry[]; more: boolean } = await client.call("chorus_get_transcript", {
          runUuid: run.uuid,
          before,
          limit: 1e3,
        })
        lines.unshift(...told.entries.map((entry) => JSON.stringify(entry)))
        before = told.more ? told.entries[0]?.place : undefined
      }
      saveFile(`run-${run.uuid}.jsonl`, `${lines.join("\n")}\n`, "application/jsonl")
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return <IconButton icon={Download} label={text("runs.export")} disabled={busy} onClick={() => void save()} />
}
