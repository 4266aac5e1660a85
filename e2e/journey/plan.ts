/** Who builds a task: a sub-agent of the lead, or a member of the mixed team. */
export type Builder = "sub-agent" | "claude" | "codex" | "opencode"

export interface PlannedTask {
  readonly key: string
  readonly title: string
  readonly builder: Builder
  readonly after: readonly string[]
}

const task = (key: string, title: string, builder: Builder, after: readonly string[] = []): PlannedTask => ({
  key,
  title,
  builder,
  after,
})

/** What the planner proposes: five tasks for sub-agents, and four for a team, the last of which waits for two others. */
export const PLAN: readonly PlannedTask[] = [
  task("links", "Keep a link for each recipe", "sub-agent"),
  task("page", "Show the shared page", "sub-agent"),
  task("copy", "Copy the link with one click", "sub-agent"),
  task("revoke", "Take a link back", "sub-agent"),
  task("visits", "Count the visits", "sub-agent"),
  task("preview", "Preview card for chats", "claude"),
  task("guesses", "Limit guesses per minute", "codex"),
  task("words", "Words in two languages", "opencode"),
  task("news", "Tell people about it", "codex", ["preview", "page"]),
]

export const IDEA = {
  title: "Share a recipe by link",
  content: "People send me photos of my recipes. Let them send a link instead.",
}

export const QUESTION = {
  id: "expiry",
  text: "How long should a link work?",
  category: "functional",
  options: [
    { id: "forever", label: "Until taken back" },
    { id: "month", label: "30 days" },
  ],
}

export const PROPOSAL = {
  title: "Links that can be taken back",
  description: "Everything that does not wait for something else is built side by side.",
  documents: [
    {
      type: "prd",
      title: "Sharing",
      content:
        "A recipe can be shared by a link that nobody can guess. The link works until its owner takes it back; then the page says so in plain words. ",
    },
  ],
  tasks: PLAN.map(({ key, title, after }) => ({
    key,
    title,
    description: `${title}.`,
    priority: after.length > 0 ? "low" : "medium",
    storyPoints: 1,
    criteria: [`${title}: it works`, `${title}: a test shows it`],
    dependsOn: after,
  })),
}

export function builtBy(...builders: readonly Builder[]): readonly PlannedTask[] {
  return PLAN.filter(({ builder }) => builders.includes(builder))
}
