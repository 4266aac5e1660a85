import type { proposals } from "@chorus/contracts"
import { Link, useParams } from "@tanstack/react-router"
import { GitPullRequestArrow } from "lucide-react"
import { useMemo } from "react"
import {
  Badge,
  Button,
  EmptyState,
  Page,
  Problem,
  RowFacts,
  Rows,
  Section,
  SkeletonRows,
  Who,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followProposals } from "./follow-proposals.ts"
import { howMuch, PROPOSAL_LABEL, PROPOSAL_TONE } from "./proposal-status.ts"

const ORDER = ["pending", "draft", "approved", "closed"] as const satisfies readonly proposals.ProposalStatus[]

/** All plans of a project, those that wait for a person first. */
export function ProposalsPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/proposals" })
  const follow = useMemo(() => followProposals(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_proposals", { projectUuid, pageSize: 100 }, follow)
  const all = answer?.proposals ?? []
  const groups = ORDER.map((each) => ({ status: each, rows: all.filter((row) => row.status === each) })).filter(
    ({ rows }) => rows.length > 0,
  )
  return (
    <Page
      title={text("nav.proposals")}
      beside={all.length > 0 && <span className="text-sm text-faint tabular-nums">{all.length}</span>}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && all.length === 0 && (
        <EmptyState
          icon={GitPullRequestArrow}
          title={text("proposals.empty")}
          action={
            <Button asChild tone="primary">
              <Link to="/projects/$projectUuid/ideas" params={{ projectUuid }}>
                {text("proposals.toIdeas")}
              </Link>
            </Button>
          }
        >
          {text("proposals.emptyLead")}
        </EmptyState>
      )}
      <div className="grid grid-cols-1 gap-6">
        {groups.map(({ status: each, rows }) => (
          <Section key={each} title={text(PROPOSAL_LABEL[each])} count={rows.length}>
            <Rows label={text(PROPOSAL_LABEL[each])}>
              {rows.map((row) => (
                <ProposalItem key={row.uuid} proposal={row} />
              ))}
            </Rows>
          </Section>
        ))}
      </div>
    </Page>
  )
}

function ProposalItem({ proposal }: { readonly proposal: proposals.ProposalRow }) {
  const text = useText()
  return (
    <li className="@container transition-colors duration-100 hover:bg-hover">
      <Link
        to="/projects/$projectUuid/proposals/$proposalUuid"
        params={{ projectUuid: proposal.projectUuid, proposalUuid: proposal.uuid }}
        className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
      >
        <span className="min-w-0 flex-1 basis-48">
          <span className="block truncate font-medium">{proposal.title}</span>
          <span className="block text-xs text-faint">
            {text("proposals.counts", howMuch(text, proposal))}
            {proposal.revision > 1 && ` · ${text("proposals.revision", { number: proposal.revision })}`}
          </span>
        </span>
        <RowFacts at={proposal.updatedAt}>
          <span className="text-sm text-muted">
            <Who actor={proposal.createdBy} />
          </span>
          <Badge tone={PROPOSAL_TONE[proposal.status]}>{text(PROPOSAL_LABEL[proposal.status])}</Badge>
        </RowFacts>
      </Link>
    </li>
  )
}
