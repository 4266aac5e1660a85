import type { ideas, labels, search, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

const known = async (projectUuid = w.project) =>
  (await w.call<{ labels: labels.LabelRow[] }>(w.owner, "chorus_list_labels", { projectUuid })).labels
const called = async (name: string) => {
  const found = (await known()).find((label) => label.name === name)
  if (found === undefined) throw new Error(`no label ${name}`)
  return found
}
const task = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
const listed = async (label: string) =>
  (await w.call<{ tasks: tasks.TaskRow[] }>(w.owner, "chorus_list_tasks", { projectUuid: w.project, label })).tasks.map(
    ({ title }) => title,
  )

describe("labels", () => {
  it("are made on the fly by whoever writes a task or an idea, and spelt as they were first", async () => {
    const first = await w.newTask({ title: "Leak", labels: ["Roof", "roof", "50%_off"] })
    expect((await task(first)).labels).toEqual(["Roof", "50%_off"])
    const ideaUuid = await w.newIdea({ labels: ["ROOF"] })
    expect((await w.call<ideas.IdeaDetail>(w.owner, "chorus_get_idea", { ideaUuid })).labels).toEqual(["Roof"])
    expect((await known()).map(({ name }) => name)).toEqual(["50%_off", "Roof"])
    expect(new Set((await known()).map(({ hue }) => hue)).size).toBe(2)
  })

  it("are set by an edit as named, with an event that patches the row", async () => {
    const taskUuid = await w.newTask({ labels: ["a", "b"] })
    const events = await w.told(() => w.call(w.pm, "chorus_update_task", { taskUuid, labels: ["B", "new one"] }))
    expect(events.map(({ kind }) => kind)).toEqual(["label.created", "task.updated"])
    expect(events[1]?.patch).toMatchObject({ labels: ["b", "new one"] })
    await w.call(w.pm, "chorus_update_task", { taskUuid, labels: [] })
    expect((await task(taskUuid)).labels).toEqual([])
  })

  it("narrow lists of tasks and ideas and the search, whatever signs their names hold", async () => {
    for (const label of ['say "hi"', "back\\slash", "100%", "100x"])
      await w.newTask({ title: `Bears ${label}`, labels: [label, "common"] })
    expect(await listed('SAY "HI"')).toEqual(['Bears say "hi"'])
    expect(await listed("back\\slash")).toEqual(["Bears back\\slash"])
    expect(await listed("100%")).toEqual(["Bears 100%"])
    expect(await listed("hi")).toEqual([])
    const { results } = await w.call<{ results: search.SearchResult[] }>(w.owner, "chorus_search", {
      query: "bears",
      label: "100X",
    })
    expect(results.map(({ title }) => title)).toEqual(["Bears 100x"])
    const none = await w.call<{ results: search.SearchResult[] }>(w.owner, "chorus_search", {
      query: "bears",
      label: "nobody uses it",
    })
    expect(none.results).toEqual([])
  })

  it("are renamed and recoloured wherever they are used, but not into one another", async () => {
    const taskUuid = await w.newTask({ labels: ["door", "doorway", "window"] })
    const door = await called("door")
    await w.call(w.pm, "chorus_update_label", { labelUuid: door.uuid, name: 'Front "door"', hue: 7 })
    expect((await task(taskUuid)).labels).toEqual(['Front "door"', "doorway", "window"])
    expect(await called('Front "door"')).toMatchObject({ uuid: door.uuid, hue: 7 })
    await expect(w.call(w.pm, "chorus_update_label", { labelUuid: door.uuid, name: "WINDOW" })).rejects.toMatchObject({
      code: "label_exists",
    })
    await w.call(w.pm, "chorus_update_label", { labelUuid: door.uuid, name: 'front "DOOR"' })
    expect((await task(taskUuid)).labels[0]).toBe('front "DOOR"')
  })

  it.each([[["x", "y", "z"]], [["y", "x", "z"]], [["y", "z", "x"]], [["x"]]])(
    "leave %j cleanly when they are deleted",
    async (all) => {
      const taskUuid = await w.newTask({ labels: all })
      await w.call(w.owner, "chorus_delete_label", { labelUuid: (await called("x")).uuid })
      expect((await task(taskUuid)).labels).toEqual(all.filter((name) => name !== "x"))
      expect((await known()).some(({ name }) => name === "x")).toBe(false)
    },
  )

  it("go along when an idea moves to another project", async () => {
    const ideaUuid = await w.newIdea({ labels: ["travels"] })
    await w.call(w.owner, "chorus_move_idea", { ideaUuid, targetProjectUuid: w.otherProject })
    expect((await known(w.otherProject)).map(({ name }) => name)).toContain("travels")
  })
})

describe("a due day", () => {
  it("is given, moved and taken away, and lists can ask for what is due", async () => {
    const taskUuid = await w.newTask({ title: "Paint the fence", dueOn: "2026-03-01" })
    const due = async (dueBy: string) =>
      (
        await w.call<{ tasks: tasks.TaskRow[] }>(w.owner, "chorus_list_tasks", { projectUuid: w.project, dueBy })
      ).tasks.map(({ title }) => title)
    expect(await due("2026-02-28")).toEqual([])
    expect(await due("2026-03-01")).toEqual(["Paint the fence"])
    await w.call(w.pm, "chorus_update_task", { taskUuid, dueOn: null })
    expect((await task(taskUuid)).dueOn).toBeNull()
    await expect(w.call(w.pm, "chorus_update_task", { taskUuid, dueOn: "2026-02-30" })).rejects.toMatchObject({
      code: "invalid_input",
    })
  })
})
