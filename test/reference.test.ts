import { EVENT_KINDS, signatures } from "@chorus/contracts"
import { beforeAll, expect, test } from "vitest"
import { NOUNS } from "../packages/cli/src/nouns.ts"
import { referencePages } from "../site/reference/book.ts"
import { ROOT } from "./snippets.ts"

let pages: Map<string, string>
beforeAll(async () => {
  pages = await referencePages(ROOT)
})

test("every operation has a section of its own, with its address and what it needs", () => {
  const text = [...pages]
    .filter(([name]) => name.startsWith("operations/") && name !== "operations/index.md")
    .map(([, page]) => page)
    .join("\n")
  for (const { name, needs } of signatures) {
    const section = text.slice(text.indexOf(`## ${name}\n`)).split("\n## ")[0] ?? ""
    expect(section, name).toContain(`/api/v1/${name}`)
    expect(section, name).toContain(`needs \`${needs}\``)
  }
})

test("every listed tool is in the table, with who sees it", () => {
  const tools = pages.get("tools.md") ?? ""
  for (const { name } of signatures.filter(({ tool }) => tool === "listed")) expect(tools).toContain(`[\`${name}\`](`)
  expect(tools).toMatch(/`chorus_next_task`\]\([^)]*\) \| \*\*lean\*\*/)
  expect(tools).toMatch(/`chorus_admin_approve_proposal`\]\([^)]*\) \| – \| – \|/)
})

test("every command and event is told", () => {
  for (const noun of Object.keys(NOUNS)) expect(pages.get("commands.md")).toContain(`## chorus ${noun}\n`)
  for (const kind of Object.keys(EVENT_KINDS)) expect(pages.get("events.md")).toContain(`| \`${kind}\` |`)
})

test("an operation's errors are those that its code can come to, however far away they are thrown", () => {
  const claim = sectionOf("operations/tasks.md", "chorus_claim_task")
  expect(claim).toContain("[`already_claimed`](../errors.md#already_claimed)")
  expect(claim).not.toContain("proposal_invalid")
  expect(sectionOf("operations/proposals.md", "chorus_submit_plan")).toContain("proposal_invalid")
})

test("each error has its status, what it says and what to do, with what is filled in left open", () => {
  const section = sectionOf("errors.md", "already_claimed")
  expect(section).toContain("| 409 |")
  expect(section).toContain("chorus\\_next\\_task finds one that is ready for you.")
  expect(pages.get("errors.md")).not.toContain("${")
})

test("what the source says about a field is told with its limits", () => {
  expect(sectionOf("operations/proposals.md", "chorus_submit_plan")).toContain(
    "Claims open ideas and skips their questions, saying why. (at most 2000 characters)",
  )
})

test("settings have an option's variable, a variable's meaning, a project's switches and the plugin's options", () => {
  const settings = pages.get("settings.md") ?? ""
  for (const told of ["`CHORUS_PORT` | `--port <number>`", "`CHORUS_LOG` |", "`requireReview` |", "`answer_seconds` |"])
    expect(settings).toContain(told)
})

function sectionOf(page: string, heading: string): string {
  const text = pages.get(page) ?? ""
  return text.slice(text.indexOf(`## ${heading}\n`)).split("\n## ")[0] ?? ""
}
