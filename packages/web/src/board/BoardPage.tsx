import { Link, useParams } from "@tanstack/react-router"
import { GitPullRequestArrow, Lightbulb, ListFilter, Plus } from "lucide-react"
import { lazy, Suspense, useMemo, useRef, useState } from "react"
import { useNow } from "../agents/use-now.ts"
import { type NeedsYou, useNeedsYou } from "../attention/use-needs-you.ts"
import { Avatar, Button, EmptyState, Page, PendingNote, Problem, usePending } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { LabelHues } from "../items/LabelChip.tsx"
import { OpenTask } from "../items/OpenTask.tsx"
import { useItemSearch } from "../items/use-item-search.ts"
import { useLabels } from "../items/use-labels.ts"
import { useEvents, useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useShell } from "../shell/shell-context.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { BoardContext, type Drag } from "./board-state.ts"
import { BoardSkeleton } from "./BoardSkeleton.tsx"
import { BoardTools, filterCount, NO_FILTER } from "./BoardTools.tsx"
import { CARD_HINT_ID, type CardMark } from "./Card.tsx"
import { Column } from "./Column.tsx"
import { columnOf, COLUMNS, holdersOf, inColumns, inLanes, matches, type Task } from "./columns.ts"
import { type BoardAnswer, followBoard, silentSince } from "./follow-board.ts"
import { Lanes } from "./Lanes.tsx"
import { rememberMove } from "./recent-moves.ts"
import { useBoardKeys } from "./use-board-keys.ts"
import { useCardDrag } from "./use-card-drag.ts"
import { useMoveCard } from "./use-move-card.ts"
import { useProposalNames } from "./use-proposal-names.ts"

const VerifyTask = lazy(async () => ({ default: (await import("../attention/VerifyTask.tsx")).VerifyTask }))

export function BoardPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/board" })
  const follow = useMemo(() => followBoard(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_board", { projectUuid }, follow)
  const { hues } = useLabels(projectUuid)
  const { proposals } = useProposalNames(projectUuid)
  const { person } = useSignedIn()
  const holders = useMemo(() => holdersOf(answer?.tasks ?? []), [answer?.tasks])
  return (
    <Page
      width="full"
      title={text("nav.board")}
      beside={answer !== undefined && <AtWork checkins={answer.checkins} />}
      actions={mayChange(person) && <NewTaskButton />}
      toolbar={
        answer !== undefined && answer.tasks.length > 0 ? (
          <BoardTools layout="board" projectUuid={projectUuid} holders={holders} proposals={proposals} />
        ) : undefined
      }
    >
      {status === "loading" && <BoardSkeleton />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer?.tasks.length === 0 && <NoTasks projectUuid={projectUuid} />}
      {answer !== undefined && answer.tasks.length > 0 && (
        <LabelHues value={hues}>
          <Board projectUuid={projectUuid} answer={answer} proposals={proposals} />
        </LabelHues>
      )}
      <OpenTask title={text("nav.board")} />
    </Page>
  )
}

interface BoardProps {
  readonly projectUuid: string
  readonly answer: BoardAnswer
  readonly proposals: readonly { readonly uuid: string; readonly name: string }[]
}

function Board({ projectUuid, answer, proposals }: BoardProps) {
  const text = useText()
  const { search, set } = useItemSearch()
  const { person } = useSignedIn()
  const enabled = mayChange(person)
  const root = useRef<HTMLDivElement>(null)
  const [drag, setDrag] = useState<Drag>()
  const [verifying, setVerifying] = useState<Task>()
  const move = useMoveCard(projectUuid, setVerifying)

  const shown = useMemo(() => answer.tasks.filter(matches(search)), [answer.tasks, search])
  const columns = useMemo(() => inColumns(shown), [shown])
  const lanes = useMemo(() => {
    if (search.lanes === undefined) return undefined
    const titles = new Map(proposals.map(({ uuid, name }) => [uuid, name]))
    return inLanes(shown, search.lanes, (uuid) => titles.get(uuid))
  }, [shown, search.lanes, proposals])
  const staysOf = useMemo(() => Map.groupBy(answer.checkins, ({ taskUuid }) => taskUuid), [answer.checkins])
  const { items } = useNeedsYou()
  const marks = useMemo(() => marksOf(answer.returned, items), [answer.returned, items])
  const find = (uuid: string) => shown.find((task) => task.uuid === uuid)

  useEvents((event) => {
    if (event.entityType === "task" && event.patch.status !== undefined) rememberMove(event.entityUuid)
  })
  const keys = useBoardKeys({
    columns,
    lifted: drag,
    enabled,
    onLift: (task, over) => setDrag(task === undefined ? undefined : { task, over }),
    onDrop: (task, column) => void move(task, column),
  })
  useCardDrag({
    board: root,
    enabled,
    onLift: (uuid) => {
      const task = find(uuid)
      if (task !== undefined) setDrag({ task, over: columnOf(task.status) })
    },
    onOver: (over) => setDrag((now) => now && { ...now, over }),
    onDrop: (uuid, column) => {
      setDrag(undefined)
      const task = find(uuid)
      if (task !== undefined && column !== undefined) void move(task, column)
    },
  })

  if (shown.length === 0) {
    return (
      <EmptyState
        icon={ListFilter}
        title={text("board.noMatch")}
        action={<Button onClick={() => set(NO_FILTER)}>{text("board.clear")}</Button>}
      >
        {text("board.noMatchLead", { count: answer.tasks.length })}
      </EmptyState>
    )
  }
  return (
    <BoardContext value={{ staysOf, marks, drag, tabbable: keys.tabbable, focus: keys.focus }}>
      <p id={CARD_HINT_ID} hidden>
        {text("board.cardHint")}
      </p>
      <p aria-live="assertive" className="sr-only">
        {keys.said}
      </p>
      <div
        ref={root}
        onKeyDown={keys.onKeyDown}
        onClick={(event) => {
          const uuid = cardOf(event.target)
          if (uuid === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          set({ task: uuid }, { replace: false })
        }}
        onFocus={(event) => keys.setActive(cardOf(event.target))}
        onBlur={(event) => keys.letGo(cardOf(event.relatedTarget))}
        data-filters={filterCount(search)}
        className={
          lanes === undefined
            ? "grid min-h-0 flex-1 snap-x scroll-px-3 auto-cols-[minmax(min(236px,80vw),1fr)] grid-flow-col gap-3 overflow-x-auto p-3 md:scroll-px-4 md:p-4"
            : "flex min-h-0 flex-1 flex-col"
        }
      >
        {lanes === undefined || search.lanes === undefined ? (
          COLUMNS.map(({ id }) => <Column key={id} id={id} tasks={columns[id]} />)
        ) : (
          <Lanes lanes={lanes} by={search.lanes} totals={columns} />
        )}
      </div>
      <Suspense>
        {verifying !== undefined && <VerifyTask task={verifying} onClose={() => setVerifying(undefined)} />}
      </Suspense>
    </BoardContext>
  )
}

function NewTaskButton() {
  const text = useText()
  const { openNewTask } = useShell()
  return (
    <Button icon={Plus} onClick={openNewTask}>
      {text("board.newTask")}
    </Button>
  )
}

/** Who is at work here right now; not who is silent, or whose program died. */
function AtWork({ checkins }: { readonly checkins: BoardAnswer["checkins"] }) {
  const text = useText()
  const now = useNow()
  const heard = checkins.filter((stay) => silentSince(stay, now) === undefined)
  if (heard.length === 0) return null
  const sessions = new Set(heard.map(({ sessionUuid }) => sessionUuid))
  const agents = [...new Map(heard.map(({ agent }) => [agent.uuid, agent])).values()]
  return (
    <span className="flex items-center gap-2 text-sm text-muted" role="status">
      <span className="flex -space-x-1">
        {agents.slice(0, 5).map((agent) => (
          <Avatar key={agent.uuid} actor={agent} size="sm" />
        ))}
      </span>
      <span className="hidden sm:inline">{text("board.live", { count: sessions.size })}</span>
    </span>
  )
}

function NoTasks({ projectUuid }: { readonly projectUuid: string }) {
  const text = useText()
  const approving = usePending((about) => about.kind === "proposal" && about.projectUuid === projectUuid && about.yes)
  if (approving !== undefined)
    return (
      <EmptyState
        icon={GitPullRequestArrow}
        title={text("board.approving")}
        action={<PendingNote pending={approving} />}
      >
        {text("board.approvingLead")}
      </EmptyState>
    )
  return (
    <EmptyState
      icon={Lightbulb}
      title={text("board.empty")}
      action={
        <Button asChild tone="primary">
          <Link to="/projects/$projectUuid/ideas" params={{ projectUuid }} state={{ newIdea: true }}>
            {text("board.emptyAction")}
          </Link>
        </Button>
      }
    >
      {text("board.emptyLead")}
    </EmptyState>
  )
}

function marksOf(returned: readonly string[], waiting: NeedsYou["items"]): ReadonlyMap<string, CardMark> {
  const asking = waiting.flatMap(({ kind, task }) => (kind === "attention" && task !== null ? [task.uuid] : []))
  return new Map<string, CardMark>([
    ...returned.map((uuid) => [uuid, "returned"] as const),
    ...asking.map((uuid) => [uuid, "asks"] as const),
  ])
}

function cardOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-card]")?.dataset["card"] : undefined
}
