import { useNavigate, useSearch } from "@tanstack/react-router"
import { Clock, ExternalLink, ListFilter, X } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { useNow } from "../agents/use-now.ts"
import {
  Button,
  EmptyState,
  IconButton,
  Input,
  Menu,
  MenuItem,
  Page,
  Problem,
  secondThought,
  Segmented,
  SidePanel,
  SkeletonRows,
  toast,
} from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { RejectPlan } from "../proposals/RejectPlan.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import {
  byUrgency,
  choicesFor,
  type Grouping,
  inGroups,
  type Item,
  matching,
  nextAfter,
  optionsOf,
  titleOf,
} from "./decide.ts"
import type { Reach } from "../runs/Remember.tsx"
import { AllDone } from "./AllDone.tsx"
import { awakeAt } from "./awake.ts"
import { type Decided, DecideDialog } from "./DecideDialog.tsx"
import { KeyHints } from "./KeyHints.tsx"
import { NoteDialog } from "./NoteDialog.tsx"
import { placeOf } from "./place.ts"
import { hasOwnButtons, isSubject, Preview } from "./Preview.tsx"
import { endOf, type Snooze, SNOOZES, useSnoozed } from "./snooze.ts"
import { SendBack } from "./SendBack.tsx"
import type { Subject } from "./Summary.tsx"
import { Unheard } from "./Unheard.tsx"
import { gone, useDecisions } from "./use-decisions.ts"
import { useNeedsYou } from "./use-needs-you.ts"
import { useQueueKeys } from "./use-queue-keys.ts"
import { Decide, WaitingCard } from "./WaitingCard.tsx"

/** Which item is looked at; one that came forward by itself has not been chosen by the person. */
interface Chosen {
  readonly uuid: string | undefined
  readonly byHand: boolean
  /** By J or K: the focus goes with it. */
  readonly byKey?: boolean
}

/** Where there is room for the preview beside the queue; elsewhere it lies over it. */
const BESIDE = "(min-width: 64rem)"

const NOTHING: ReadonlySet<string> = new Set()

/** One queue of everything that waits for a person, the most pressing first; empty is the ideal. */
export function NeedsYouPage() {
  const text = useText()
  const navigate = useNavigate()
  const { person } = useSignedIn()
  const { items: all, total, status, error, reload } = useNeedsYou()
  const now = useNow()
  const { until, snooze } = useSnoozed()
  const [grouping, setGrouping] = useState<Grouping>("urgency")
  const [words, setWords] = useState("")
  const [chosen, setChosen] = useState<Chosen>()
  const [selected, setSelected] = useState(NOTHING)
  const [peeking, setPeeking] = useState(false)
  const [refusing, setRefusing] = useState<Item>()
  const [deciding, setDeciding] = useState<readonly (Item & Subject)[]>()
  const decisions = useDecisions()
  const may = mayChange(person)

  const awake = useMemo(() => byUrgency(awakeAt(all, until, now)), [all, now, until])
  const beyond = total - all.length
  const count = awake.length + beyond
  const groups = useMemo(() => inGroups(matching(awake, words), grouping), [awake, words, grouping])
  const items = groups.flatMap(([, each]) => each)
  const current = items.find(({ uuid }) => uuid === chosen?.uuid)
  const together = items.filter((item) => selected.has(item.uuid)).filter(isSubject)
  const snoozed = all.filter(({ uuid }) => (until[uuid] ?? 0) > now).length

  const look = (item: Item | undefined) =>
    setChosen((was) => (was?.uuid === item?.uuid && was?.byHand === true ? was : { uuid: item?.uuid, byHand: true }))
  const step = (item: Item | undefined) => setChosen({ uuid: item?.uuid, byHand: true, byKey: true })
  const goOn = (from: string) => {
    setPeeking(false)
    setChosen({ uuid: nextAfter(items, from), byHand: false })
  }
  const open = (item: Item) => {
    const place = placeOf(item)
    if (place !== undefined) void navigate(place)
  }
  const accept = async (item: Item, reach?: Reach) => {
    if (isSubject(item)) return setDeciding([item])
    goOn(item.uuid)
    if (!(await decisions.accept({ item, reach }))) look(item)
  }
  /** Shown as decided at once, and sent when nobody thinks better of it. */
  const decide = async (decided: readonly Decided[]) => {
    setDeciding(undefined)
    setSelected(NOTHING)
    const [first] = decided
    if (first === undefined) return
    if (current !== undefined) goOn(current.uuid)
    const { kind } = first.subject
    const title = titleOf(text, first.subject)
    const words = decided.length > 1 ? "many" : kind
    const about = decided.map(({ subject }) => ({ ...subject, yes: true }))
    const held = secondThought(text(`needsYou.deciding.${words}`, { title, count: decided.length }), ...about)
    const done = await Promise.all(
      decided.map(({ subject, passing }) => {
        const item = all.find(({ uuid }) => uuid === subject.uuid)
        return item !== undefined && decisions.accept({ item, passing, held })
      }),
    )
    const count = done.filter(Boolean).length
    if (count > 0) toast(text(`needsYou.decided.${words}`, { title, count }))
  }
  const show = (item: Item) => {
    look(item)
    if (!matchMedia(BESIDE).matches) setPeeking(true)
  }
  const { item: called } = useSearch({ from: "/" })
  const calledFor = all.find(({ uuid, ideaUuid }) => uuid === called || ideaUuid === called)
  useEffect(() => {
    if (calledFor === undefined) return
    show(calledFor)
    void navigate({ to: "/", replace: true })
    // Once, when it is there: afterwards the person looks where they want.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [calledFor === undefined])
  const refuse = async (item: Item, note = "", held?: Promise<boolean>) => {
    if (held !== undefined) goOn(item.uuid)
    const done = await decisions.refuse(item, note, held)
    if (done && held === undefined) goOn(item.uuid)
    return done
  }
  const putOff = (uuids: readonly string[], length: Snooze) => {
    for (const uuid of uuids.slice(-1)) goOn(uuid)
    setSelected(NOTHING)
    snooze(uuids, endOf(length, new Date()))
  }
  const select = (item: Item) => {
    if (!isSubject(item)) return
    setSelected(
      (was) => new Set(was.has(item.uuid) ? [...was].filter((uuid) => uuid !== item.uuid) : [...was, item.uuid]),
    )
  }

  const preview = (
    <Preview
      item={current}
      may={may}
      actions={
        current !== undefined && (
          <>
            {placeOf(current) !== undefined && (
              <Button icon={ExternalLink} onClick={() => open(current)}>
                {text("action.open")}
              </Button>
            )}
            <SnoozeMenu onSnooze={(length) => putOff([current.uuid], length)} />
          </>
        )
      }
      onAnswer={(item, answer, data) => decisions.answer(item, answer, data)}
      onVerify={(subject, passing) => void decide([{ subject, passing }])}
      onSendBack={setRefusing}
    />
  )

  useQueueKeys(
    (key) => {
      const at = current === undefined ? -1 : items.indexOf(current)
      if (items.length === 0) return false
      if (key === "j" || key === "ArrowDown") step(items[Math.min(items.length - 1, at + 1)])
      else if (key === "k" || key === "ArrowUp") step(items[Math.max(0, at - 1)])
      else if (key === "a" && may && together.length > 0) setDeciding(together)
      else if (current === undefined) return false
      else if (key === "Enter") open(current)
      else if (key === "a" && may && choicesFor(current).yes !== undefined) {
        if (isSubject(current) || chosen?.byHand === true) void accept(current)
      } else if (key === "a" && may) toast(text(waysToAnswer(current)))
      else if (key === "r" && may && choicesFor(current).no !== undefined) {
        if (choicesFor(current).note) setRefusing(current)
        else if (chosen?.byHand === true) void refuse(current)
      } else if (key === "x" && may) select(current)
      else if (key === "s") putOff([current.uuid], "hour")
      else return false
      return true
    },
    refusing === undefined && deciding === undefined,
  )

  return (
    <Page
      width="full"
      title={text("nav.needsYou")}
      beside={count > 0 && <span className="text-sm text-faint tabular-nums">{count}</span>}
      actions={all.length > 0 && <KeyHints may={may} />}
      toolbar={
        all.length > 0 ? (
          <>
            <Segmented
              label={text("needsYou.group")}
              value={grouping}
              onChange={setGrouping}
              options={(["urgency", "kind", "project"] as const).map((value) => ({
                value,
                label: text(`needsYou.group.${value}`),
              }))}
            />
            <Input
              compact
              type="search"
              className="w-auto max-w-56 min-w-0 flex-1"
              aria-label={text("needsYou.filter")}
              placeholder={text("needsYou.filter")}
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
            {snoozed > 0 && (
              <span className="flex items-center gap-2 text-sm text-muted">
                <span>{text("needsYou.snoozed", { count: snoozed })}</span>
                <Button size="sm" tone="ghost" onClick={() => snooze(Object.keys(until), undefined)}>
                  {text("needsYou.wake")}
                </Button>
              </span>
            )}
          </>
        ) : undefined
      }
    >
      <p role="status" className="sr-only">
        {text(may ? "needsYou.count" : "needsYou.countToRead", { count })}
      </p>
      <div className="flex min-h-0 flex-1">
        <div className="min-h-0 min-w-0 flex-1 overflow-y-auto px-4 py-4 md:px-6">
          {!may && all.length > 0 && <p className="mb-4 text-sm text-muted">{text("needsYou.readOnly")}</p>}
          <Unheard />
          {status === "loading" && <SkeletonRows />}
          {status === "failed" && <Problem error={error} onRetry={reload} />}
          {status === "ready" && all.length === 0 && <AllDone />}
          {all.length > 0 && items.length === 0 && (
            <EmptyState icon={ListFilter} title={text(words === "" ? "needsYou.empty" : "needsYou.noMatch")} />
          )}
          {groups.map(([name, each]) => (
            <section key={name} aria-label={headingOf(text, grouping, name)} className="mb-6">
              <h2 className="mb-2 flex items-center gap-2 text-sm font-semibold">
                <span className="truncate">{headingOf(text, grouping, name)}</span>
                <span className="text-xs font-normal text-faint tabular-nums">{each.length}</span>
              </h2>
              <ul className="grid grid-cols-1 gap-2">
                {each.map((item) => (
                  <WaitingCard
                    key={item.uuid}
                    item={item}
                    current={item === current}
                    focused={item === current && chosen?.byKey === true}
                    disabled={!may}
                    selected={may && isSubject(item) ? selected.has(item.uuid) : undefined}
                    onSelect={() => select(item)}
                    onChoose={() => look(item)}
                    onOpen={() => open(item)}
                    onShow={() => show(item)}
                    onAccept={(reach) => void accept(item, reach)}
                    onRefuse={() => (choicesFor(item).note ? setRefusing(item) : void refuse(item))}
                    onAnswer={(answer, data) => decisions.answer(item, answer, data)}
                  />
                ))}
              </ul>
            </section>
          ))}
          {beyond > 0 && <p className="text-sm text-muted">{text("needsYou.beyond", { count: beyond })}</p>}
          {together.length > 0 && (
            <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-raised px-4 py-2 shadow-(--shadow-raised)">
              <span className="mr-auto text-sm font-medium">
                {text("needsYou.selected", { count: together.length })}
              </span>
              <Button tone="ghost" onClick={() => setSelected(NOTHING)}>
                {text("needsYou.clear")}
              </Button>
              <SnoozeMenu
                onSnooze={(length) =>
                  putOff(
                    together.map(({ uuid }) => uuid),
                    length,
                  )
                }
              />
              <Button tone="primary" onClick={() => setDeciding(together)}>
                {text("needsYou.decideSelected")}
              </Button>
            </div>
          )}
        </div>
        {items.length > 0 && (
          <section
            aria-label={text("needsYou.preview")}
            className="hidden min-h-0 w-1/2 max-w-4xl shrink-0 flex-col border-l border-line lg:flex"
          >
            {preview}
          </section>
        )}
      </div>
      <SidePanel open={peeking && current !== undefined} onOpenChange={setPeeking} title={text("needsYou.preview")}>
        <IconButton
          icon={X}
          label={text("action.close")}
          className="m-2 shrink-0 self-end"
          onClick={() => setPeeking(false)}
        />
        {preview}
        {current !== undefined && !hasOwnButtons(current) && (
          <Decide
            item={current}
            disabled={!may}
            className="border-t border-line p-3 [&>button]:min-h-11 [&>button]:flex-1"
            onOpen={() => open(current)}
            onAccept={(reach) => void accept(current, reach)}
            onRefuse={() => (choicesFor(current).note ? setRefusing(current) : void refuse(current))}
          />
        )}
      </SidePanel>
      {deciding !== undefined && (
        <DecideDialog
          subjects={deciding}
          onClose={() => setDeciding(undefined)}
          onYes={(decided) => void decide(decided)}
        />
      )}
      {refusing?.kind === "proposal" && (
        <RejectPlan
          key={refusing.uuid}
          of={refusing}
          onClose={() => setRefusing(undefined)}
          onBack={() => setRefusing(refusing)}
          onReject={(note, held) => refuse(refusing, note, held)}
        />
      )}
      {refusing?.kind === "task" ? (
        <SendBack
          of={refusing}
          amend={gone(refusing).amend}
          onClose={() => setRefusing(undefined)}
          onHeld={() => goOn(refusing.uuid)}
          onBack={() => setRefusing(refusing)}
          onDone={() => toast(text("needsYou.sentBack"))}
        />
      ) : (
        <NoteDialog
          item={refusing?.kind === "proposal" ? undefined : refusing}
          holding={
            refusing !== undefined && isSubject(refusing)
              ? text("needsYou.deciding.reject", { title: titleOf(text, refusing) })
              : undefined
          }
          onClose={() => setRefusing(undefined)}
          onBack={setRefusing}
          onSend={refuse}
        />
      )}
    </Page>
  )
}

function headingOf(text: ReturnType<typeof useText>, by: Grouping, name: string): string {
  if (by === "project") return name === "" ? text("needsYou.anywhere") : name
  return text(by === "kind" ? (`needsYou.kind.${name}` as TextKey) : (`needsYou.urgency.${name}` as TextKey))
}

/** What to do instead of A where a plain yes answers nothing. */
function waysToAnswer(item: Item): TextKey {
  if (item.kind === "elaboration") return "needsYou.noYes.elaboration"
  if (choicesFor(item).text) return optionsOf(item).length > 0 ? "needsYou.noYes.options" : "needsYou.noYes.words"
  return "needsYou.noYes.other"
}

function SnoozeMenu({ onSnooze }: { onSnooze(length: Snooze): void }) {
  const text = useText()
  return (
    <Menu trigger={<Button icon={Clock}>{text("needsYou.snooze")}</Button>} align="end">
      {SNOOZES.map((length) => (
        <MenuItem key={length} onSelect={() => onSnooze(length)}>
          {text(`needsYou.snooze.${length}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
