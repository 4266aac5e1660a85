import { Link } from "@tanstack/react-router"
import { X } from "lucide-react"
import { Button, IconButton, StatusIcon } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { GraphAnswer, GraphNode, Relations } from "./graph.ts"
import { toneOf } from "./TaskNode.tsx"

interface TaskFactsProps {
  readonly task: GraphNode
  readonly answer: GraphAnswer
  readonly facts: Relations
  onChoose(uuid: string): void
  onClose(): void
}

/** Why the chosen task stands where it stands: what it waits for, and what waits for it. */
export function TaskFacts({ task, answer, facts, onChoose, onClose }: TaskFactsProps) {
  const text = useText()
  const before = facts.blockers.get(task.uuid) ?? []
  const after = answer.edges
    .filter(({ dependsOnUuid }) => dependsOnUuid === task.uuid)
    .flatMap(({ taskUuid }) => answer.nodes.find(({ uuid }) => uuid === taskUuid) ?? [])
  const contractOf = (uuid: string) =>
    answer.edges.find((edge) => edge.taskUuid === task.uuid && edge.dependsOnUuid === uuid)?.contract ?? undefined
  return (
    <aside
      aria-label={task.title}
      className="absolute top-3 left-3 z-10 flex max-h-[calc(100%-24px)] w-80 max-w-[calc(100%-24px)] animate-rise flex-col gap-3 overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-(--shadow-raised)"
    >
      <header className="flex items-start gap-2">
        <StatusIcon tone={toneOf(task)} className="mt-1" />
        <h2 className="min-w-0 flex-1 font-semibold break-words">{task.title}</h2>
        <IconButton icon={X} size="sm" label={text("action.close")} onClick={onClose} />
      </header>
      <Neighbours label={text("graph.waitsFor")} tasks={before} contractOf={contractOf} onChoose={onChoose} />
      <Neighbours label={text("graph.neededBy")} tasks={after} onChoose={onChoose} />
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
  readonly tasks: readonly GraphNode[]
  contractOf?(uuid: string): string | undefined
  onChoose(uuid: string): void
}

function Neighbours({ label, tasks, contractOf, onChoose }: NeighboursProps) {
  const text = useText()
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-faint">{label}</h3>
      {tasks.length === 0 && <p className="text-sm text-muted">{text("graph.nothing")}</p>}
      <ul className="grid gap-0.5">
        {tasks.map((task) => {
          const contract = contractOf?.(task.uuid)
          return (
            <li key={task.uuid}>
              <button
                type="button"
                onClick={() => onChoose(task.uuid)}
                className="flex w-full cursor-pointer items-start gap-2 rounded-md px-1.5 py-1 text-left text-sm hover:bg-hover"
              >
                <StatusIcon tone={toneOf(task)} className="mt-0.5" />
                <span className="min-w-0 flex-1">
                  {task.title}
                  {contract !== undefined && (
                    <span className="block text-xs text-faint">{text("graph.contract", { contract })}</span>
                  )}
                </span>
                {task.assignee !== null && <span className="text-xs text-faint">{task.assignee.name}</span>}
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
