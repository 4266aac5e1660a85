import { Navigate, useNavigate } from "@tanstack/react-router"
import { Coffee } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { Button, EmptyState, isComposing, isTyping, Kbd, Page, Problem, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { SEQUENCE_MS } from "../keys/shortcuts.ts"
import { useOperation } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { choicesFor, type Item, nextAfter } from "./decide.ts"
import { NoteDialog } from "./NoteDialog.tsx"
import { placeOf } from "./place.ts"
import { useDecisions } from "./use-decisions.ts"
import { useNeedsYou } from "./use-needs-you.ts"
import { WaitingCard } from "./WaitingCard.tsx"

/** One queue of everything that waits for a person; empty is the ideal. */
export function NeedsYouPage() {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const { items, total, status, error, reload } = useNeedsYou()
  const [chosen, setChosen] = useState<string>()
  const [refusing, setRefusing] = useState<Item>()
  /** What was typed for each item, kept until the server has it: a refused answer is not typed again. */
  const [unsent, setUnsent] = useState<Readonly<Record<string, string>>>({})
  const decisions = useDecisions()
  const may = mayChange(person)
  const current = items.find(({ uuid }) => uuid === chosen) ?? items[0]

  const open = (item: Item) => {
    const place = placeOf(item)
    if (place !== undefined) void navigate(place)
  }
  const accept = async (item: Item) => {
    setChosen(nextAfter(items, item.uuid))
    if (await decisions.accept(item)) return
    setChosen(item.uuid)
    // Criteria that nobody has judged yet are judged on the task's own page.
    if (item.kind === "task") open(item)
  }
  const wordsFor = (item: Item) => unsent[item.uuid] ?? ""
  const keep = (item: Item, words: string) => setUnsent((now) => ({ ...now, [item.uuid]: words }))
  const answer = async (item: Item) => {
    if (await decisions.answer(item, wordsFor(item).trim())) keep(item, "")
  }
  const refuse = (item: Item) => {
    if (choicesFor(item).note) setRefusing(item)
    else void settle(item)
  }
  const settle = async (item: Item) => {
    setRefusing(undefined)
    setChosen(nextAfter(items, item.uuid))
    if (await decisions.refuse(item, wordsFor(item).trim())) return keep(item, "")
    setChosen(item.uuid)
    if (choicesFor(item).note) setRefusing(item)
  }

  useKeys((key) => {
    if (current === undefined) return false
    const at = items.indexOf(current)
    if (key === "j" || key === "ArrowDown") setChosen(items[Math.min(items.length - 1, at + 1)]?.uuid)
    else if (key === "k" || key === "ArrowUp") setChosen(items[Math.max(0, at - 1)]?.uuid)
    else if (key === "Enter") open(current)
    else if (key === "a" && may && choicesFor(current).yes !== undefined) void accept(current)
    else if (key === "r" && may && choicesFor(current).no !== undefined) refuse(current)
    else return false
    return true
  }, refusing === undefined)

  return (
    <Page
      title={text("nav.needsYou")}
      beside={total > 0 && <span className="text-sm text-faint tabular-nums">{total}</span>}
      actions={items.length > 0 && <KeyHints />}
    >
      <p role="status" className="sr-only">
        {text("needsYou.count", { count: total })}
      </p>
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && items.length === 0 && <AllDone />}
      <ul className="grid gap-2">
        {items.map((item) => (
          <WaitingCard
            key={item.uuid}
            item={item}
            current={item === current}
            disabled={!may}
            onChoose={() => setChosen(item.uuid)}
            onOpen={() => open(item)}
            onAccept={() => void accept(item)}
            onRefuse={() => refuse(item)}
            words={wordsFor(item)}
            onWords={(words) => keep(item, words)}
            onAnswer={() => void answer(item)}
          />
        ))}
      </ul>
      <NoteDialog
        item={refusing}
        note={refusing === undefined ? "" : wordsFor(refusing)}
        onNote={(note) => refusing !== undefined && keep(refusing, note)}
        onClose={() => setRefusing(undefined)}
        onSend={(item) => void settle(item)}
      />
    </Page>
  )
}

function AllDone() {
  const text = useText()
  const navigate = useNavigate()
  const agents = useOperation("chorus_list_agents", { pageSize: 1 }).answer
  const projects = useProjects().answer
  if (agents?.total === 0 && projects?.projects.length === 0) return <Navigate to="/welcome" replace />
  const start = agents?.total === 0 && (
    <Button tone="primary" onClick={() => void navigate({ to: "/welcome" })}>
      {text("needsYou.start")}
    </Button>
  )
  return (
    <EmptyState icon={Coffee} title={text("needsYou.empty")} action={start === false ? undefined : start}>
      {text("needsYou.emptyLead")}
    </EmptyState>
  )
}

function KeyHints() {
  const text = useText()
  const parts = text("needsYou.keys", {
    jk: "\u0000J K\u0000",
    enter: "\u0000↵\u0000",
    a: "\u0000A\u0000",
    r: "\u0000R\u0000",
  }).split("\u0000")
  return (
    <span className="hidden items-center gap-1 text-xs text-faint lg:flex">
      {parts.map((part, at) => (at % 2 === 1 ? <Kbd key={at} keys={part} /> : <span key={at}>{part}</span>))}
    </span>
  )
}

/** Calls back with keys that nobody is typing with; what is taken goes no further. */
function useKeys(take: (key: string) => boolean, enabled: boolean): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    if (!enabled) return
    let wentAt = -SEQUENCE_MS
    const listen = (event: KeyboardEvent) => {
      // A key that is held down, or the second of `g` and a place, decides nothing.
      const follows = event.timeStamp - wentAt < SEQUENCE_MS
      wentAt = event.key === "g" ? event.timeStamp : -SEQUENCE_MS
      if (
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        event.repeat ||
        follows ||
        isComposing(event) ||
        isTyping(event.target) ||
        isElsewhere(event)
      )
        return
      if (latest.current(event.key)) event.preventDefault()
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [enabled])
}

/** What lies over the page has its keys to itself, and Enter presses what has the focus. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest(key === "Enter" ? "[role=dialog], [role=menu], button, a" : "[role=dialog], [role=menu]") !== null
  )
}
