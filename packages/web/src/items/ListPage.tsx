import { useParams } from "@tanstack/react-router"
import { ListFilter, Plus } from "lucide-react"
import { lazy, Suspense, useMemo } from "react"
import { BoardTools, NO_FILTER } from "../board/BoardTools.tsx"
import { COLUMNS, holdersOf, matches } from "../board/columns.ts"
import { type BoardAnswer, followBoard } from "../board/follow-board.ts"
import { useProposalNames } from "../board/use-proposal-names.ts"
import { Button, EmptyState, Page, Problem, SkeletonRows } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useShell } from "../shell/shell-context.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { BulkBar } from "./BulkBar.tsx"
import { LabelHues } from "./LabelChip.tsx"
import { inGroups, inOrder, orderIn } from "./table.ts"
import { Table } from "./Table.tsx"
import { useChoice } from "./use-choice.ts"
import { useItemSearch } from "./use-item-search.ts"
import { useLabels } from "./use-labels.ts"

const OpenTask = lazy(async () => ({ default: (await import("./OpenTask.tsx")).OpenTask }))

/** A project's tasks as a table: for who wants many at a glance, in an order, and several changed at once. */
export function ListPage() {
  const text = useText()
  const format = useFormat()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/list" })
  const follow = useMemo(() => followBoard(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_board", { projectUuid }, follow)
  const { proposals } = useProposalNames(projectUuid)
  const { hues } = useLabels(projectUuid)
  const { person } = useSignedIn()
  const { openNewTask } = useShell()
  const holders = useMemo(() => holdersOf(answer?.tasks ?? []), [answer?.tasks])
  return (
    <Page
      width="full"
      title={text("items.list")}
      beside={
        answer !== undefined && (
          <span className="text-sm text-muted tabular-nums">{format.number(answer.tasks.length)}</span>
        )
      }
      actions={
        mayChange(person) && (
          <Button icon={Plus} onClick={openNewTask}>
            {text("board.newTask")}
          </Button>
        )
      }
      toolbar={<BoardTools layout="list" projectUuid={projectUuid} holders={holders} proposals={proposals} />}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer !== undefined && (
        <LabelHues value={hues}>
          <Listed projectUuid={projectUuid} tasks={answer.tasks} proposals={proposals} holders={holders} />
        </LabelHues>
      )}
      <Suspense>
        <OpenTask title={text("items.list")} />
      </Suspense>
    </Page>
  )
}

interface Named {
  readonly uuid: string
  readonly name: string
}

interface ListedProps {
  readonly projectUuid: string
  readonly tasks: BoardAnswer["tasks"]
  readonly proposals: readonly Named[]
  readonly holders: readonly Named[]
}

function Listed({ projectUuid, tasks, proposals, holders }: ListedProps) {
  const text = useText()
  const { search, set } = useItemSearch()
  const { person } = useSignedIn()
  const order = orderIn(search.sort)
  const shown = useMemo(() => inOrder(tasks.filter(matches(search)), orderIn(search.sort)), [tasks, search])
  const rows = useMemo(() => {
    const names = new Map([...proposals, ...holders].map(({ uuid, name }) => [uuid, name]))
    const column = (id: string) => COLUMNS.find((each) => each.id === id)?.label
    return inGroups(shown, search.group, (key) => {
      const label = search.group === "state" ? column(key) : undefined
      return label === undefined ? (names.get(key) ?? key) : text(label)
    })
  }, [shown, search.group, proposals, holders, text])
  const choice = useChoice(shown)
  if (shown.length === 0)
    return (
      <EmptyState
        icon={ListFilter}
        title={text(tasks.length === 0 ? "board.empty" : "items.noMatch")}
        action={tasks.length > 0 && <Button onClick={() => set(NO_FILTER)}>{text("board.clear")}</Button>}
      >
        {tasks.length === 0 ? text("board.emptyLead") : text("board.noMatchLead", { count: tasks.length })}
      </EmptyState>
    )
  return (
    <>
      <Table
        rows={rows}
        order={order}
        choice={choice}
        onOrder={(by) => set({ sort: order.by === by && !order.down ? `-${by}` : by })}
        onOpen={(uuid) => set({ task: uuid }, { replace: false })}
      />
      {choice.tasks.length > 0 && mayChange(person) && (
        <BulkBar projectUuid={projectUuid} tasks={choice.tasks} onClear={choice.clear} />
      )}
    </>
  )
}
