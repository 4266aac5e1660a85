import { type attentions, type changeRequests, ChorusError, ProjectId, ProposalId, tasks } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import type { AttentionRecord } from "../attentions/attention-row.ts"
import { rewriteDocument } from "../documents/documents.ts"
import { rewriteIdea } from "../ideas/ideas.ts"
import { findProposal } from "../proposals/proposal-row.ts"
import { addTasks } from "../tasks/create-tasks.ts"
import { rewriteTask } from "../tasks/update-task.ts"

/** What a request keeps in the detail of its attention: what is to change, from which version, and both texts. */
export interface Request {
  readonly targetType: changeRequests.ChangeTarget
  readonly targetUuid: string
  readonly target: string
  readonly reason: string
  readonly version?: number
  readonly before?: string
  readonly change: changeRequests.RequestedChange
}

/** Does what a person agreed to; the words stay those of the agent that wrote them. */
export async function applyChange(
  context: OperationContext,
  attention: AttentionRecord,
  { decision, text = "" }: attentions.AttentionAnswer,
): Promise<void> {
  if (decision === undefined)
    throw new ChorusError("decision_missing", "A change waits for a yes or a no.", {
      next: "Approve it, or reject it with a reason.",
    })
  if (decision === "deny" && text.trim() === "")
    throw new ChorusError("reason_missing", "Whoever asked for this change is to hear why it is not made.", {
      next: "Reject it with a reason.",
    })
  if (decision === "deny") return
  const { targetType, targetUuid, version, change } = JSON.parse(attention.detail) as Request
  const { title, content, criteria, tasks: added } = change
  const author = attention.agentUuid === null ? undefined : { type: "agent" as const, uuid: attention.agentUuid }
  const how = { expectedVersion: version, author }
  const words = { ...(title === undefined ? {} : { title }), ...(content === undefined ? {} : { content }) }
  if (targetType === "idea") await rewriteIdea(context, targetUuid, words, how)
  if (targetType === "document") await rewriteDocument(context, targetUuid, words, how)
  if (targetType === "task")
    await rewriteTask(
      context,
      targetUuid,
      {
        ...(title === undefined ? {} : { title }),
        ...(content === undefined ? {} : { description: content }),
        ...(criteria === undefined
          ? {}
          : { criteria: criteria.map((item) => (typeof item === "string" ? { description: item } : item)) }),
      },
      how,
    )
  if (targetType === "proposal") {
    const { projectUuid, uuid } = await findProposal(context.db, targetUuid)
    await addTasks(context, {
      projectUuid: ProjectId.parse(projectUuid),
      proposalUuid: ProposalId.parse(uuid),
      tasks: (added ?? []).map((task) => tasks.NewTask.parse(task)),
    })
  }
}
