import type { tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

interface Made {
  readonly tasks: (tasks.TaskRow & { draftUuid: string | null })[]
  readonly warnings: string[]
}

const criteria = { acceptanceCriteriaItems: [{ description: "it works" }] }
const create = (...given: object[]) =>
  w.call<Made>(w.pm, "chorus_create_tasks", {
    projectUuid: w.project,
    tasks: given.map((task) => ({ title: "t", description: "d", ...criteria, ...task })),
  })
const countTasks = async () => (await w.store.db.selectFrom("tasks").select("uuid").execute()).length

describe("creating tasks", () => {
  it("fills in what was left out: medium, no points, open, held by nobody", async () => {
    const { tasks: made, warnings } = await create({ title: "plain" })
    expect(made).toMatchObject([
      {
        title: "plain",
        status: "open",
        priority: "medium",
        storyPoints: null,
        assignee: null,
        proposalUuid: null,
        openDependencies: 0,
        draftUuid: null,
        ac: { total: 1, passed: 0, checked: 0 },
      },
    ])
    expect(warnings).toEqual([])
  })

  it("answers in the order given and gives every key back", async () => {
    const { tasks: made } = await create(
      { title: "b", draftUuid: "k2" },
      { title: "a", draftUuid: "k1" },
      { title: "c" },
    )
    expect(made.map(({ title, draftUuid }) => [title, draftUuid])).toEqual([
      ["b", "k2"],
      ["a", "k1"],
      ["c", null],
    ])
  })

  it("tells readers of each task with what it depends on", async () => {
    const before = await w.newTask({ title: "before" })
    const events = await w.told(() =>
      create(
        { title: "one", draftUuid: "one", dependsOnTaskUuids: [before] },
        { title: "two", dependsOnDraftUuids: ["one"] },
      ),
    )
    const [one, two] = events
    expect(events.map(({ kind, action }) => [kind, action])).toEqual([
      ["task.created", "created"],
      ["task.created", "created"],
    ])
    expect(one?.patch).toMatchObject({ title: "one", openDependencies: 1, dependsOnUuids: [before] })
    expect(two?.patch).toMatchObject({ title: "two", openDependencies: 1, dependsOnUuids: [one?.entityUuid] })
    expect(two?.patch).not.toHaveProperty("draftUuid")
  })

  it("does not count a finished dependency as open", async () => {
    const done = await w.taskAt("done")
    const { tasks: made } = await create({ dependsOnTaskUuids: [done] })
    expect(made[0]?.openDependencies).toBe(0)
  })

  it("takes the same dependency named twice for one", async () => {
    const base = await w.newTask()
    const { tasks: made } = await create(
      { draftUuid: "x" },
      { dependsOnDraftUuids: ["x", "x"], dependsOnTaskUuids: [base, base] },
    )
    expect(made[1]?.openDependencies).toBe(2)
  })

  it("keeps criteria in their order, with what is required and how to check it", async () => {
    const { tasks: made } = await create({
      acceptanceCriteriaItems: [
        { description: "first" },
        { description: "second", required: false, command: "npm test" },
      ],
    })
    const { acceptanceCriteriaItems } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", {
      taskUuid: made[0]?.uuid,
    })
    expect(
      acceptanceCriteriaItems.map(({ description, required, command, status }) => [
        description,
        required,
        command,
        status,
      ]),
    ).toEqual([
      ["first", true, null, "pending"],
      ["second", false, "npm test", "pending"],
    ])
  })

  it("keeps references with the task", async () => {
    const { tasks: made } = await create({
      references: [{ type: "docs", url: "https://example.test/a", title: "A", notes: "why" }],
    })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid: made[0]?.uuid })).toMatchObject({
      references: [{ type: "docs", url: "https://example.test/a", title: "A", notes: "why" }],
    })
  })

  it("warns of what is undescribed, and of a batch in which nothing waits for anything", async () => {
    expect((await create({ title: "bare", description: "  " })).warnings).toEqual(['"bare" has no description.'])
    expect((await create({}, {})).warnings).toEqual(["None of these tasks depends on another; all can start at once."])
    expect((await create({ draftUuid: "a" }, { dependsOnDraftUuids: ["a"] })).warnings).toEqual([])
  })

  it("takes five hundred at once", async () => {
    const projectUuid = await w.newProject()
    const many = Array.from({ length: 500 }, (_, n) => ({
      title: `task ${n}`,
      draftUuid: `${n}`,
      dependsOnDraftUuids: n === 0 ? [] : [`${n - 1}`],
      acceptanceCriteriaItems: [{ description: "x" }, { description: "y" }],
    }))
    const { tasks: made } = await w.call<Made>(w.pm, "chorus_create_tasks", { projectUuid, tasks: many })
    expect(made.map(({ title }) => title)).toEqual(many.map(({ title }) => title))
    expect(made.filter(({ openDependencies }) => openDependencies === 0)).toHaveLength(1)
    await expect(
      w.call(w.pm, "chorus_create_tasks", { projectUuid, tasks: [...many, { title: "one more", ...criteria }] }),
    ).rejects.toMatchObject({ code: "invalid_input" })
  })
})

describe("tasks that cannot be", () => {
  it.each([
    [
      "two under one key",
      [{ draftUuid: "a" }, { draftUuid: "a" }],
      { code: "invalid_dependencies", message: expect.stringContaining("Two tasks are called a") },
    ],
    [
      "one that waits for nobody known",
      [{ title: "lost", dependsOnDraftUuids: ["who"] }],
      { code: "invalid_dependencies", message: expect.stringContaining('"lost" depends on who') },
    ],
    [
      "one that waits for itself",
      [{ title: "self", draftUuid: "a", dependsOnDraftUuids: ["a"] }],
      { code: "dependency_cycle" },
    ],
    [
      "three that wait in a circle",
      [
        { title: "x", draftUuid: "x", dependsOnDraftUuids: ["z"] },
        { title: "y", draftUuid: "y", dependsOnDraftUuids: ["x"] },
        { title: "z", draftUuid: "z", dependsOnDraftUuids: ["y"] },
      ],
      { code: "dependency_cycle", message: expect.stringMatching(/[xyz] → [xyz]/) },
    ],
  ])("%s: none is made, and the caller learns why", async (_, given, refusal) => {
    const before = await countTasks()
    await expect(create({ title: "fine" }, ...given)).rejects.toMatchObject(refusal)
    expect(await countTasks()).toBe(before)
  })

  it("name a proposal of another project", async () => {
    const plan = await submittedPlan(w, w.pm)
    await expect(
      w.call(w.pm, "chorus_create_tasks", {
        projectUuid: w.otherProject,
        proposalUuid: plan.uuid,
        tasks: [{ title: "t", ...criteria }],
      }),
    ).rejects.toMatchObject({ code: "not_found" })
    const { tasks: made } = await w.call<Made>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      proposalUuid: plan.uuid,
      tasks: [{ title: "t", ...criteria }],
    })
    expect(made[0]?.proposalUuid).toBe(plan.uuid)
  })
})
