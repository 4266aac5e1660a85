import type { LogEvent } from "@chorus/contracts"
import { eventsAfter, lastPosition } from "@chorus/store"
import { afterAll, beforeAll } from "vitest"
import type { Actor } from "../src/index.ts"
import { CRITERIA, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

/** How far a task is taken; each state is reached the way people and agents reach it. */
export type Stage = "open" | "assigned" | "in_progress" | "to_verify" | "done" | "closed"

export interface EmbeddedWorkspace extends Workspace {
  /** What a piece of work appended to the log, without who was notified of it. */
  told(work: () => Promise<unknown>): Promise<LogEvent[]>
  /** The same, only the kinds. */
  kinds(work: () => Promise<unknown>): Promise<string[]>
  /** A further project, for whoever counts or lists. */
  newProject(settings?: object): Promise<string>
  newIdea(more?: object): Promise<string>
  newTask(more?: object): Promise<string>
  /** Tasks by key, each with the keys it depends on. */
  newTasks<Key extends string>(graph: Record<Key, string[]>, more?: object): Promise<Record<Key, string>>
  /** A task of the developer's (or whoever is named) at this point of its life. */
  taskAt(stage: Stage, options?: { holder?: Actor; projectUuid?: string; title?: string }): Promise<string>
  passCriteria(taskUuid: string, by?: Actor): Promise<void>
  newSession(by?: Actor, more?: object): Promise<string>
}

/** A workspace on a store of its own, there while the tests of one file run. */
export function embeddedWorkspace(): EmbeddedWorkspace {
  const w = {} as EmbeddedWorkspace
  beforeAll(async () => {
    Object.assign(w, await openWorkspace())
    Object.assign(w, arrangements(w))
  })
  afterAll(() => w.close())
  return w
}

function arrangements(w: EmbeddedWorkspace): Omit<EmbeddedWorkspace, keyof Workspace> {
  const told: EmbeddedWorkspace["told"] = async (work) => {
    const before = await lastPosition(w.store.db, w.workspaceUuid)
    await work()
    return (await eventsAfter(w.store.db, w.workspaceUuid, before, 1000)).filter(
      (event) => event.entityType !== "notification",
    )
  }
  return {
    told,
    kinds: async (work) => (await told(work)).map((event) => event.kind),
    newProject: async (settings = {}) => {
      const { uuid } = await w.call<Uuid>(w.owner, "chorus_admin_create_project", { name: "Further" })
      if (Object.keys(settings).length > 0)
        await w.call(w.owner, "chorus_update_project_settings", { projectUuid: uuid, ...settings })
      return uuid
    },
    newIdea: async (more = {}) =>
      (await w.call<Uuid>(w.pm, "chorus_pm_create_idea", { projectUuid: w.project, title: "An idea", ...more })).uuid,
    newTask: async (more = {}) => {
      const { projectUuid = w.project, ...task } = more as { projectUuid?: string }
      const { tasks } = await w.call<{ tasks: Uuid[] }>(w.pm, "chorus_create_tasks", {
        projectUuid,
        tasks: [{ title: "A task", acceptanceCriteriaItems: CRITERIA, ...task }],
      })
      return tasks[0]?.uuid ?? ""
    },
    newTasks: async <Key extends string>(graph: Record<Key, string[]>, more = {}) => {
      const { projectUuid = w.project, ...each } = more as { projectUuid?: string }
      const keys = Object.keys(graph) as Key[]
      const tasks = keys.map((key) => ({
        title: key,
        draftUuid: key,
        dependsOnDraftUuids: graph[key],
        acceptanceCriteriaItems: [{ description: "it works" }],
        ...each,
      }))
      const made = await w.call<{ tasks: Uuid[] }>(w.pm, "chorus_create_tasks", { projectUuid, tasks })
      return Object.fromEntries(keys.map((key, index) => [key, made.tasks[index]?.uuid ?? ""])) as Record<Key, string>
    },
    taskAt: async (stage, { holder = w.developer, projectUuid = w.project, title = `A task ${stage}` } = {}) => {
      const taskUuid = await w.newTask({ projectUuid, title })
      if (stage === "closed") await w.call(w.admin, "chorus_admin_close_task", { taskUuid })
      if (stage === "open" || stage === "closed") return taskUuid
      await w.call(holder, "chorus_claim_task", { taskUuid })
      if (stage === "assigned") return taskUuid
      await w.call(holder, "chorus_update_task", { taskUuid, status: "in_progress" })
      if (stage === "in_progress") return taskUuid
      await w.call(holder, "chorus_submit_for_verify", { taskUuid, insist: true })
      if (stage === "to_verify") return taskUuid
      await w.passCriteria(taskUuid)
      await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
      return taskUuid
    },
    newSession: async (by = w.developer, more = {}) =>
      (await w.call<Uuid>(by, "chorus_create_session", { name: "a session", ...more })).uuid,
    passCriteria: async (taskUuid, by = w.admin) => {
      const { acceptanceCriteriaItems } = await w.call<{ acceptanceCriteriaItems: Uuid[] }>(by, "chorus_get_task", {
        taskUuid,
      })
      await w.call(by, "chorus_mark_acceptance_criteria", {
        taskUuid,
        criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed", exitCode: 0 })),
      })
    },
  }
}
