/** What the scripted team of the demo builds: a small, believable project with work that can go on side by side. */

export const PROJECT = {
  name: "Recipe box",
  description: "A sample project: a scripted team of agents builds it while you watch. Archive it whenever you like.",
}

export const IDEA = {
  title: "Share a recipe by link",
  content:
    "People want to send a recipe to a friend who has no account.\n\n- One tap makes a link.\n- The friend sees the recipe, nicely set, on any phone.\n- The owner can take the link back.",
}

export const QUESTIONS = [
  {
    id: "expiry",
    text: "How long should a shared link work?",
    category: "functional",
    options: [
      { id: "forever", label: "Until it is taken back" },
      { id: "month", label: "For 30 days" },
    ],
  },
  {
    id: "photos",
    text: "Do photos travel with the recipe?",
    category: "scope",
    options: [
      { id: "yes", label: "Yes, scaled down" },
      { id: "later", label: "Later" },
    ],
  },
]

export const ANSWERS = [
  { questionId: "expiry", selectedOptionId: "forever", customText: "But show clearly when a link is active." },
  { questionId: "photos", selectedOptionId: "yes", customText: null },
]

export const DOCUMENTS = [
  {
    type: "prd",
    title: "Sharing recipes",
    content:
      "# Sharing recipes\n\nA recipe can be shared by an unguessable link. Whoever has the link reads the recipe without an account; nobody can find it otherwise.\n\n## Done when\n\n1. A link is made with one tap and copied.\n2. The page of the link loads in under a second on a slow phone.\n3. Taking the link back works at once.",
  },
  {
    type: "tech_design",
    title: "Links and their page",
    content:
      "# Links and their page\n\nA link holds 128 random bits. The table `links` keeps a fingerprint, the recipe and when it was taken back.\n\n```mermaid\nflowchart LR\n  tap[Share] --> api[POST /links]\n  api --> store[(links)]\n  friend[Friend] --> page[/r/:token/]\n  page --> store\n```\n\nThe page is rendered on the server and cached for a minute; taking back clears the cache.",
  },
]

export const TASKS = [
  task(
    "links",
    "Keep links in the database",
    "high",
    2,
    ["A link can be made, found and taken back", "Tokens are kept only as fingerprints"],
    [],
  ),
  task(
    "api",
    "Make and take back links over the API",
    "high",
    2,
    ["Only the owner makes and takes back", "Unknown and revoked links look the same"],
    ["links"],
  ),
  task("photos", "Scale photos for the shared page", "medium", 1, ["A photo is at most 200 KB"], []),
  task(
    "page",
    "Show a shared recipe to anybody",
    "high",
    3,
    ["Loads in under a second on a slow phone", "Reads well without styles"],
    ["links", "photos"],
  ),
  task(
    "button",
    "One tap makes a link and copies it",
    "medium",
    1,
    ["Works with the keyboard", "Says that it was copied"],
    ["api"],
  ),
  task("manage", "List active links and take them back", "medium", 2, ["Taking back works at once"], ["api"]),
  task("limits", "Limit how many links one person makes", "low", 1, ["The limit is told kindly"], ["api"]),
  task("print", "Let a shared recipe be printed on one page", "low", 1, ["One page of A4"], ["page"]),
  task(
    "journey",
    "Test the whole way from tap to friend",
    "medium",
    2,
    ["Runs in a real browser", "Covers taking back"],
    ["page", "button", "manage"],
  ),
]

/** What a worker says when it hands something in, by turns. */
export const REPORTS = [
  "Done and covered by tests. I kept the change small; two follow-ups are noted in the code review.",
  "Works end to end. The slow path was a missing index; with it the query takes 2 ms.",
  "Built behind the existing layout, so nothing else moved. Checked with the keyboard and a screen reader.",
  "Finished. I reused the helper from the first task instead of adding a dependency.",
]

/** Nothing depends on these, so the work goes on while they wait for a verdict. */
export const LEFT_TO_A_PERSON: ReadonlySet<string> = new Set(
  TASKS.filter(({ key }) => key === "limits" || key === "journey").map(({ title }) => title),
)

export const ASKED_ABOUT = "Let a shared recipe be printed on one page"

export const QUESTION_TO_A_PERSON =
  "The printed page could carry the cook's name. Shall I put it there, or keep it private?"

function task(
  key: string,
  title: string,
  priority: "low" | "medium" | "high",
  storyPoints: number,
  criteria: readonly string[],
  dependsOn: readonly string[],
) {
  return {
    key,
    title,
    priority,
    storyPoints,
    criteria,
    dependsOn,
    description: `Part of sharing recipes by link: ${title.toLowerCase()}.`,
  }
}
