import type { Signature } from "@chorus/contracts"
import { z } from "zod"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../src/index.ts"
import { type Furniture, furnish } from "./furnished-project.ts"
import { inputSchema } from "./sample-input.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Page {
  returned: number
  page: number
  pageSize: number
  total: number
}

/** The log goes by a place in it; what needs a person is one queue, counted as a whole; sums are no lists. */
const OTHERWISE = new Set([
  "chorus_list_events",
  "chorus_needs_you",
  "chorus_get_usage",
  "chorus_get_flow",
  "chorus_get_run_spend",
])

const lists = operations
  .map(({ signature }): Signature => signature)
  .filter(
    ({ name, output }) => !OTHERWISE.has(name) && (name.startsWith("chorus_list_") || "total" in fieldsOf(output)),
  )

let w: Workspace
let there: Furniture
beforeAll(async () => {
  w = await openWorkspace()
  there = await furnish(w, w.owner, w.admin, w.project, "Paged")
})
afterAll(() => w.close())

it("is for every list, going in and coming out", () => {
  expect(lists.length).toBeGreaterThan(18)
  for (const { name, input, output } of lists) {
    const takes = Object.keys(inputSchema({ input } as Signature).properties ?? {})
    expect(takes, name).toEqual(
      expect.arrayContaining(name === "chorus_get_notifications" ? ["limit", "offset"] : ["page", "pageSize"]),
    )
    expect(Object.keys(fieldsOf(output)), name).toEqual(
      expect.arrayContaining(["returned", "page", "pageSize", "total"]),
    )
  }
})

describe("each list", () => {
  it.each(lists.filter(({ name }) => name !== "chorus_get_notifications"))(
    "$name gives a page of one, and nothing beyond the last",
    async (signature) => {
      const input = required(signature)
      const page = (more: object) => w.call<Page>(w.owner, signature.name, { ...input, ...more })
      const one = await page({ pageSize: 1 })
      expect(one).toMatchObject({ page: 1, pageSize: 1, returned: Math.min(1, one.total) })
      expect(await page({ pageSize: 1, page: one.total + 1 })).toMatchObject({ returned: 0, total: one.total })
    },
  )
})

describe("a list that others add to", () => {
  const all = async <Row>(name: string, list: string, input: object, behind: (last: Row) => object) => {
    const found: Row[] = []
    for (let more = {}; ;) {
      const rows = (await w.call<Record<string, Row[]>>(w.owner, name, { ...input, ...more }))[list] ?? []
      found.push(...rows)
      const last = rows.at(-1)
      if (last === undefined) return found
      more = behind(last)
    }
  }

  it("goes on behind the last task of the page before, of many made at once too", async () => {
    const acceptanceCriteriaItems = [{ description: "works" }]
    const projectUuid = (await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", { name: "Deep" })).uuid
    for (const count of [5, 1, 4])
      await w.call(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: Array.from({ length: count }, (_, n) => ({ title: `${count}.${n}`, acceptanceCriteriaItems })),
      })
    const uuids = (rows: readonly { uuid: string }[]) => rows.map(({ uuid }) => uuid)
    const { tasks: whole } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_list_tasks", {
      projectUuid,
      pageSize: 100,
    })
    const read = await all<{ uuid: string }>(
      "chorus_list_tasks",
      "tasks",
      { projectUuid, pageSize: 3 },
      ({ uuid }) => ({
        afterTaskUuid: uuid,
      }),
    )
    expect(whole).toHaveLength(10)
    expect(uuids(read)).toEqual(uuids(whole))
  })

  it("goes on before the last line of activity, and behind the last notification", async () => {
    const where = { projectUuid: w.project }
    const { activities: whole } = await w.call<{ activities: { id: number }[] }>(w.owner, "chorus_get_activity", {
      ...where,
      pageSize: 100,
    })
    const lines = await all<{ id: number }>(
      "chorus_get_activity",
      "activities",
      { ...where, pageSize: 7 },
      ({ id }) => ({
        before: id,
      }),
    )
    expect(whole.length).toBeGreaterThan(20)
    expect(lines.slice(0, 100)).toEqual(whole)
    const input = { status: "all", autoMarkRead: false }
    const { notifications } = await w.call<{ notifications: { uuid: string }[] }>(w.owner, "chorus_get_notifications", {
      ...input,
      limit: 100,
    })
    const told = await all<{ uuid: string }>(
      "chorus_get_notifications",
      "notifications",
      { ...input, limit: 1 },
      ({ uuid }) => ({ afterNotificationUuid: uuid }),
    )
    expect(notifications.length).toBeGreaterThan(1)
    expect(told).toEqual(notifications)
  })
})

describe("the filters", () => {
  const titles = async (more: object) =>
    (
      await w.call<{ tasks: { title: string }[] }>(w.owner, "chorus_list_tasks", {
        projectUuid: w.otherProject,
        ...more,
      })
    ).tasks
      .map(({ title }) => title)
      .sort()

  it("find tasks by who holds them and by whether they can start", async () => {
    const acceptanceCriteriaItems = [{ description: "works" }]
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.otherProject,
      tasks: [
        { title: "first", draftUuid: "a", acceptanceCriteriaItems },
        { title: "second", dependsOnDraftUuids: ["a"], acceptanceCriteriaItems },
        { title: "held", acceptanceCriteriaItems },
      ],
    })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: tasks[2]?.uuid })
    expect(await titles({ ready: true })).toEqual(["first", "held"])
    expect(await titles({ ready: false })).toEqual(["second"])
    expect(await titles({ assigneeUuid: w.developer.uuid })).toEqual(["held"])
    expect(await titles({ assigneeUuid: w.developer.uuid, ready: false })).toEqual([])
  })

  it("find ideas by who holds them, and what happened by whom and to what", async () => {
    const idea = async (title: string) =>
      (await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", { projectUuid: w.otherProject, title })).uuid
    const [mine] = [await idea("mine"), await idea("nobody's")]
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid: mine })
    const where = { projectUuid: w.otherProject }
    expect(await w.call(w.owner, "chorus_get_ideas", { ...where, assigneeUuid: w.pm.uuid })).toMatchObject({
      ideas: [{ title: "mine" }],
      total: 1,
    })
    const happened = async (more: object) =>
      (
        await w.call<{ activities: { action: string }[] }>(w.owner, "chorus_get_activity", { ...where, ...more })
      ).activities.map(({ action }) => action)
    expect(await happened({ entityUuid: mine, actorUuid: w.pm.uuid })).not.toContain("created")
    expect(await happened({ entityUuid: mine })).toEqual(expect.arrayContaining(["claimed", "created"]))
  })
})

function required(signature: Signature): object {
  const { required: names = [] } = inputSchema(signature)
  const known: Record<string, string> = {
    projectUuid: there.project,
    agentUuid: there.agent,
    webhookUuid: there.webhook,
    documentUuid: there.document,
    targetType: "task",
    targetUuid: there.task,
    query: "a",
  }
  return Object.fromEntries(names.map((name) => [name, known[name]]))
}

function fieldsOf(schema: z.ZodType): object {
  return schema instanceof z.ZodObject ? schema.shape : {}
}
