import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"

const w = embeddedWorkspace()

interface Answer {
  readonly total: number
  readonly returned: number
  readonly page: number
  readonly pageSize: number
}

/** Every list that is read page by page, and how to read one with enough in it. */
const LISTS: [name: string, rows: string, input: () => object][] = [
  ["chorus_get_ideas", "ideas", () => ({ projectUuid: w.project })],
  ["chorus_list_tasks", "tasks", () => ({ projectUuid: w.project })],
  ["chorus_get_unblocked_tasks", "tasks", () => ({ projectUuid: w.project })],
  ["chorus_get_documents", "documents", () => ({ projectUuid: w.project })],
  ["chorus_list_agents", "agents", () => ({})],
  ["chorus_list_members", "members", () => ({})],
  ["chorus_list_projects", "projects", () => ({})],
  ["chorus_get_project_groups", "groups", () => ({})],
  ["chorus_list_webhooks", "webhooks", () => ({})],
  ["chorus_list_sessions", "sessions", () => ({})],
  ["chorus_list_attentions", "attentions", () => ({})],
  ["chorus_search", "results", () => ({ query: "walrus" })],
  ["chorus_get_reviews", "reviews", () => ({ targetType: "task", targetUuid: reviewed })],
  ["chorus_get_activity", "activities", () => ({ projectUuid: w.project })],
]

let reviewed = ""

/** Seven of each, several of them made at the very same moment. */
async function furnish(): Promise<void> {
  await w.newTasks({ a: [], b: [], c: [], d: [], e: [], f: [], g: [] })
  reviewed = await w.taskAt("to_verify")
  for (let n = 0; n < 7; n++) {
    const review = { targetType: "task", targetUuid: reviewed, verdict: "pass", summary: `walrus ${n}` }
    await w.call(w.rival, "chorus_submit_review", review)
    await w.newIdea({ title: "A walrus" })
    await w.newSession()
    await w.newProject()
    await w.agent(`Agent ${n}`)
    await w.call(w.pm, "chorus_pm_create_document", { projectUuid: w.project, type: "adr", title: "d", content: "" })
    await w.call(w.developer, "chorus_create_attention", { title: "a" })
    await w.call(w.owner, "chorus_admin_create_project_group", { name: `g${n}` })
    await w.call(w.owner, "chorus_create_webhook", { url: "https://example.test/" })
    await w.call(w.owner, "chorus_invite_member", { name: `m${n}` })
  }
}

describe("a list read page by page", () => {
  const read = async (name: string, rows: string, input: object) => {
    const answer = await w.call<Answer & Record<string, { uuid: string }[]>>(w.owner, name, input)
    return { ...answer, uuids: (answer[rows] ?? []).map(({ uuid }) => uuid) }
  }

  it("shows every row exactly once, whatever the size of its pages", async () => {
    await furnish()
    for (const [name, rows, input] of LISTS) {
      const whole = await read(name, rows, { ...input(), pageSize: 100 })
      expect(whole.uuids.length, name).toBeGreaterThanOrEqual(7)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 9 }), async (pageSize) => {
          const walked: string[] = []
          for (let page = 1; page <= Math.ceil(whole.total / pageSize); page++)
            walked.push(...(await read(name, rows, { ...input(), page, pageSize })).uuids)
          expect(walked).toEqual(whole.uuids)
        }),
        { numRuns: 4 },
      )
    }
  })

  it.each(LISTS)("%s ends with an empty page, however far one goes", async (name, rows, input) => {
    for (const page of [1000, 2 ** 31, Number.MAX_SAFE_INTEGER])
      expect(await read(name, rows, { ...input(), page })).toMatchObject({ returned: 0, uuids: [], page })
  })

  it.each([
    [
      { page: 0, pageSize: 0 },
      { page: 1, pageSize: 1 },
    ],
    [
      { page: -3, pageSize: 1000 },
      { page: 1, pageSize: 100 },
    ],
    [
      { page: "2", pageSize: "5" },
      { page: 2, pageSize: 5 },
    ],
    [
      { page: "two", pageSize: 1.5 },
      { page: 1, pageSize: 20 },
    ],
  ])("brings %j into range: %j", async (given, taken) => {
    expect(await w.call(w.owner, "chorus_list_agents", given)).toMatchObject(taken)
  })
})
