import { join } from "node:path"
import { exportLines, importIntoSqlite, openSqliteSnapshot, openSqliteStore } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { submittedPlan } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Found {
  results: {
    entityType: string
    uuid: string
    title: string
    snippet: string
    status: string | null
    projectUuid: string | null
    projectName: string | null
  }[]
  counts: Record<string, number>
}

onEachEngine("search", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const find = (actor: Actor, query: string, more: object = {}) =>
    w.call<Found>(actor, "chorus_search", { query, ...more })
  const titles = async (actor: Actor, query: string, more: object = {}) =>
    (await find(actor, query, more)).results.map(({ title }) => title)
  const idea = (title: string, content = "", projectUuid = w.project, actor = w.owner) =>
    w.call<{ uuid: string }>(actor, "chorus_pm_create_idea", { projectUuid, title, content }).then(({ uuid }) => uuid)

  it("finds all six kinds, with status, project and a snippet", async () => {
    const group = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project_group", { name: "Zebra group" })
    const project = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "Zebra project",
      groupUuid: group.uuid,
    })
    const projectUuid = project.uuid
    const ideaUuid = await idea("Zebra idea", `${"before ".repeat(80)} stripes ${"after ".repeat(80)}`, projectUuid)
    await w.call(w.owner, "chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "Zebra task", acceptanceCriteriaItems: [{ description: "x" }] }],
    })
    await w.call(w.owner, "chorus_pm_create_document", {
      projectUuid,
      type: "adr",
      title: "Zebra document",
      content: "about animals",
    })
    await w.call(w.owner, "chorus_claim_idea", { ideaUuid })
    await w.call(w.owner, "chorus_pm_create_proposal", {
      projectUuid,
      title: "Zebra proposal",
      inputType: "idea",
      inputUuids: [ideaUuid],
    })
    const { results, counts } = await find(w.owner, "zebra")
    expect(new Set(results.map(({ entityType }) => entityType))).toEqual(
      new Set(["task", "idea", "proposal", "document", "project", "project_group"]),
    )
    expect(counts).toEqual({ tasks: 1, ideas: 1, proposals: 1, documents: 1, projects: 1, projectGroups: 1 })
    expect(results.find(({ entityType }) => entityType === "task")).toMatchObject({
      status: "open",
      projectUuid,
      projectName: "Zebra project",
    })
    const [byContent] = (await find(w.owner, "stripes")).results
    expect(byContent).toMatchObject({ title: "Zebra idea", snippet: expect.stringContaining("stripes") })
    expect(byContent?.snippet.length).toBeLessThan(200)
    expect(await titles(w.owner, "zebra", { entityTypes: ["idea", "task"] })).toHaveLength(2)
    expect(new Set(await titles(w.owner, "zebra", { scope: "group", scopeUuid: group.uuid }))).toEqual(
      new Set(await titles(w.owner, "zebra")),
    )
    expect(await titles(w.owner, "zebra", { scope: "project", scopeUuid: w.project })).toEqual([])
    expect(await titles(w.owner, "zebra", { scope: "project", scopeUuid: projectUuid })).toHaveLength(5)
  })

  it("puts an exact id first", async () => {
    const uuid = await idea("The one")
    await idea("Names the other", `see ${uuid}`)
    expect(await titles(w.owner, uuid)).toEqual(["The one", "Names the other"])
    expect(await titles(w.owner, uuid.toUpperCase())).toContain("The one")
  })

  it("puts titles before contents", async () => {
    await idea("Something else", "the quokka sleeps")
    await idea("Quokka")
    expect(await titles(w.owner, "quokka")).toEqual(["Quokka", "Something else"])
  })

  it("wants all words, anywhere, and takes quoted ones together", async () => {
    await idea("Alpha", "omega comes last")
    await idea("Omega alone")
    expect(await titles(w.owner, "omega alpha")).toEqual(["Alpha"])
    expect(await titles(w.owner, '"omega comes"')).toEqual(["Alpha"])
    expect(await titles(w.owner, '"comes omega"')).toEqual([])
  })

  it("finds parts of words, short words, Chinese, and signs taken literally", async () => {
    await idea("Authentication", "OIDC id")
    await idea("用户登录页面", "支持中文搜索")
    await idea("100%_done", "back\\slash")
    expect(await titles(w.owner, "thentic")).toEqual(["Authentication"])
    expect(await titles(w.owner, "authentication id")).toEqual(["Authentication"])
    expect(await titles(w.owner, "登录")).toEqual(["用户登录页面"])
    expect(await titles(w.owner, "中文搜索")).toEqual(["用户登录页面"])
    expect(await titles(w.owner, "100%_d")).toEqual(["100%_done"])
    expect(await titles(w.owner, "%_")).toEqual(["100%_done"])
    expect(await titles(w.owner, "back\\sl")).toEqual(["100%_done"])
  })

  it.each(['"', "* OR *", "NEAR(", "a AND", "title:x", "'; drop table ideas; --", "\\", "()&|!:*<->"])(
    "is not confused by %s",
    async (query) => {
      expect(await find(w.owner, query)).toHaveProperty("results")
    },
  )

  it("follows every change in the change itself", async () => {
    const uuid = await idea("Wombat")
    await w.call(w.owner, "chorus_edit_idea", { ideaUuid: uuid, title: "Numbat" })
    expect(await titles(w.owner, "wombat")).toEqual([])
    expect(await titles(w.owner, "numbat")).toEqual(["Numbat"])
    await w.call(w.owner, "chorus_move_idea", { ideaUuid: uuid, targetProjectUuid: w.otherProject })
    expect(await titles(w.owner, "numbat", { scope: "project", scopeUuid: w.otherProject })).toEqual(["Numbat"])
    await w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid: uuid })
    expect(await titles(w.owner, "numbat")).toEqual([])
  })

  it("finds an idea by what was asked about it and answered, and anything by why it was asked to be changed", async () => {
    const ideaUuid = await idea("Pond", "", w.project, w.pm)
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const options = [
      { id: "a", label: "Only for a dugong" },
      { id: "b", label: "No" },
    ]
    const questions = [{ id: "q1", text: "Is there room for a manatee?", category: "scope", options }]
    await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions })
    for (const word of ["manatee", "dugong"]) expect(await titles(w.owner, word)).toEqual(["Pond"])
    const answers = [{ questionId: "q1", selectedOptionId: null, customText: "A narwhal will do" }]
    await w.call(w.owner, "chorus_answer_elaboration", { ideaUuid, answers })
    expect(await titles(w.owner, "narwhal")).toEqual(["Pond"])
    expect(await titles(w.owner, "dugong label")).toEqual([])
    const { uuid: attentionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_request_change", {
      targetType: "idea",
      targetUuid: ideaUuid,
      reason: "The vaquita is larger",
      content: "A deeper pond.",
    })
    expect(await titles(w.owner, "vaquita")).toEqual(["Pond"])
    await w.call(w.owner, "chorus_move_idea", { ideaUuid, targetProjectUuid: w.otherProject })
    const answer = { decision: "deny", text: "Not for a beluga" }
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer })
    const there = { scope: "project", scopeUuid: w.otherProject }
    for (const word of ["vaquita", "beluga", "narwhal"]) expect(await titles(w.owner, word, there)).toEqual(["Pond"])
    expect(await titles(w.stranger, "vaquita")).toEqual([])
    await w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid })
    for (const word of ["vaquita", "manatee"]) expect(await titles(w.owner, word)).toEqual([])
    const { rows } = await sql`select 1 from "searchEntries" where "body" like '%vaquita%'`.execute(w.store.db)
    expect(rows).toEqual([])
  })

  it("finds a proposal by why it was rejected, also when it has been approved since", async () => {
    const { uuid: proposalUuid } = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid, reviewNote: "Too small for a gaur" })
    await w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
    expect(await titles(w.owner, "gaur")).toEqual(["A plan"])
  })

  it("shows nobody what they cannot reach or read", async () => {
    await idea("Secret axolotl", "", w.strangersProject, w.stranger)
    await idea("Axolotl one")
    await idea("Axolotl two", "", w.otherProject)
    expect(await titles(w.owner, "axolotl")).toHaveLength(2)
    expect(await titles(w.stranger, "axolotl")).toEqual(["Secret axolotl"])
    const confined = await w.agent("Confined", { projectUuids: [w.otherProject] })
    expect(await titles(confined, "axolotl")).toEqual(["Axolotl two"])
    await expect(find(confined, "axolotl", { scope: "project", scopeUuid: w.project })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(find(w.owner, "axolotl", { scope: "project", scopeUuid: w.strangersProject })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(find(w.owner, "axolotl", { scope: "group" })).rejects.toMatchObject({ code: "invalid_input" })
    const blind = await w.agent("Blind", { presets: [], permissions: ["task:read"] })
    expect(await titles(blind, "axolotl")).toEqual([])
  })

  it("gives fifty at most", async () => {
    const tasks = Array.from({ length: 60 }, (_, n) => ({
      title: `Capybara ${n}`,
      acceptanceCriteriaItems: [{ description: "x" }],
    }))
    await w.call(w.owner, "chorus_create_tasks", { projectUuid: w.project, tasks })
    expect((await find(w.owner, "capybara")).results).toHaveLength(50)
  })

  it("finds what is older than the newest two thousand by the beginnings of words and by signs, and says when it cut", async () => {
    const ideaUuid = await idea("Wombat", "eats termites")
    await w.call(w.owner, "chorus_edit_idea", { ideaUuid, title: "Numbat 沙袋鼠草地" })
    const filler = Array.from({ length: 2001 }, (_, n) => ({
      entityType: "task" as const,
      entityUuid: `filler-${n}`,
      projectUuid: w.project,
      title: "Filler",
      body: "",
    }))
    await w.store.write(async ({ db }) => {
      for (let from = 0; from < filler.length; from += 500)
        await db
          .insertInto("searchEntries")
          .values(filler.slice(from, from + 500))
          .execute()
    })
    for (const query of ["numbat", "Numb", "袋鼠", "termites numbat"])
      expect(await titles(w.owner, query)).toEqual(["Numbat 沙袋鼠草地"])
    expect(await titles(w.owner, "wombat")).toEqual([])
    await w.call(w.owner, "chorus_edit_idea", { ideaUuid, content: "digs for ants" })
    expect(await titles(w.owner, "termites")).toEqual([])
    expect(await titles(w.owner, "ants numbat")).toEqual(["Numbat 沙袋鼠草地"])
    const inside = await find(w.owner, "umbat")
    if (engine === "sqlite") expect(inside.results).toHaveLength(1)
    else expect(inside).toMatchObject({ results: [], cut: true })
  })

  it("finds people and agents to mention, those at work first", async () => {
    const mentionables = (actor: Actor, query: string) =>
      w.call<{ results: { name: string; type: string; online: boolean; mention: string }[] }>(
        actor,
        "chorus_search_mentionables",
        { query },
      )
    await w.call(w.rival, "chorus_create_session", { name: "at work" })
    const all = (await mentionables(w.owner, "")).results
    expect(all[0]).toMatchObject({ name: "Rival", online: true })
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(["Olive", "Mia", "Vic", "Dev"]))
    expect((await mentionables(w.owner, "mia@")).results).toMatchObject([
      { type: "user", mention: `@[Mia](user:${w.member.uuid})` },
    ])
    await w.agent("Mias agent", { owner: w.member })
    expect((await mentionables(w.developer, "mia")).results.map(({ name }) => name)).toEqual(["Mia"])
    expect((await mentionables(w.stranger, "")).results.map(({ name }) => name)).toEqual(["Stan"])
  })
})

it("looks at each text once for a word that no index knows, so that four times the texts cost some four times as much", async () => {
  const w = await openWorkspace()
  const cost = async (texts: number) => {
    await w.store.write(({ db }) =>
      sql`with recursive n(n) as (select 1 union all select n + 1 from n where n < ${texts})
        insert into "searchEntries" ("entityType", "entityUuid", "projectUuid", "title", "body")
        select 'task', ${texts} || ' ' || n, ${w.project}, 'Title', hex(randomblob(100)) from n`.execute(db),
    )
    const before = process.threadCpuUsage().user
    for (let n = 0; n < 3; n++) await w.call(w.owner, "chorus_search", { query: "qq" })
    return process.threadCpuUsage().user - before
  }
  await cost(100)
  const [few, many] = [await cost(4000), await cost(12_000)]
  expect(many / few).toBeLessThan(10)
  await w.close()
})

it("the embedded index is whole after an export and import", async () => {
  const w = await openWorkspace()
  await w.call(w.owner, "chorus_pm_create_idea", { projectUuid: w.project, title: "Pangolin", content: "scales" })
  const directory = temporaryDirectory()
  const file = join(directory.path, "original.sqlite")
  await sql`vacuum into ${file}`.execute(w.store.db)
  const snapshot = await openSqliteSnapshot(file)
  await importIntoSqlite(
    join(directory.path, "copy.sqlite"),
    exportLines(snapshot, { secrets: "scrubbed", version: "1", now: new Date() }),
    { now: new Date() },
  )
  await snapshot.close()
  const copy = await openSqliteStore(join(directory.path, "copy.sqlite"))
  const { rows } = await sql<{
    title: string
  }>`select e."title" from "searchText" join "searchEntries" e on e."id" = "searchText".rowid where "searchText" match '"scales"'`.execute(
    copy.db,
  )
  expect(rows).toEqual([{ title: "Pangolin" }])
  await copy.write(async ({ db }) =>
    sql`insert into "searchText" ("searchText", rank) values ('integrity-check', 1)`.execute(db),
  )
  await copy.close()
  await w.close()
  await directory.remove()
})
