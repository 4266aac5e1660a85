import { ChorusError, proposals } from "@chorus/contracts"
import { afterStep, isOwnProposal, type ProposalStep, stepFrom } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { type Actor, forbidden, operation, type OperationContext } from "../../operation.ts"
import { assertReviewed } from "../reviews/review-gate.ts"
import { settleOpen } from "../reviews/reviews.ts"
import { tellPlanner } from "../runs/runs.ts"
import { settingsOfProject } from "../task-work/settings.ts"
import { materialise, materialised } from "./materialise.ts"
import { findProposal } from "./proposal-row.ts"
import { undoMaterialised } from "./revoke.ts"

export const approveProposal = operation(proposals.approveProposal, async (context, { proposalUuid, reviewNote }) => {
  const { db } = context
  const proposal = await hold(context, proposalUuid)
  if (proposal.status === "approved") return { ...stepOf(proposal), ...(await materialised(db, proposalUuid)) }
  const { allowSelfApproval, requireReview } = await settingsOfProject(db, proposal.projectUuid)
  if (!allowSelfApproval && (await isOwn(db, context.actor, proposal))) throw selfApproval(proposal)
  if (requireReview)
    await assertReviewed(context, {
      targetUuid: proposalUuid,
      title: proposal.title,
      since: proposal.submittedAt ?? proposal.createdAt,
    })
  const approved = await decide(context, proposal, "approve", "approved", reviewNote ?? null)
  await settleOpen(context, proposalUuid, proposal.projectUuid)
  await materialise(context, approved)
  return { ...stepOf(approved), ...(await materialised(db, proposalUuid)) }
})

export const rejectProposal = operation(proposals.rejectProposal, async (context, { proposalUuid, reviewNote }) => {
  const proposal = await hold(context, proposalUuid)
  assertOwnOrAdmin(context.actor, proposal)
  const rejected = await decide(context, proposal, "reject", "rejected", reviewNote)
  await tellWhoPlanned(context, rejected)
  return stepOf(rejected)
})

export const closeProposal = operation(proposals.closeProposal, async (context, { proposalUuid, reviewNote }) => {
  return stepOf(await decide(context, await hold(context, proposalUuid), "close", "closed", reviewNote))
})

export const revokeProposal = operation(proposals.revokeProposal, async (context, { proposalUuid, reviewNote }) => {
  const proposal = await hold(context, proposalUuid)
  assertOwnOrAdmin(context.actor, proposal)
  await assertMayUndo(context, proposal)
  const revoked = await decide(context, proposal, "revoke", "revoked", reviewNote ?? null)
  return { ...stepOf(revoked), ...(await undoMaterialised(context, revoked)) }
})

/** The run that made the plan goes on with the reason; a plan that somebody makes at a terminal is told of by its inbox. */
async function tellWhoPlanned(context: OperationContext, proposal: Schema["proposals"]): Promise<void> {
  const { uuid, title, submittedAt, reviewNote } = proposal
  if (submittedAt === null) return
  const words = [
    `Your plan "${title}" was rejected by ${context.actor.name}: ${reviewNote ?? ""}`,
    `\`chorus_get_proposal\` has what was found. Submit it anew with \`chorus_submit_plan\` and \`proposalUuid\`: ${uuid}`,
  ].join("\n\n")
  for (const ideaUuid of await ideasOf(context.db, uuid))
    await tellPlanner(context, ideaUuid, { askedAt: submittedAt, words })
}

async function ideasOf(db: Db, proposalUuid: string): Promise<string[]> {
  const inputs = await db
    .selectFrom("proposalInputs")
    .select("ideaUuid")
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("position")
    .execute()
  return inputs.flatMap(({ ideaUuid }) => ideaUuid ?? [])
}

/** What has been worked on is not undone by an agent. */
async function assertMayUndo({ db, actor }: OperationContext, proposal: Schema["proposals"]): Promise<void> {
  if (actor.type !== "agent") return
  const begun = await db
    .selectFrom("tasks")
    .select("title")
    .where("proposalUuid", "=", proposal.uuid)
    .where(({ or, eb }) =>
      or([eb("status", "in", ["in_progress", "to_verify", "done"]), eb("startedAt", "is not", null)]),
    )
    .execute()
  if (begun.length === 0) return
  throw new ChorusError(
    "needs_person",
    `Work has been done on ${begun.length} ${begun.length === 1 ? "task" : "tasks"} of "${proposal.title}", so revoking it is for a person to decide.`,
    {
      status: 403,
      next: "Ask a person to revoke it, with chorus_create_attention.",
      details: { targetType: "proposal", targetUuid: proposal.uuid },
    },
  )
}

type Outcome = Exclude<Schema["proposalRevisions"]["outcome"], "pending">

/** Takes a step and writes it on the submitted revision. Whoever holds the proposal is alone in deciding it. */
async function decide(
  { db, actor, now, emit }: OperationContext,
  proposal: Schema["proposals"],
  step: ProposalStep,
  outcome: Outcome,
  note: string | null,
) {
  const status = afterStep(step, proposal.status)
  if (status === undefined) throw wrongStatus(proposal, step)
  const by = { reviewedByType: actor.type, reviewedByUuid: actor.uuid, reviewNote: note, reviewedAt: now }
  const row = await db
    .updateTable("proposals")
    .set({ status, ...by, updatedAt: now })
    .where("uuid", "=", proposal.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  await db
    .updateTable("proposalRevisions")
    .set({ outcome, note, decidedByType: actor.type, decidedByUuid: actor.uuid, decidedAt: now })
    .where("proposalUuid", "=", proposal.uuid)
    .where("revision", "=", proposal.revision)
    .where("outcome", "=", step === "revoke" ? "approved" : "pending")
    .execute()
  const patch = { title: row.title, status, reviewNote: note, updatedAt: now }
  emit({
    kind: `proposal.${outcome}`,
    entityType: "proposal",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return row
}

async function hold({ db, engine }: OperationContext, proposalUuid: string): Promise<Schema["proposals"]> {
  await lock({ db, engine }, `proposal:${proposalUuid}`)
  return findProposal(db, proposalUuid)
}

async function isOwn(db: Db, actor: Actor, proposal: Schema["proposals"]): Promise<boolean> {
  const submitted = await db
    .selectFrom("proposalRevisions")
    .select(["submittedByType", "submittedByUuid"])
    .where("proposalUuid", "=", proposal.uuid)
    .execute()
  const edited = await db
    .selectFrom("draftVersions")
    .select(["changedByType", "changedByUuid"])
    .distinct()
    .where("proposalUuid", "=", proposal.uuid)
    .execute()
  const authors = [
    { type: proposal.createdByType, uuid: proposal.createdByUuid },
    ...submitted.map((row) => ({ type: row.submittedByType, uuid: row.submittedByUuid })),
  ]
  return isOwnProposal(
    actor,
    authors,
    edited.map((row) => ({ type: row.changedByType, uuid: row.changedByUuid })),
  )
}

function assertOwnOrAdmin(actor: Actor, proposal: Schema["proposals"]): void {
  const own = proposal.createdByType === actor.type && proposal.createdByUuid === actor.uuid
  if (own || actor.permissions.has("proposal:admin") || actor.type === "system") return
  throw forbidden(
    `"${proposal.title}" is not your proposal.`,
    "Let its author do this, or somebody with proposal:admin.",
  )
}

function stepOf({ uuid, title, status }: Schema["proposals"]) {
  return { uuid, title, status }
}

function wrongStatus(proposal: Schema["proposals"], step: ProposalStep): ChorusError {
  return new ChorusError(
    "wrong_status",
    `"${proposal.title}" is ${proposal.status}; to ${step} it, it must be ${stepFrom(step).join(" or ")}.`,
    {
      status: 409,
      next: "Get the proposal to see how it was decided and by whom.",
      details: { proposalUuid: proposal.uuid, status: proposal.status, step },
    },
  )
}

function selfApproval(proposal: Schema["proposals"]): ChorusError {
  return new ChorusError(
    "self_approval",
    `You worked on "${proposal.title}" yourself, so somebody else must approve it.`,
    {
      status: 403,
      next: `Let another person or agent approve it, or turn on "Authors may approve their own proposals" in the project's settings.`,
      details: { proposalUuid: proposal.uuid },
    },
  )
}
