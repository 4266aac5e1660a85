import { Panel } from "@xyflow/react"
import { CircleSlash, Search } from "lucide-react"
import { type KeyboardEvent, useMemo, useState } from "react"
import { COLUMNS } from "../board/columns.ts"
import { Button, Input, StatusIcon } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { type Folding, foldingAtFirst, foldOf, foldTasks } from "./folded.ts"
import { Graph } from "./Graph.tsx"
import type { GraphAnswer, GraphNode, Relations } from "./graph.ts"
import { itemOfFold, itemOfTask } from "./items-of.ts"
import { TaskFacts } from "./TaskFacts.tsx"

interface GraphCanvasProps {
  readonly answer: GraphAnswer
  readonly facts: Relations
  readonly proposals: readonly { readonly uuid: string; readonly name: string }[]
  readonly editable: boolean
}

const NONE: ReadonlyMap<string, string> = new Map()

export function GraphCanvas({ answer, facts, proposals, editable }: GraphCanvasProps) {
  const text = useText()
  const [chosen, setChosen] = useState<string>()
  const [find, setFind] = useState("")
  const [sought, setSought] = useState<{ readonly uuid: string }>()
  const plans = useMemo(() => new Map(proposals.map(({ uuid, name }) => [uuid, name])), [proposals])
  const labels = useMemo(
    () => new Map(answer.nodes.flatMap(({ labels: [first] }) => (first === undefined ? [] : [[first, first]]))),
    [answer.nodes],
  )
  // What comes later changes nothing of it: nobody wants a graph to fold, or to unfold, while they read it.
  const [{ by, folds }, setFolding] = useState(() =>
    foldingAtFirst(answer.nodes, [
      { by: "proposal", folds: plans },
      { by: "label", folds: labels },
    ]),
  )
  const {
    tasks,
    folds: folded,
    edges,
  } = useMemo(() => foldTasks(answer.nodes, answer.edges, folds, by), [answer.nodes, answer.edges, folds, by])
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const found = useMemo(
    () =>
      words.length === 0
        ? []
        : answer.nodes.filter(({ title, shortId }) => {
            const whole = `${shortId} ${title}`.toLowerCase()
            return words.every((word) => whole.includes(word))
          }),
    [answer.nodes, find],
  )
  const items = useMemo(
    () => [
      ...folded.map((fold) => itemOfFold(fold, facts, text)),
      ...tasks.map((task) => itemOfTask(task, facts, text)),
    ],
    [tasks, folded, facts, text],
  )
  const shown = useMemo(() => {
    if (found.length === 0) return items
    const lit = new Set(found.flatMap((task) => [task.uuid, foldOf(task, by)]))
    return items.map((item) => (lit.has(item.uuid) ? item : { ...item, dim: true }))
  }, [items, found, by])
  const connect = useAction("chorus_add_task_dependency")
  const remove = useAction("chorus_remove_task_dependency")

  const fold = (next: Folding) => {
    setFolding(next)
    setSought(undefined)
  }
  const unfold = (key: string) => fold({ by, folds: new Map([...folds].filter(([each]) => each !== key)) })
  const choose = (uuid: string | undefined) => {
    if (uuid === undefined || !folds.has(uuid)) return setChosen(uuid)
    unfold(uuid)
    setChosen(undefined)
  }
  const goTo = (next: GraphNode) => {
    const key = foldOf(next, by)
    if (key !== null && folds.has(key)) unfold(key)
    setSought({ uuid: next.uuid })
    setChosen(next.uuid)
  }
  const onFindKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") setFind("")
    if (event.key !== "Enter") return
    const next = found[(found.findIndex(({ uuid }) => uuid === sought?.uuid) + 1) % found.length]
    if (next !== undefined) goTo(next)
  }
  const task = answer.nodes.find(({ uuid }) => uuid === chosen)
  return (
    <>
      <Graph
        key={[...folds.keys()].join()}
        label={text("graph.canvas", { count: answer.nodes.length })}
        items={shown}
        edges={edges}
        dependencies={answer.edges}
        chosen={chosen}
        onChoose={choose}
        sought={sought}
        {...(editable
          ? {
              onConnect: ({ taskUuid, dependsOnUuid }) =>
                void connect.run({ taskUuid, dependsOnTaskUuid: dependsOnUuid }),
              onDisconnect: ({ taskUuid, dependsOnUuid }) =>
                void remove.run({ taskUuid, dependsOnTaskUuid: dependsOnUuid }),
            }
          : {})}
      >
        <Panel position="top-left" className="flex max-w-full flex-wrap items-center gap-2">
          <label className="relative">
            <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
            <Input
              compact
              type="search"
              className="w-52 pl-8 max-sm:w-40"
              placeholder={text("graph.find")}
              aria-label={text("graph.find")}
              value={find}
              onChange={(event) => setFind(event.target.value)}
              onKeyDown={onFindKey}
            />
          </label>
          {words.length > 0 && (
            <span role="status" className="rounded-sm bg-raised px-1.5 py-0.5 text-xs text-muted">
              {text("graph.found", { count: found.length })}
            </span>
          )}
          {folds.size > 0 && (
            <Button size="sm" onClick={() => fold({ by, folds: NONE })}>
              {text("graph.unfold")}
            </Button>
          )}
          {plans.size > 0 && !(folds.size > 0 && by === "proposal") && (
            <Button size="sm" onClick={() => fold({ by: "proposal", folds: plans })}>
              {text("graph.fold")}
            </Button>
          )}
          {labels.size > 0 && !(folds.size > 0 && by === "label") && (
            <Button size="sm" onClick={() => fold({ by: "label", folds: labels })}>
              {text("graph.foldLabels")}
            </Button>
          )}
        </Panel>
        <Panel position="bottom-left">
          <Legend critical={facts.critical.size > 0} />
        </Panel>
        {task !== undefined && (
          <TaskFacts
            task={task}
            answer={answer}
            editable={editable}
            onChoose={goTo}
            onClose={() => setChosen(undefined)}
            onAdd={(dependsOnTaskUuid) => void connect.run({ taskUuid: task.uuid, dependsOnTaskUuid })}
            onRemove={(edge) => void remove.run({ taskUuid: edge.taskUuid, dependsOnTaskUuid: edge.dependsOnUuid })}
          />
        )}
      </Graph>
    </>
  )
}

function Legend({ critical }: { readonly critical: boolean }) {
  const text = useText()
  return (
    <ul
      aria-label={text("graph.legend")}
      className="hidden flex-wrap gap-x-3 gap-y-1 rounded-lg border border-line bg-raised px-3 py-1.5 lg:flex text-xs text-muted shadow-(--shadow-card)"
    >
      {COLUMNS.map(({ id, label, tone }) => (
        <li key={id} className="flex items-center gap-1.5">
          <StatusIcon tone={tone} className="size-3" />
          {text(label)}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <CircleSlash aria-hidden className="size-3 text-faint" />
        {text("graph.closed")}
      </li>
      {critical && (
        <li className="flex items-center gap-1.5">
          <span aria-hidden className="h-0.5 w-4 bg-ink" />
          {text("graph.critical")}
        </li>
      )}
    </ul>
  )
}
