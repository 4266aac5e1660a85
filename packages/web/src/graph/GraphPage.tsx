import { Link, useParams } from "@tanstack/react-router"
import { Network } from "lucide-react"
import { useMemo, useState } from "react"
import { useProposalNames } from "../board/use-proposal-names.ts"
import { Button, EmptyState, Page, Problem, Select, Skeleton } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followGraph, relations } from "./graph.ts"
import { GraphCanvas } from "./GraphCanvas.tsx"

export function GraphPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/graph" })
  const follow = useMemo(() => followGraph(projectUuid), [projectUuid])
  const [proposal, setProposal] = useState("")
  const proposals = useProposalNames(projectUuid)
  const { person } = useSignedIn()
  const input = useMemo(
    () => (proposal === "" ? { projectUuid } : { projectUuid, proposalUuids: [proposal] }),
    [projectUuid, proposal],
  )
  const { answer, status, error, reload } = useOperation("chorus_get_task_graph", input, follow)
  const facts = useMemo(() => (answer === undefined ? undefined : relations(answer.nodes, answer.edges)), [answer])
  return (
    <Page
      width="full"
      title={text("nav.graph")}
      beside={
        facts !== undefined &&
        facts.weight > 0 && (
          <span className="text-sm text-muted">{text("graph.criticalWeight", { count: facts.weight })}</span>
        )
      }
      actions={
        proposals.length > 0 && (
          <Select
            compact
            className="w-56 max-sm:w-44"
            aria-label={text("graph.scope")}
            value={proposal}
            onChange={(event) => setProposal(event.target.value)}
          >
            <option value="">{text("graph.scopeAll")}</option>
            {proposals.map(({ uuid, name }) => (
              <option key={uuid} value={uuid}>
                {name}
              </option>
            ))}
          </Select>
        )
      }
    >
      {status === "loading" && <Skeleton className="m-6 min-h-80 flex-1 rounded-xl" />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer?.nodes.length === 0 && (
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
      {answer !== undefined && facts !== undefined && answer.nodes.length > 0 && (
        <GraphCanvas
          key={`${projectUuid} ${proposal}`}
          answer={answer}
          facts={facts}
          proposals={proposals}
          editable={mayChange(person)}
        />
      )}
    </Page>
  )
}
