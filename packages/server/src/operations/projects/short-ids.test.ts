import type { ideas, OutputOf, projects, search, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

const newProject = (name: string) => w.call<projects.ProjectRow>(w.owner, "chorus_admin_create_project", { name })
const newTasks = async (projectUuid: string, ...titles: string[]) =>
  (
    await w.call<OutputOf<typeof tasks.createTasks>>(w.owner, "chorus_create_tasks", {
      projectUuid,
      tasks: titles.map((title) => ({ title, acceptanceCriteriaItems: [{ description: "It stands" }] })),
    })
  ).tasks
const newIdea = (projectUuid: string, title: string) =>
  w.call<ideas.IdeaRow>(w.owner, "chorus_pm_create_idea", { projectUuid, title })
const getTask = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("short ids", () => {
  it("are the project's key and a number that tasks and ideas share", async () => {
    const { uuid, key } = await newProject("Bakery")
    expect(key).toBe("BAKER")
    const [one, two] = await newTasks(uuid, "Dough", "Oven")
    expect([one?.shortId, two?.shortId]).toEqual(["BAKER-1", "BAKER-2"])
    expect((await newIdea(uuid, "Cake")).shortId).toBe("BAKER-3")
    expect((await newTasks(uuid, "Bread"))[0]?.shortId).toBe("BAKER-4")
    expect((await newProject("Bakery")).key).toBe("BAKER2")
  })

  it("are taken wherever a task or an idea is named, however they are written", async () => {
    const { uuid } = await newProject("Quarry")
    const [stone, wall] = await newTasks(uuid, "Stone", "Wall")
    const idea = await newIdea(uuid, "Arch")
    expect(await getTask("quarr-1")).toMatchObject({ uuid: stone?.uuid, shortId: "QUARR-1" })
    await w.call(w.owner, "chorus_update_task", { taskUuid: "QUARR-2", addDependsOn: ["QUARR-1"] })
    expect((await getTask(wall?.uuid ?? "")).dependsOn).toMatchObject([{ title: "Stone" }])
    await w.call(w.owner, "chorus_add_comment", { targetType: "idea", targetUuid: "QUARR-3", content: "Round?" })
    expect(await w.call(w.owner, "chorus_get_idea", { ideaUuid: "QUARR-3" })).toMatchObject({ uuid: idea.uuid })
    await w.call(w.owner, "chorus_create_tasks", {
      projectUuid: uuid,
      tasks: [{ title: "Gate", acceptanceCriteriaItems: [{ description: "Shut" }], dependsOnTaskUuids: ["QUARR-2"] }],
    })
    expect((await getTask("QUARR-4")).dependsOn).toMatchObject([{ title: "Wall" }])
  })

  it("that nobody has are not found, and text that looks like one stays text", async () => {
    const { uuid } = await newProject("Forge")
    await expect(getTask("FORGE-99")).rejects.toMatchObject({ code: "not_found" })
    const [task] = await newTasks(uuid, "FORGE-99")
    expect(task?.title).toBe("FORGE-99")
  })

  it("lead to no other workspace's tasks", async () => {
    const { uuid } = await newProject("Mint")
    await newTasks(uuid, "Coin")
    await expect(w.call(w.stranger, "chorus_get_task", { taskUuid: "MINT-1" })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("are found by searching for them", async () => {
    const { uuid } = await newProject("Tannery")
    const [task] = await newTasks(uuid, "Hide")
    const found = await w.call<OutputOf<typeof search.search>>(w.owner, "chorus_search", { query: "tanne-1" })
    expect(found.results[0]).toMatchObject({ uuid: task?.uuid })
  })

  it("follow the key when it is changed, and no two projects have one", async () => {
    const [first, second] = [await newProject("Cooper"), await newProject("Weaver")]
    const [task] = await newTasks(first.uuid, "Barrel")
    await w.call(w.owner, "chorus_update_project", { projectUuid: first.uuid, key: "BRL" })
    expect(await getTask("BRL-1")).toMatchObject({ uuid: task?.uuid, shortId: "BRL-1" })
    expect((await newTasks(first.uuid, "Hoop"))[0]?.shortId).toBe("BRL-2")
    await expect(
      w.call(w.owner, "chorus_update_project", { projectUuid: second.uuid, key: "BRL" }),
    ).rejects.toMatchObject({ code: "key_taken" })
  })
})
