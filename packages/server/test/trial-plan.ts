/** A plan of the size that was built for real: two documents of some pages, seven tasks, contracts between them. */
export const TRIAL_DOCUMENTS = [
  { type: "prd", title: "Requirements", content: pages("Requirement", ["import", "store", "report", "mail", "page"]) },
  { type: "tech_design", title: "Design", content: pages("Design", ["import", "store", "report", "mail", "page"]) },
]

export const TRIAL_QUESTIONS = [
  ["rows", "How many rows does an import have at most?", "Fifty thousand"],
  ["money", "In which unit are amounts of money kept in the store?", "Cents, as whole numbers"],
  ["mail", "Who gets the mail with the report?", "Whoever asked for it"],
  ["look", "Which colours does the page have?", "Those of the company"],
] as const

export const TRIAL_TASKS = ["import", "store", "report", "mail", "page", "limits", "guide"].map((key, at, all) => ({
  key,
  title: `Build the ${key}`,
  description: `Build the ${key} part as the design says. It reads what the part before it leaves behind and says so when that is missing.`,
  criteria: [
    `The ${key} does what the requirements say about it`,
    `The ${key} refuses what is broken, in words`,
    { description: `The tests of the ${key} pass`, command: `npm test -- ${key}` },
  ],
  ...(at === 0
    ? {}
    : {
        dependsOn: [
          { key: all[at - 1] ?? "", contract: `${all[at - 1]} writes out/${all[at - 1]}.json, one object per row` },
        ],
      }),
}))

function pages(kind: string, parts: readonly string[]): string {
  return parts
    .map(
      (part) =>
        `## ${kind} of the ${part}\n\n${`The ${part} takes its rows one by one, keeps amounts in cents and says what is wrong with a row by its number. `.repeat(4)}\n\n${`What the ${part} cannot read it leaves out and counts. `.repeat(6)}`,
    )
    .join("\n\n")
}
