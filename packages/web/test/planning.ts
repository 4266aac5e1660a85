import type { elaboration, ideas, InputOf, proposals } from "@chorus/contracts"
import { owner } from "./stage.tsx"
import { hire, type Hired, makeProject } from "./workplace.ts"

type Plan = InputOf<typeof proposals.submitPlan>

/** Long enough for the rules of a plan. */
export const PROSE =
  "Whoever presses the switch has light within a tenth of a second, at any hour, without looking for it first. "

export interface Planned {
  readonly projectUuid: string
  readonly ideaUuid: string
  readonly proposalUuid: string
  readonly planner: Hired
  /** Of each draft by its title. */
  draft(title: string): string
}

/** The uuid of a new idea. */
export async function makeIdea(
  projectUuid: string,
  title = "Light in the hall",
  more: Partial<InputOf<typeof ideas.createIdea>> = {},
): Promise<string> {
  return (await owner.call("chorus_pm_create_idea", { projectUuid, title, ...more })).uuid
}

/** A question with two answers to choose from. */
export function question(
  id: string,
  text: string,
  more: Partial<InputOf<typeof elaboration.startElaboration>["questions"][number]> = {},
) {
  return {
    id,
    text,
    category: "scope" as const,
    options: [
      { id: "yes", label: `Yes, ${id}`, description: "It is worth it" },
      { id: "no", label: `No ${id}` },
    ],
    ...more,
  }
}

/** Claimed by the agent, with one round of questions about it. */
export async function ask(
  { client }: Hired,
  ideaUuid: string,
  ...questions: readonly ReturnType<typeof question>[]
): Promise<string> {
  await client.call("chorus_claim_idea", { ideaUuid }).catch(() => undefined)
  return (await client.call("chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [...questions] }))
    .uuid
}

/** A plan that waits for review: one document and two tasks, the second after the first, but for what a test says. */
export async function submitPlan(more: Partial<Plan> = {}): Promise<Planned> {
  const planner = await hire("Planner")
  const projectUuid = more.projectUuid ?? (await makeProject("House"))
  const ideaUuid = await makeIdea(projectUuid)
  const plan = await planner.client.call("chorus_submit_plan", {
    projectUuid,
    title: "Lamps on every floor",
    description: "Wire first, lamps second.",
    ideaUuids: [ideaUuid],
    skipElaboration: "Small and clear.",
    documents: [{ type: "prd", title: "What light is for", content: `# What light is for\n\n${PROSE.repeat(2)}` }],
    tasks: [
      {
        key: "wire",
        title: "Lay the wire",
        description: "Under the **floor**.",
        priority: "high",
        storyPoints: 2,
        criteria: ["It carries current", { description: "It is hidden", required: false }],
      },
      {
        key: "lamp",
        title: "Hang the lamp",
        storyPoints: 0.5,
        criteria: [{ description: "It shines", command: "npm test" }],
        dependsOn: ["wire"],
      },
    ],
    ...more,
  })
  const drafts = new Map([...plan.documentDrafts, ...plan.taskDrafts].map(({ title, draftUuid }) => [title, draftUuid]))
  return { projectUuid, ideaUuid, proposalUuid: plan.uuid, planner, draft: (title) => drafts.get(title) ?? "" }
}
