import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { embeddedWorkspace } from "./embedded-workspace.ts"
import { trackingCost } from "./tracking-cost.ts"

const DOCS = join(import.meta.dirname, "..", "..", "..", "docs")
const w = embeddedWorkspace()

it("tracking costs an agent what the books say, and both ways hand the task in", async () => {
  const { hooks, hand } = await trackingCost(w)
  const { tasks } = await w.call<{ tasks: { title: string; status: string }[] }>(w.owner, "chorus_list_tasks", {
    projectUuid: w.project,
  })
  expect(tasks.filter(({ title }) => title === "Basket").map(({ status }) => status)).toEqual([
    "to_verify",
    "to_verify",
  ])
  for (const book of ["claude-code.md", "zh/claude-code.md"]) {
    const rows = readFileSync(join(DOCS, book), "utf8").split("\n")
    const figures = rows.flatMap(
      (row) => /^\| (?:calls|tokens|调用|token)[^|]*\| (\d+) \| (\d+) \|$/.exec(row)?.slice(1).map(Number) ?? [],
    )
    expect(figures, book).toEqual([hooks.calls, hand.calls, hooks.tokens, hand.tokens])
  }
})
