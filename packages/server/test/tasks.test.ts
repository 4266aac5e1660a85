import type { tasks } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngine } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

type Detail = tasks.TaskDetail

onEachEngine("tasks", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  async function create(
    ...wanted: { title: string; after?: string[]; priority?: string; criteria?: object[] }[]
  ): Promise<string[]> {
    const input = wanted.map(({ title, after, priority, criteria }) => ({
      title,
      draftUuid: title,
      dependsOnDraftUuids: after ?? [],
      ...(priority && { priority }),
      acceptanceCriteriaItems: criteria ?? [{ description: "it works" }],
    }))
    const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: input,
    })
    return made.map((task) => task.uuid)
  }
  const one = async (title: string, criteria?: object[]) =>
    (await create({ title, ...(criteria && { criteria }) }))[0] ?? ""
  const get = (taskUuid: string) => w.call<Detail>(w.owner, "chorus_get_task", { taskUuid })
  const inProgress = async (title: string, criteria?: object[]) => {
    const taskUuid = await one(title, criteria)
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    await w.call(w.developer, "chorus_update_task", { taskUuid, status: "in_progress" })
    return taskUuid
  }
  const markAll = async (taskUuid: string, status: "passed" | "failed" = "passed", by = w.admin) => {
    const { acceptanceCriteriaItems } = await get(taskUuid)
    return w.call(by, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status })),
    })
  }
  const done = async (taskUuid: string) => {
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await markAll(taskUuid)
    await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
  }
  const lastEvents = async (entityUuid: string) =>
    (
      await w.call<{ events: { kind: string; patch: Record<string, unknown> }[] }>(w.owner, "chorus_list_events", {
        entityUuid,
      })
    ).events

  describe("life", () => {
    it("goes from open to done, each step an event that patches the row", async () => {
      const taskUuid = await inProgress("whole life")
      await done(taskUuid)
      const task = await get(taskUuid)
      expect(task).toMatchObject({ status: "done", assignee: { name: "Dev" }, ac: { total: 1, passed: 1, checked: 0 } })
      const events = (await lastEvents(taskUuid)).toReversed()
      expect(events.map((event) => event.kind)).toEqual([
        "task.created",
        "task.claimed",
        "task.started",
        "task.submitted",
        "task.criteria_marked",
        "task.verified",
      ])
      const merged = Object.assign({}, ...events.map((event) => event.patch)) as tasks.TaskRow
      const { tasks: rows } = await w.call<{ tasks: tasks.TaskRow[] }>(w.owner, "chorus_list_tasks", {
        projectUuid: w.project,
        pageSize: 100,
      })
      expect(merged).toMatchObject(rows.find((row) => row.uuid === taskUuid) ?? {})
    })

    it("names the holder to who claims too late, and lets nobody steal", async () => {
      const taskUuid = await one("contested")
      await w.call(w.developer, "chorus_claim_task", { taskUuid })
      for (const name of ["chorus_claim_task", "chorus_start_task"]) {
        await expect(w.call(w.rival, name, { taskUuid })).rejects.toMatchObject({
          code: "already_claimed",
          status: 409,
          details: { holder: { name: "Dev", uuid: w.developer.uuid } },
        })
      }
      await expect(w.call(w.rival, "chorus_update_task", { taskUuid, status: "in_progress" })).rejects.toMatchObject({
        code: "not_holder",
      })
      await expect(w.call(w.rival, "chorus_release_task", { taskUuid })).rejects.toMatchObject({ code: "not_holder" })
      expect((await get(taskUuid)).assignee?.uuid).toBe(w.developer.uuid)
    })

    it("can be assigned and reassigned by a pm until work began, afterwards by people only", async () => {
      const taskUuid = await one("assigned work")
      await w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid })
      expect(await w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.rival.uuid })).toMatchObject({
        status: "assigned",
        assignee: { name: "Rival" },
      })
      await w.call(w.rival, "chorus_update_task", { taskUuid, status: "in_progress" })
      await expect(
        w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid }),
      ).rejects.toMatchObject({ code: "not_holder" })
      expect(
        await w.call(w.owner, "chorus_assign_task_to_person", { taskUuid, userUuid: w.member.uuid }),
      ).toMatchObject({ status: "assigned", assignee: { name: "Mia" } })
    })

    it("is not assigned to an agent that may not work on it", async () => {
      const taskUuid = await one("wants a worker")
      const reader = await w.agent("Reader", { presets: [], permissions: ["task:read"] })
      const elsewhere = await w.agent("Elsewhere", { projectUuids: [w.otherProject] })
      for (const agent of [reader, elsewhere]) {
        await expect(w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: agent.uuid })).rejects.toMatchObject({
          code: "agent_cannot_work",
        })
      }
    })

    it("refuses every other step, saying where it stands", async () => {
      const taskUuid = await one("strict")
      await expect(w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).rejects.toMatchObject({
        code: "wrong_status",
        details: { status: "open" },
      })
      await expect(w.call(w.developer, "chorus_submit_for_verify", { taskUuid })).rejects.toMatchObject({
        code: "wrong_status",
      })
      await w.call(w.admin, "chorus_admin_close_task", { taskUuid })
      await expect(w.call(w.admin, "chorus_admin_close_task", { taskUuid })).rejects.toMatchObject({
        code: "wrong_status",
      })
    })

    it("lets an agent hold one task at a time where the project wants that", async () => {
      await w.store.write(({ db }) =>
        db
          .updateTable("projects")
          .set({ settings: JSON.stringify({ exclusiveWork: true }) })
          .where("uuid", "=", w.otherProject)
          .execute(),
      )
      const input = ["one", "two"].map((title) => ({ title, acceptanceCriteriaItems: [{ description: "x" }] }))
      const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
        projectUuid: w.otherProject,
        tasks: input,
      })
      const [first, second] = made.map((task) => task.uuid)
      await w.call(w.rival, "chorus_claim_task", { taskUuid: first })
      await expect(w.call(w.rival, "chorus_claim_task", { taskUuid: second })).rejects.toMatchObject({
        code: "holds_other_task",
        details: { taskUuid: first },
      })
      await w.call(w.rival, "chorus_release_task", { taskUuid: first })
      await w.call(w.rival, "chorus_claim_task", { taskUuid: second })
    })
  })

  describe("the graph", () => {
    it("keeps a task from starting until all it depends on is finished, and says who is at it", async () => {
      const [base = "", top = ""] = await create({ title: "base" }, { title: "top", after: ["base"] })
      await w.call(w.rival, "chorus_claim_task", { taskUuid: top })
      const session = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", { name: "builder" })
      await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid: session.uuid, taskUuid: base })
      await w.call(w.developer, "chorus_update_task", { taskUuid: base, status: "in_progress" })
      const blockers = [
        {
          uuid: base,
          title: "base",
          status: "in_progress",
          assignee: { name: "Dev" },
          activeSession: { uuid: session.uuid, name: "builder" },
        },
      ]
      await expect(
        w.call(w.rival, "chorus_update_task", { taskUuid: top, status: "in_progress" }),
      ).rejects.toMatchObject({ code: "blocked_by_dependencies", details: { blockers } })
      await expect(
        w.call(w.rival, "chorus_report_work", { taskUuid: top, report: "sneaking", status: "in_progress" }),
      ).rejects.toMatchObject({ code: "blocked_by_dependencies" })
      expect((await get(top)).reports).toEqual([])
      expect((await get(top)).blockers).toMatchObject(blockers)
      await done(base)
      expect((await lastEvents(top))[0]).toMatchObject({
        kind: "task.unblocked",
        patch: { openDependencies: 0, title: "top" },
      })
      await w.call(w.rival, "chorus_update_task", { taskUuid: top, status: "in_progress" })
    })

    it("counts open dependencies through every way they change", async () => {
      const [a = "", b = "", c = ""] = await create(
        { title: "ca" },
        { title: "cb" },
        { title: "cc", after: ["ca", "cb"] },
      )
      const open = async () => (await get(c)).openDependencies
      expect(await open()).toBe(2)
      await w.call(w.admin, "chorus_admin_close_task", { taskUuid: a })
      expect(await open()).toBe(1)
      await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid: a })
      expect(await open()).toBe(2)
      await w.call(w.pm, "chorus_update_task", { taskUuid: c, removeDependsOn: [b] })
      expect(await open()).toBe(1)
      await w.call(w.pm, "chorus_add_task_dependency", { taskUuid: c, dependsOnTaskUuid: b })
      await w.call(w.pm, "chorus_add_task_dependency", { taskUuid: c, dependsOnTaskUuid: b })
      expect(await open()).toBe(2)
      await w.call(w.admin, "chorus_admin_delete_task", { taskUuid: a })
      expect(await open()).toBe(1)
      await w.call(w.admin, "chorus_admin_close_task", { taskUuid: b })
      await w.call(w.admin, "chorus_admin_delete_task", { taskUuid: b })
      expect(await open()).toBe(0)
    })

    it("refuses circles, also through others and within one call, and changes nothing", async () => {
      const [a = "", b = "", c = ""] = await create(
        { title: "ra" },
        { title: "rb", after: ["ra"] },
        { title: "rc", after: ["rb"] },
      )
      await expect(
        w.call(w.pm, "chorus_update_task", { taskUuid: a, title: "renamed", addDependsOn: [c] }),
      ).rejects.toMatchObject({ code: "dependency_cycle" })
      await expect(w.call(w.pm, "chorus_update_task", { taskUuid: a, addDependsOn: [a] })).rejects.toMatchObject({
        code: "dependency_cycle",
      })
      expect(await get(a)).toMatchObject({ title: "ra", dependsOn: [], dependedBy: [{ uuid: b }] })
      await expect(create({ title: "x", after: ["y"] }, { title: "y", after: ["x"] })).rejects.toMatchObject({
        code: "dependency_cycle",
      })
      await expect(create({ title: "x", after: ["nobody"] })).rejects.toMatchObject({ code: "invalid_dependencies" })
    })

    it("refuses a circle that closes over a long way", async () => {
      const titles = Array.from({ length: 700 }, (_, index) => `link ${index}`)
      const link = (title: string, index: number) => ({
        title,
        draftUuid: title,
        dependsOnDraftUuids: index === 0 ? [] : [titles[index - 1]],
        acceptanceCriteriaItems: [{ description: "x" }],
      })
      const { uuid: projectUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
        name: "chain",
      })
      const made: string[] = []
      for (const [from, to] of [
        [0, 400],
        [400, 700],
      ] as const) {
        const before = made.at(-1)
        const part = titles
          .slice(from, to)
          .map((title, index) =>
            index === 0 && before !== undefined
              ? { ...link(title, 0), dependsOnTaskUuids: [before] }
              : link(title, from + index),
          )
        made.push(
          ...(
            await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", { projectUuid, tasks: part })
          ).tasks.map((task) => task.uuid),
        )
      }
      await expect(
        w.call(w.pm, "chorus_update_task", { taskUuid: made[0], addDependsOn: [made[699]] }),
      ).rejects.toMatchObject({ code: "dependency_cycle" })
      await w.call(w.pm, "chorus_update_task", { taskUuid: made[699], addDependsOn: [made[0]] })
      const { tasks: more } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: ["side", "after side"].map((title, index) => ({
          ...link(title, 0),
          dependsOnDraftUuids: index === 0 ? [] : ["side"],
        })),
      })
      expect(
        await w.call(w.pm, "chorus_update_task", { taskUuid: more[0]?.uuid, addDependsOn: [made[699]] }),
      ).toMatchObject({ status: "open" })
    })

    it("stays inside one project and one workspace", async () => {
      const taskUuid = await one("inside")
      const criteria = { acceptanceCriteriaItems: [{ description: "x" }] }
      const elsewhere = async (actor = w.pm, projectUuid = w.otherProject) =>
        (
          await w.call<{ tasks: { uuid: string }[] }>(actor, "chorus_create_tasks", {
            projectUuid,
            tasks: [{ title: "there", ...criteria }],
          })
        ).tasks[0]?.uuid ?? ""
      const other = await elsewhere()
      const theirs = await elsewhere(w.stranger, w.strangersProject)
      await expect(w.call(w.pm, "chorus_update_task", { taskUuid, addDependsOn: [other] })).rejects.toMatchObject({
        code: "other_project",
      })
      await expect(w.call(w.pm, "chorus_update_task", { taskUuid, addDependsOn: [theirs] })).rejects.toMatchObject({
        code: "not_found",
      })
      for (const dependsOn of [other, theirs]) {
        const input = { projectUuid: w.project, tasks: [{ title: "t", dependsOnTaskUuids: [dependsOn], ...criteria }] }
        await expect(w.call(w.pm, "chorus_create_tasks", input)).rejects.toMatchObject({ code: "not_found" })
      }
      await expect(w.call(w.stranger, "chorus_get_task", { taskUuid })).rejects.toMatchObject({ code: "not_found" })
    })

    it("lists what can start, most urgent first", async () => {
      const projectUuid = (await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", { name: "ready" }))
        .uuid
      const task = (title: string, priority: string, after: string[] = []) => ({
        title,
        draftUuid: title,
        priority,
        dependsOnDraftUuids: after,
        acceptanceCriteriaItems: [{ description: "x" }],
      })
      await w.call(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: [task("low", "low"), task("high", "high"), task("later", "high", ["low"]), task("medium", "medium")],
      })
      const ready = await w.call<{ tasks: tasks.TaskRow[]; total: number }>(w.developer, "chorus_get_unblocked_tasks", {
        projectUuid,
      })
      expect(ready.tasks.map((row) => row.title)).toEqual(["high", "medium", "low"])
      expect(ready.total).toBe(3)
      expect((await w.call<{ total: number }>(w.developer, "chorus_get_available_tasks", { projectUuid })).total).toBe(
        4,
      )
    })
  })

  describe("acceptance", () => {
    it("keeps the developer's check and the verifier's verdict apart", async () => {
      const taskUuid = await inProgress("two tracks", [
        { description: "builds", command: "npm run build" },
        { description: "nice", required: false },
      ])
      const [builds] = (await get(taskUuid)).acceptanceCriteriaItems
      const check = {
        uuid: builds?.uuid,
        devStatus: "passed",
        devEvidence: "green",
        exitCode: 0,
        output: "\u001b[32mok\u001b[0m\r\n\u0000all",
      }
      const answer = await w.call<{ status: string; items: object[] }>(
        w.developer,
        "chorus_report_criteria_self_check",
        { taskUuid, criteria: [check] },
      )
      expect(answer).toMatchObject({
        status: "in_progress",
        items: [{ devStatus: "passed", devEvidence: "green", status: "pending", command: "npm run build" }, {}],
      })
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
      await expect(w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).rejects.toMatchObject({
        code: "criteria_not_passed",
        details: { unmet: [{ description: "builds", devStatus: "passed" }] },
      })
      await w.call(w.admin, "chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: [{ uuid: builds?.uuid, status: "passed", evidence: "seen" }],
      })
      await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
      const { verdicts } = await w.call<{ verdicts: object[] }>(w.owner, "chorus_get_task_history", { taskUuid })
      expect(verdicts).toMatchObject([
        { track: "admin", evidence: "seen", exitCode: null },
        { track: "dev", evidence: "green", exitCode: 0, output: "ok\nall", markedBy: { name: "Dev" } },
      ])
      expect(await get(taskUuid)).toMatchObject({
        status: "done",
        acceptanceStatus: "passed",
        acceptanceSummary: { required: 1, requiredPassed: 1 },
        ac: { total: 2, passed: 1, checked: 1 },
      })
    })

    it("does not take an exit code for what it is not", async () => {
      const taskUuid = await inProgress("liar", [{ description: "tests", command: "npm test" }])
      const uuid = (await get(taskUuid)).acceptanceCriteriaItems[0]?.uuid
      const call = w.call(w.developer, "chorus_report_criteria_self_check", {
        taskUuid,
        criteria: [{ uuid, devStatus: "passed", exitCode: 1 }],
      })
      await expect(call).rejects.toMatchObject({ code: "evidence_contradicts" })
    })

    it("keeps what failed when reopened, and forgets nothing", async () => {
      const taskUuid = await inProgress("again", [{ description: "works" }])
      const uuid = (await get(taskUuid)).acceptanceCriteriaItems[0]?.uuid
      await w.call(w.developer, "chorus_report_criteria_self_check", {
        taskUuid,
        criteria: [{ uuid, devStatus: "passed", devEvidence: "first try" }],
      })
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
      await markAll(taskUuid, "failed")
      await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "does not work" })
      expect(await get(taskUuid)).toMatchObject({
        status: "in_progress",
        assignee: { name: "Dev" },
        acceptanceStatus: "failed",
        acceptanceCriteriaItems: [{ status: "failed", devStatus: "pending", devEvidence: "first try" }],
        ac: { total: 1, passed: 0, checked: 0 },
      })
      const { verdicts } = await w.call<{ verdicts: { track: string; status: string }[] }>(
        w.owner,
        "chorus_get_task_history",
        { taskUuid },
      )
      expect(verdicts.map(({ track, status }) => `${track} ${status}`)).toEqual(["admin failed", "dev passed"])
    })

    it("rewrites criteria with unjudged ones, but not once handed in", async () => {
      const taskUuid = await inProgress("rewritten")
      const old = (await get(taskUuid)).acceptanceCriteriaItems[0]?.uuid
      await w.call(w.pm, "chorus_update_task", {
        taskUuid,
        acceptanceCriteriaItems: [{ description: "a" }, { description: "b", required: false }],
      })
      expect(await get(taskUuid)).toMatchObject({
        ac: { total: 2 },
        acceptanceCriteriaItems: [
          { description: "a", required: true },
          { description: "b", required: false },
        ],
      })
      await expect(
        w.call(w.developer, "chorus_report_criteria_self_check", {
          taskUuid,
          criteria: [{ uuid: old, devStatus: "passed" }],
        }),
      ).rejects.toMatchObject({ code: "not_found" })
      await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
      await expect(
        w.call(w.developer, "chorus_update_task", { taskUuid, acceptanceCriteriaItems: [{ description: "easy" }] }),
      ).rejects.toMatchObject({ code: "criteria_fixed" })
    })

    it("lets nobody judge their own work, not even after handing it over", async () => {
      const taskUuid = await one("own work")
      await w.call(w.admin, "chorus_claim_task", { taskUuid })
      await w.call(w.admin, "chorus_update_task", { taskUuid, status: "in_progress" })
      await w.call(w.admin, "chorus_submit_for_verify", { taskUuid })
      await expect(markAll(taskUuid)).rejects.toMatchObject({ code: "self_verification" })
      await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid })
      await w.call(w.admin, "chorus_submit_for_verify", { taskUuid })
      await markAll(taskUuid, "passed", w.owner)
      await expect(w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).rejects.toMatchObject({
        code: "self_verification",
      })
      await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
    })

    it("lets a person judge what their agent did, also with a task assigned to themself", async () => {
      const taskUuid = await one("delegated")
      await w.call(w.owner, "chorus_assign_task_to_person", { taskUuid, userUuid: w.owner.uuid })
      await w.call(w.developer, "chorus_start_task", { taskUuid })
      await w.call(w.developer, "chorus_finish_task", { taskUuid, report: "done for you" })
      await expect(markAll(taskUuid, "passed", w.admin)).rejects.toMatchObject({ code: "self_verification" })
      await markAll(taskUuid, "passed", w.owner)
      expect(await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })).toMatchObject({ status: "done" })
      const alone = await one("done by a person")
      for (const status of ["assigned", "in_progress", "to_verify"])
        await w.call(w.member, "chorus_move_task", { taskUuid: alone, status })
      await expect(markAll(alone, "passed", w.member)).rejects.toMatchObject({ code: "self_verification" })
    })

    it("allows it where a person has said so", async () => {
      const projectUuid = (await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", { name: "solo" }))
        .uuid
      await w.store.write(({ db }) =>
        db
          .updateTable("projects")
          .set({ settings: JSON.stringify({ allowSelfVerify: true }) })
          .where("uuid", "=", projectUuid)
          .execute(),
      )
      const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: [{ title: "t", acceptanceCriteriaItems: [{ description: "x" }] }],
      })
      const taskUuid = made[0]?.uuid ?? ""
      await w.call(w.admin, "chorus_start_task", { taskUuid })
      await w.call(w.admin, "chorus_finish_task", { taskUuid, report: "done" })
      await markAll(taskUuid)
      expect(await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).toMatchObject({ status: "done" })
    })
  })

  describe("review", () => {
    it("is waited for where the project asks for it, and judged by what was handed in", async () => {
      const projectUuid = (await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", { name: "reviewed" }))
        .uuid
      await w.call(w.owner, "chorus_update_project_settings", { projectUuid, requireTaskReview: true })
      const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: [{ title: "t", acceptanceCriteriaItems: [{ description: "x" }] }],
      })
      const taskUuid = made[0]?.uuid ?? ""
      const verify = () => w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
      const review = (verdict: string, more: object = {}) =>
        w.call(w.rival, "chorus_submit_review", {
          targetType: "task",
          targetUuid: taskUuid,
          verdict,
          summary: "read it",
          ...more,
        })
      await w.call(w.developer, "chorus_start_task", { taskUuid })
      await w.call(w.developer, "chorus_finish_task", { taskUuid, report: "done" })
      await markAll(taskUuid)
      await expect(verify()).rejects.toMatchObject({ code: "review_missing" })
      await review("fail", { findings: [{ severity: "blocker", text: "broken" }] })
      await expect(verify()).rejects.toMatchObject({ code: "review_missing", message: expect.stringContaining("fail") })
      await review("pass", { resolvedKeys: ["B1"] })
      expect(await verify()).toMatchObject({ status: "done" })
    })
  })

  describe("bad input", () => {
    it("creates none of a batch when one is wrong", async () => {
      const before = (await w.call<{ total: number }>(w.owner, "chorus_list_tasks", { projectUuid: w.project })).total
      const good = { title: "good", acceptanceCriteriaItems: [{ description: "x" }] }
      for (const bad of [
        { title: "no criteria", acceptanceCriteriaItems: [] },
        { title: "blank", acceptanceCriteriaItems: [{ description: "  " }] },
        { ...good, title: "bell\u0007" },
        { ...good, storyPoints: -1 },
      ]) {
        await expect(
          w.call(w.pm, "chorus_create_tasks", { projectUuid: w.project, tasks: [good, bad] }),
        ).rejects.toMatchObject({ code: "invalid_input" })
      }
      expect((await w.call<{ total: number }>(w.owner, "chorus_list_tasks", { projectUuid: w.project })).total).toBe(
        before,
      )
    })
  })
})
