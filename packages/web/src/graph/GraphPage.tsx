import { Link, useParams } from "@tanstack/react-router"
import { Network } from "lucide-react"
import { useMemo } from "react"
import { BoardTools } from "../board/BoardTools.tsx"
import { holdersOf, matches } from "../board/columns.ts"
import { useProposalNames } from "../board/use-proposal-names.ts"
import { Button, EmptyState, Page, Problem, Skeleton } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useItemSearch } from "../items/use-item-search.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followGraph, type GraphAnswer, type GraphNode, type Relations, relations } from "./graph.ts"
import { GraphCanvas } from "./GraphCanvas.tsx"

export function GraphPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/graph" })
  const follow = useMemo(() => followGraph(projectUuid), [projectUuid])
  const { proposals, known } = useProposalNames(projectUuid)
  const { person } = useSignedIn()
  const { search } = useItemSearch()
  const whole = useOperation("chorus_get_task_graph", { projectUuid }, follow)
  const { status, error, reload } = whole
  const hasTasks = whole.answer !== undefined && whole.answer.nodes.length > 0
  const holders = useMemo(() => holdersOf(whole.answer?.nodes ?? []), [whole.answer?.nodes])
  const answer = useMemo(
    // What was given up is part of how things came about, so it stays unless it is filtered out otherwise.
    () => whole.answer && narrowed(whole.answer, matches({ ...search, find: undefined, closed: true })),
    [whole.answer, search],
  )
  const facts = useMemo(() => (answer === undefined ? undefined : relations(answer.nodes, answer.edges)), [answer])
  return (
    <Page
      width="full"
      title={text("nav.graph")}
      beside={facts !== undefined && <Critical facts={facts} />}
      toolbar={
        hasTasks && <BoardTools layout="graph" projectUuid={projectUuid} holders={holders} proposals={proposals} />
      }
    >
      {(status === "loading" || (hasTasks && !known)) && <Skeleton className="m-6 min-h-80 flex-1 rounded-xl" />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {whole.answer?.nodes.length === 0 && (
        <EmptyState
          icon={Network}
          title={text("graph.empty")}
          action={
            <Button asChild tone="primary">
              <Link to="/projects/$projectUuid/proposals" params={{ projectUuid }}>
                {text("graph.emptyAction")}
              </Link>
            </Button>
          }
        >
          {text("graph.emptyLead")}
        </EmptyState>
      )}
      {/* How it opens depends on what can be folded. */}
      {known && answer !== undefined && facts !== undefined && answer.nodes.length > 0 && (
        <GraphCanvas
          key={`${projectUuid} ${search.proposal ?? ""} ${search.label ?? ""}`}
          answer={answer}
          facts={facts}
          proposals={proposals}
          editable={mayChange(person)}
        />
      )}
    </Page>
  )
}

/** How much is left along the longest chain, and how far that can be trusted. */
function Critical({ facts: { weight, guessed } }: { readonly facts: Relations }) {
  const text = useText()
  if (weight === 0) return <span className="truncate text-sm text-faint">{text("graph.noEstimates")}</span>
  return (
    <span className="truncate text-sm text-muted">
      {text("graph.criticalWeight", { count: weight })}
      {guessed > 0 && <span className="text-faint"> · {text("graph.guessed", { count: guessed })}</span>}
    </span>
  )
}

function narrowed(answer: GraphAnswer, fits: (node: GraphNode) => boolean): GraphAnswer {
  const nodes = answer.nodes.filter(fits)
  if (nodes.length === answer.nodes.length) return answer
  const shown = new Set(nodes.map(({ uuid }) => uuid))
  const edges = answer.edges.filter(({ taskUuid, dependsOnUuid }) => shown.has(taskUuid) && shown.has(dependsOnUuid))
  return { ...answer, nodes, edges }
}
