import type { OutputOf, taskEdits, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const edit = (taskUuids: string[], changes: object, by: Actor = w.owner) =>
  w.call<OutputOf<typeof taskEdits.editTasks>>(by, "chorus_edit_tasks", {
    projectUuid: w.project,
    taskUuids,
    ...changes,
  })
const task = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("changing many tasks", () => {
  it("arranges them in one go and says what stood before, so that it can be taken back", async () => {
    const one = await w.newTask({ labels: ["old", "kept"], priority: "low" })
    const two = await w.newTask({ dueOn: "2026-01-01" })
    const changes = { addLabels: ["New"], removeLabels: ["OLD"], priority: "high", dueOn: "2026-05-05", storyPoints: 4 }
    const { results, changed } = await edit([one, two, one], changes)
    expect(changed).toBe(2)
    expect(results.map(({ before }) => before)).toMatchObject([
      { labels: ["old", "kept"], priority: "low", dueOn: null, storyPoints: null, assignee: null, status: "open" },
      { labels: [], priority: "medium", dueOn: "2026-01-01" },
    ])
    const arranged = { priority: "high", dueOn: "2026-05-05", storyPoints: 4 }
    expect(await task(one)).toMatchObject({ ...arranged, labels: ["kept", "New"] })
    expect(await task(two)).toMatchObject({ ...arranged, labels: ["New"] })
  })

  it("keeps nothing of one that is refused, and changes the others", async () => {
    const open = await w.newTask({ title: "Open" })
    const handedIn = await w.taskAt("to_verify", { title: "Handed in" })
    const events = await w.told(async () => {
      const { results, changed } = await edit([handedIn, open], { priority: "high", agentUuid: w.developer.uuid })
      expect(changed).toBe(1)
      expect(results).toMatchObject([
        { uuid: handedIn, changed: false, problem: { code: "wrong_status" } },
        { uuid: open, changed: true },
      ])
    })
    expect(new Set(events.map(({ entityUuid }) => entityUuid))).toEqual(new Set([open]))
    expect((await task(handedIn)).priority).toBe("medium")
    expect(await task(open)).toMatchObject({ priority: "high", status: "assigned", assignee: { name: "Dev" } })
  })

  it("gives to a person, takes back, moves and closes by the rules of a task's life", async () => {
    const uuids = [await w.newTask(), await w.newTask()]
    await edit(uuids, { userUuid: w.member.uuid })
    expect(await task(uuids[0] ?? "")).toMatchObject({ assignee: { name: "Mia" }, status: "assigned" })
    await edit(uuids, { release: true })
    expect(await task(uuids[0] ?? "")).toMatchObject({ assignee: null, status: "open" })
    expect((await edit(uuids, { status: "done" })).results[0]?.problem).toMatchObject({ code: "wrong_status" })
    expect((await edit(uuids, { status: "closed" })).changed).toBe(2)
    expect((await edit(uuids, { status: "open" })).changed).toBe(2)
  })

  it("is for people who may change tasks of that project", async () => {
    const taskUuid = await w.newTask()
    await expect(edit([taskUuid], { priority: "low" }, w.viewer)).rejects.toMatchObject({ code: "forbidden" })
    await expect(edit([taskUuid], { priority: "low" }, w.admin)).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      w.call(w.owner, "chorus_edit_tasks", {
        projectUuid: w.otherProject,
        taskUuids: [taskUuid],
        priority: "low",
      }),
    ).rejects.toMatchObject({ code: "not_found" })
  })
})
