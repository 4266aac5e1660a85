import { ChorusError, type drafts, proposals } from "@chorus/contracts"
import { checkProposal } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { operation } from "../../operation.ts"
import { draftsOf } from "./draft-record.ts"
import { findProposal } from "./proposal-row.ts"

export const validateProposal = operation(proposals.validateProposal, async ({ db }, { proposalUuid }) =>
  issuesOf(db, await findProposal(db, proposalUuid)),
)

/** What there is to say about a proposal as it stands. */
export async function issuesOf(
  db: Db,
  proposal: Schema["proposals"],
): Promise<{ valid: boolean; issues: proposals.ProposalIssue[] }> {
  const { documents, tasks } = await draftsOf(db, proposal.uuid)
  return checkProposal({
    description: proposal.description,
    inputType: proposal.inputType,
    inputs: await inputsOf(db, proposal.uuid),
    documents,
    tasks: tasks.map((task) => ({ ...task, criteria: task.acceptanceCriteriaItems })),
  })
}

async function inputsOf(db: Db, proposalUuid: string): Promise<{ title: string; resolved: boolean }[]> {
  const rows = await db
    .selectFrom("proposalInputs as i")
    .leftJoin("ideas as idea", "idea.uuid", "i.ideaUuid")
    .leftJoin("documents as document", "document.uuid", "i.documentUuid")
    .select(["idea.title as ideaTitle", "idea.elaborationStatus", "document.title as documentTitle"])
    .where("i.proposalUuid", "=", proposalUuid)
    .orderBy("i.position")
    .execute()
  return rows.map((row) => ({
    title: row.ideaTitle ?? row.documentTitle ?? "",
    resolved: row.elaborationStatus === "resolved",
  }))
}

export function notValid(proposal: Schema["proposals"], issues: readonly proposals.ProposalIssue[]): ChorusError {
  const errors = issues.filter((issue) => issue.level === "error")
  return new ChorusError(
    "proposal_invalid",
    `"${proposal.title}" cannot be submitted: ${errors.map((issue) => `${issue.id} ${issue.message}`).join(" ")}`,
    {
      status: 409,
      next: "Correct the errors and submit again. Nothing was changed.",
      details: { issues },
    },
  )
}

/** A proposal with all it holds, as it was at one moment. */
export interface Snapshot {
  readonly title: string
  readonly description: string | null
  readonly documents: readonly drafts.DocumentDraft[]
  readonly tasks: readonly drafts.TaskDraft[]
}

export async function snapshotOf(
  db: Db,
  { uuid, title, description }: Pick<Schema["proposals"], "uuid" | "title" | "description">,
): Promise<Snapshot> {
  return { title, description, ...(await draftsOf(db, uuid)) }
}
