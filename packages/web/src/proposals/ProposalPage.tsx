import type { proposals } from "@chorus/contracts"
import { Link, useParams } from "@tanstack/react-router"
import { MessageSquareQuote } from "lucide-react"
import { useMemo, useState } from "react"
import { Comments } from "../comments/Comments.tsx"
import {
  Badge,
  Page,
  PendingNote,
  Problem,
  Section,
  SkeletonRows,
  Tabs,
  usePending,
  When,
  Who,
} from "../design/index.ts"
import { Editor } from "../documents/Editor.tsx"
import { Decisions } from "../ideas/Decisions.tsx"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { Cost } from "../sections/Cost.tsx"
import { History } from "../sections/History.tsx"
import { References } from "../sections/References.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Returned } from "../tasks/Returned.tsx"
import { Reviews } from "../tasks/Reviews.tsx"
import { AskedBefore } from "./AskedBefore.tsx"
import { Checklist } from "./Checklist.tsx"
import { Comparison } from "./Comparison.tsx"
import { DocumentDrafts, TaskDrafts } from "./Drafts.tsx"
import { EditTaskDraft } from "./EditTaskDraft.tsx"
import { PlanCommands } from "./PlanCommands.tsx"
import { PlanShare } from "./PlanShare.tsx"
import { PlanGraph } from "./PlanGraph.tsx"
import { ProposalActions } from "./ProposalActions.tsx"
import { PROPOSAL_LABEL, PROPOSAL_TONE } from "./proposal-status.ts"
import { Revisions } from "./Revisions.tsx"
import { firstComparison } from "./revision-diff.ts"

type Part = "comments" | "reviews" | "revisions" | "decisions" | "activity"

/** A plan to be judged: what changed, what it says, what will be built, and what others think of it. */
export function ProposalPage() {
  const text = useText()
  const { projectUuid, proposalUuid } = useParams({ from: "/projects/$projectUuid/proposals/$proposalUuid" })
  const follow = useMemo(
    () =>
      reloadWhen<proposals.ProposalDetail>(
        ({ entityType, entityUuid, patch }) =>
          (entityType === "proposal" && entityUuid === proposalUuid) ||
          (entityType === "draft" && patch.proposalUuid === proposalUuid) ||
          ((entityType === "reference" || entityType === "review" || entityType === "finding") &&
            patch.targetUuid === proposalUuid),
      ),
    [proposalUuid],
  )
  const {
    answer: proposal,
    status,
    error,
    reload,
  } = useOperation("chorus_get_proposal", { proposalUuid, section: "full" }, follow)
  const pending = usePending(({ uuid }) => uuid === proposalUuid)
  return (
    <Page
      width="wide"
      from={
        <Link to="/projects/$projectUuid/proposals" params={{ projectUuid }}>
          {text("nav.proposals")}
        </Link>
      }
      title={proposal?.title ?? text("app.loading")}
      beside={
        proposal !== undefined &&
        pending === undefined && (
          <Badge tone={PROPOSAL_TONE[proposal.status]}>{text(PROPOSAL_LABEL[proposal.status])}</Badge>
        )
      }
      thumb={proposal?.status === "pending" && pending === undefined}
      actions={
        proposal !== undefined && (
          <>
            <PlanShare />
            <ProposalActions proposal={proposal} />
          </>
        )
      }
    >
      {pending !== undefined && (
        <div className="mb-4">
          <PendingNote pending={pending} />
        </div>
      )}
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {proposal !== undefined && <Plan proposal={proposal} />}
    </Page>
  )
}

function Plan({ proposal }: { readonly proposal: proposals.ProposalDetail }) {
  const text = useText()
  const { person } = useSignedIn()
  const [part, setPart] = useState<Part>("comments")
  const [edited, setEdited] = useState<string>()
  const update = useAction("chorus_pm_update_document_draft")
  const { uuid, projectUuid, review } = proposal
  const tasks = proposal.taskDrafts ?? []
  const documentDraft = proposal.documentDrafts?.find((draft) => draft.uuid === edited)
  const taskDraft = tasks.find((draft) => draft.uuid === edited)
  const onEdit =
    mayChange(person) && (proposal.status === "draft" || proposal.status === "pending") ? setEdited : undefined
  const done = () => setEdited(undefined)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (draftUuid: string) =>
    setOpen((now) =>
      now.has(draftUuid) ? new Set([...now].filter((each) => each !== draftUuid)) : new Set([...now, draftUuid]),
    )
  const reveal = (draftUuid: string) => {
    setOpen((now) => new Set([...now, draftUuid]))
    document.getElementById(`draft-${draftUuid}`)?.scrollIntoView({ block: "center", behavior: "smooth" })
  }
  return (
    <div className="grid grid-cols-1 gap-8">
      <div className="grid grid-cols-1 gap-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <Who actor={proposal.createdBy} />
          {proposal.revision > 0 && <span>{text("proposals.revision", { number: proposal.revision })}</span>}
          {proposal.submittedAt !== null && <When at={proposal.submittedAt} />}
          {proposal.status === "approved" && <Cost of={{ proposalUuid: uuid }} />}
          {proposal.ideaUuid !== null && (
            <Link
              to="/projects/$projectUuid/ideas/$ideaUuid"
              params={{ projectUuid, ideaUuid: proposal.ideaUuid }}
              className="text-accent hover:underline print:hidden"
            >
              {text("proposals.openIdea")}
            </Link>
          )}
        </p>
        {proposal.askedBefore !== undefined && <AskedBefore asked={proposal.askedBefore} />}
        {proposal.returned !== undefined && <Returned returned={proposal.returned} />}
        {(proposal.returned ?? proposal.askedBefore) === undefined && review !== null && review.reviewNote !== null && (
          <blockquote className="flex items-start gap-2 rounded-lg bg-canvas px-4 py-3 text-sm">
            <MessageSquareQuote aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
            <span className="min-w-0 flex-1">
              <Markdown source={review.reviewNote} />
              <span className="mt-1 flex items-center gap-1.5 text-xs text-faint">
                <Who actor={review.reviewedBy} />
                {review.reviewedAt !== null && <When at={review.reviewedAt} />}
              </span>
            </span>
          </blockquote>
        )}
        {proposal.description !== null && proposal.description !== "" && (
          <Markdown source={proposal.description} className="max-w-4xl" />
        )}
      </div>
      {(proposal.status === "draft" || proposal.status === "pending") && <PlanCommands tasks={tasks} />}
      {firstComparison(proposal.revision, proposal.status) !== undefined && (
        <Section title={text("proposals.changes")}>
          <Comparison proposalUuid={uuid} revision={proposal.revision} status={proposal.status} />
        </Section>
      )}
      {documentDraft !== undefined && (
        <Section title={text("proposals.editDocument")}>
          <Editor
            key={documentDraft.uuid}
            subject={documentDraft}
            save={(written) =>
              update.run({ proposalUuid: uuid, draftUuid: documentDraft.uuid, ...written }, { tell: false })
            }
            onDone={done}
          />
        </Section>
      )}
      {taskDraft !== undefined && (
        <EditTaskDraft
          key={taskDraft.uuid}
          proposalUuid={uuid}
          draft={taskDraft}
          others={tasks.filter((draft) => draft !== taskDraft)}
          onClose={done}
        />
      )}
      <PlanGraph proposal={proposal} tasks={tasks} onChoose={reveal} />
      <div className="grid grid-cols-1 gap-8 xl:grid-cols-2">
        <div className="min-w-0">
          {documentDraft === undefined && <DocumentDrafts proposal={proposal} onEdit={onEdit} />}
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-8">
          {(proposal.status === "draft" || proposal.status === "pending") && (
            <Section title={text("proposals.checks")}>
              <Checklist proposalUuid={uuid} />
            </Section>
          )}
          <TaskDrafts proposal={proposal} onEdit={onEdit} open={open} onToggle={toggle} />
          <References targetType="proposal" targetUuid={uuid} references={proposal.references} />
        </div>
      </div>
      <div className="max-w-4xl print:hidden">
        <Tabs<Part>
          label={text("proposals.parts")}
          value={part}
          onChange={setPart}
          tabs={[
            {
              value: "comments",
              label: text("comments.title"),
              content: <Comments targetType="proposal" targetUuid={uuid} />,
            },
            {
              value: "reviews",
              label: text("tasks.reviews"),
              content: <Reviews targetType="proposal" targetUuid={uuid} open={proposal.status === "pending"} />,
            },
            { value: "revisions", label: text("proposals.revisions"), content: <Revisions proposalUuid={uuid} /> },
            {
              value: "decisions",
              label: text("ideas.decisions"),
              content: <Decisions entityType="proposal" entityUuid={uuid} />,
            },
            {
              value: "activity",
              label: text("nav.activity"),
              content: <History projectUuid={projectUuid} entityUuid={uuid} />,
            },
          ]}
        />
      </div>
    </div>
  )
}
