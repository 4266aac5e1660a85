import type { Actor } from "../src/index.ts"
import type { Workspace } from "./workspace-fixture.ts"

export const LONG =
  "A paragraph that says enough about what will be built, how it hangs together and why it is done this way. ".repeat(2)

export const CRITERIA = [
  { description: "it works" },
  { description: "it is fast", required: false, command: "npm test" },
]

export interface Uuid {
  readonly uuid: string
}

/** An idea that its holder has settled, ready for a proposal. */
export async function settledIdea({ call, project }: Workspace, holder: Actor, title = "An idea"): Promise<string> {
  const { uuid } = await call<Uuid>(holder, "chorus_pm_create_idea", { projectUuid: project, title })
  await call(holder, "chorus_claim_idea", { ideaUuid: uuid })
  await call(holder, "chorus_pm_skip_elaboration", { ideaUuid: uuid, reason: "it is clear" })
  return uuid
}

export interface PlanOptions {
  readonly ideaUuid?: string
  /** Each task with the keys it depends on. */
  readonly tasks?: Record<string, string[]>
}

export interface SubmittedPlan {
  readonly uuid: string
  readonly status: string
  readonly revision: number
  readonly documentDrafts: { draftUuid: string; title: string }[]
  readonly taskDrafts: { draftUuid: string; title: string; key: string }[]
}

/** A proposal that waits for a decision. */
export async function submittedPlan(
  workspace: Workspace,
  author: Actor,
  { ideaUuid, tasks = { a: [], b: ["a"] } }: PlanOptions = {},
): Promise<SubmittedPlan> {
  return workspace.call<SubmittedPlan>(author, "chorus_submit_plan", {
    projectUuid: workspace.project,
    title: "A plan",
    description: "Why and what",
    ideaUuids: [ideaUuid ?? (await settledIdea(workspace, author))],
    documents: [{ type: "tech_design", title: "Design", content: LONG }],
    tasks: Object.entries(tasks).map(([key, dependsOn]) => ({
      key,
      title: `Task ${key}`,
      description: "do it",
      priority: "high",
      storyPoints: 1,
      criteria: CRITERIA,
      dependsOn,
    })),
  })
}
