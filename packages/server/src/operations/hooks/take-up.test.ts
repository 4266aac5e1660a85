import { randomUUID } from "node:crypto"
import type { NewEvent, tasks } from "@chorus/contracts"
import { expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { takeUp } from "./take-up.ts"

const w = embeddedWorkspace()

/** As a hook's change does it, with the task as it was read before. */
async function takenUp(task: TaskRecord, sessionUuid: string) {
  const events: NewEvent[] = []
  const outcome = await w.store.write(async ({ db, engine, later, besides }) => {
    const context = {
      db,
      engine,
      actor: w.developer,
      now: w.clock.now().toISOString(),
      requestId: "test",
      focus: undefined,
      damage: () => undefined,
      newId: randomUUID,
      emit: (event: NewEvent) => void events.push(event),
      later,
      besides,
      afterCommit: () => undefined,
    }
    const session = await db
      .selectFrom("sessions")
      .selectAll()
      .where("uuid", "=", sessionUuid)
      .executeTakeFirstOrThrow()
    return takeUp(context, task, session)
  })
  return { ...outcome, events: events.map(({ kind }) => kind) }
}

it("leaves no claim behind where the start is refused after it, because another task came before meanwhile", async () => {
  const { base, top } = await w.newTasks({ base: [], top: [] })
  const read = await findTask(w.store.db, top)
  await w.call(w.pm, "chorus_add_task_dependency", { taskUuid: top, dependsOnTaskUuid: base })
  const { begun, words, events } = await takenUp(read, await w.newSession())
  expect(begun).toBe(false)
  expect(words).toContain("Chorus did not start this task for you:")
  expect(await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid: top })).toMatchObject({
    status: "open",
    assignee: null,
  })
  expect(events).toEqual([])
})

it("keeps and tells everything where nothing is in the way", async () => {
  const taskUuid = await w.newTask()
  const { begun, events } = await takenUp(await findTask(w.store.db, taskUuid), await w.newSession())
  expect([begun, events]).toEqual([true, ["task.claimed", "task.started", "session.checked_in"]])
})
