import { Link } from "@tanstack/react-router"
import { CircleSlash, X } from "lucide-react"
import { useMemo } from "react"
import { Button, IconButton, Select, StatusIcon } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { type GraphAnswer, type GraphEdge, type GraphNode, waitingFor } from "./graph.ts"
import { toneOf } from "./tone.ts"

interface TaskFactsProps {
  readonly task: GraphNode
  readonly answer: GraphAnswer
  readonly editable: boolean
  onChoose(task: GraphNode): void
  onClose(): void
  onAdd(dependsOnUuid: string): void
  onRemove(edge: GraphEdge): void
}

/** Why the chosen task stands where it stands: what it waits for, and what waits for it. */
export function TaskFacts({ task, answer, editable, onChoose, onClose, onAdd, onRemove }: TaskFactsProps) {
  const text = useText()
  const before = answer.edges.filter(({ taskUuid }) => taskUuid === task.uuid)
  const after = answer.edges.filter(({ dependsOnUuid }) => dependsOnUuid === task.uuid)
  // There may be thousands, and each letter typed beside them would make them anew.
  const offered = useMemo(() => {
    const taken = new Set(
      answer.edges.filter(({ taskUuid }) => taskUuid === task.uuid).map((edge) => edge.dependsOnUuid),
    )
    const after = waitingFor(task.uuid, answer.edges)
    return answer.nodes
      .filter(({ uuid }) => !taken.has(uuid) && !after.has(uuid))
      .map(({ uuid, title }) => (
        <option key={uuid} value={uuid}>
          {title}
        </option>
      ))
  }, [answer, task.uuid])
  const shared = { answer, onChoose, ...(editable ? { onRemove } : {}) }
  return (
    <aside
      aria-label={task.title}
      className="absolute top-3 left-3 z-10 flex max-h-[calc(100%-24px)] w-80 max-w-[calc(100%-24px)] animate-rise flex-col gap-3 overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-(--shadow-raised)"
    >
      <header className="flex items-start gap-2">
        <Mark task={task} />
        <h2 className="min-w-0 flex-1 font-semibold break-words">{task.title}</h2>
        <IconButton icon={X} size="sm" label={text("action.close")} onClick={onClose} />
      </header>
      <Neighbours label={text("graph.waitsFor")} edges={before} end="dependsOnUuid" {...shared} />
      {editable && (
        <Select
          compact
          aria-label={text("graph.addDependency")}
          value=""
          onChange={(event) => onAdd(event.target.value)}
        >
          <option value="" disabled>
            {text("graph.addDependency")}
          </option>
          {offered}
        </Select>
      )}
      <Neighbours label={text("graph.neededBy")} edges={after} end="taskUuid" {...shared} />
      <Button asChild tone="primary">
        <Link
          to="/projects/$projectUuid/tasks/$taskUuid"
          params={{ projectUuid: task.projectUuid, taskUuid: task.uuid }}
        >
          {text("graph.openTask")}
        </Link>
      </Button>
    </aside>
  )
}

interface NeighboursProps {
  readonly label: string
  readonly answer: GraphAnswer
  readonly edges: readonly GraphEdge[]
  readonly end: "taskUuid" | "dependsOnUuid"
  onChoose(task: GraphNode): void
  onRemove?(edge: GraphEdge): void
}

function Neighbours({ label, answer, edges, end, onChoose, onRemove }: NeighboursProps) {
  const text = useText()
  const rows = edges.flatMap((edge) => {
    const task = answer.nodes.find(({ uuid }) => uuid === edge[end])
    return task === undefined ? [] : [{ edge, task }]
  })
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-faint">{label}</h3>
      {rows.length === 0 && <p className="text-sm text-muted">{text("graph.nothing")}</p>}
      <ul className="grid gap-0.5">
        {rows.map(({ edge, task }) => (
          <li key={task.uuid} className="flex items-start">
            <button
              type="button"
              onClick={() => onChoose(task)}
              className="flex min-w-0 flex-1 cursor-pointer items-start gap-2 rounded-md px-1.5 py-1 text-left text-sm hover:bg-hover"
            >
              <Mark task={task} />
              <span className="min-w-0 flex-1 break-words">
                {task.title}
                {end === "dependsOnUuid" && edge.contract !== null && (
                  <span className="block text-xs text-faint">
                    {text("graph.contract", { contract: edge.contract })}
                  </span>
                )}
              </span>
              {task.assignee !== null && <span className="text-xs text-faint">{task.assignee.name}</span>}
            </button>
            {onRemove !== undefined && (
              <IconButton
                icon={X}
                size="sm"
                label={text("graph.removeDependency", { title: task.title })}
                onClick={() => onRemove(edge)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Mark({ task }: { readonly task: GraphNode }) {
  return task.status === "closed" ? (
    <CircleSlash aria-hidden className="mt-0.5 size-3.5 shrink-0 text-faint" />
  ) : (
    <StatusIcon tone={toneOf(task)} className="mt-0.5" />
  )
}
