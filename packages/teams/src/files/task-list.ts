import type { TeamTask, TeamTaskStatus } from "@chorus/contracts"
import { changeTasks, readTasks, type TaskChange } from "./task-files.ts"
import {
  checkClaim,
  checkStatus,
  type ClaimRules,
  linked,
  nextClaimable,
  requireTask,
  type Tasks,
} from "./task-rules.ts"
import type { TeamPaths } from "./team-paths.ts"

export interface NewTask {
  readonly subject: string
  readonly description: string
  readonly activeForm?: string | undefined
  readonly metadata?: Record<string, unknown> | undefined
  readonly blockedBy?: readonly string[] | undefined
}

export interface TaskPatch {
  readonly subject?: string | undefined
  readonly description?: string | undefined
  readonly activeForm?: string | undefined
  readonly status?: TeamTaskStatus | undefined
  /** Null gives the task back. */
  readonly owner?: string | null | undefined
  readonly addBlocks?: readonly string[] | undefined
  readonly addBlockedBy?: readonly string[] | undefined
  readonly removeBlockedBy?: readonly string[] | undefined
  /** A key set to null is removed. */
  readonly metadata?: Record<string, unknown> | undefined
}

export async function createTask(paths: TeamPaths, task: NewTask, note?: string): Promise<TeamTask> {
  const created = (tasks: Tasks, id: string) => {
    const made: TeamTask = {
      id,
      subject: task.subject,
      description: task.description,
      ...(task.activeForm === undefined ? {} : { activeForm: task.activeForm }),
      status: "pending",
      blocks: [],
      blockedBy: [],
      ...(task.metadata === undefined ? {} : { metadata: task.metadata }),
    }
    const changed = new Overlay(tasks)
    changed.put(made)
    for (const blocker of task.blockedBy ?? []) changed.link(blocker, id)
    // The new one last: a change that is made again after a kill makes no second.
    return { write: changed.written().reverse(), result: changed.get(id) }
  }
  return changeTasks(paths, created, note)
}

/** Changes one task. Deleting removes its file and its links; its number is not used again. */
export async function updateTask(paths: TeamPaths, id: string, patch: TaskPatch, note?: string): Promise<TeamTask> {
  const updated = (tasks: Tasks): TaskChange<TeamTask> => {
    const task = requireTask(tasks, id)
    if (patch.status !== undefined) checkStatus(task, patch.status)
    if (patch.status === "deleted")
      return { write: unlinked(tasks, id), remove: [id], result: { ...task, status: "deleted" as const } }
    const changed = new Overlay(tasks)
    const next = patched(task, patch)
    if (next !== task) changed.put(next)
    for (const blocker of patch.removeBlockedBy ?? []) changed.unlink(blocker, id)
    for (const blocked of patch.addBlocks ?? []) changed.link(id, blocked)
    for (const blocker of patch.addBlockedBy ?? []) changed.link(blocker, id)
    return { write: changed.written(), result: changed.get(id) }
  }
  return changeTasks(paths, updated, note)
}

/** Takes the task for `agent` and sets it in progress. Of many claimers one wins; the others learn who. */
export async function claimTask(
  paths: TeamPaths,
  id: string,
  agent: string,
  rules: ClaimRules = {},
  note?: string,
): Promise<TeamTask> {
  return changeTasks(paths, (tasks) => claimed(tasks, requireTask(tasks, id), agent, rules), note)
}

/** Claims the first task that is free, in number order; undefined when there is none. */
export async function claimNext(
  paths: TeamPaths,
  agent: string,
  rules: ClaimRules = {},
  note?: string,
): Promise<TeamTask | undefined> {
  const next = (tasks: Tasks) => {
    const task = nextClaimable(tasks)
    return task === undefined ? { write: [], result: undefined } : claimed(tasks, task, agent, rules)
  }
  return changeTasks<TeamTask | undefined>(paths, next, note)
}

function claimed(tasks: Tasks, task: TeamTask, agent: string, rules: ClaimRules): TaskChange<TeamTask> {
  checkClaim(tasks, task, agent, rules)
  const taken: TeamTask = { ...task, owner: agent, status: "in_progress" }
  return { write: [taken], result: taken }
}

/** Gives back what an agent that is gone still held, so that others can take it. */
export async function releaseTasksOf(paths: TeamPaths, agent: string): Promise<TeamTask[]> {
  return changeTasks(paths, (tasks) => {
    const held = [...tasks.values()].filter((task) => task.owner === agent && task.status !== "completed")
    const released = held.map((task) => patched(task, { owner: null, status: "pending" }))
    return { write: released, result: released }
  })
}

export async function listTasks(paths: TeamPaths): Promise<TeamTask[]> {
  return [...(await readTasks(paths)).values()]
}

export async function getTask(paths: TeamPaths, id: string): Promise<TeamTask> {
  return requireTask(await readTasks(paths), id)
}

/** A task list with changes on top, so that each link is checked against the ones before it. */
class Overlay {
  readonly #all: Map<string, TeamTask>
  readonly #changed = new Set<string>()

  constructor(tasks: Tasks) {
    this.#all = new Map(tasks)
  }

  put(task: TeamTask): void {
    this.#all.set(task.id, task)
    this.#changed.add(task.id)
  }

  get(id: string): TeamTask {
    return requireTask(this.#all, id)
  }

  link(blocker: string, blocked: string): void {
    for (const task of linked(this.#all, blocker, blocked)) this.put(task)
  }

  /** Also a link that only one end knows of, or whose other end is gone. */
  unlink(blocker: string, blocked: string): void {
    const task = this.get(blocked)
    this.put({ ...task, blockedBy: task.blockedBy.filter((id) => id !== blocker) })
    const other = this.#all.get(blocker)
    if (other?.blocks.includes(blocked) === true)
      this.put({ ...other, blocks: other.blocks.filter((id) => id !== blocked) })
  }

  written(): TeamTask[] {
    return [...this.#changed].map((id) => this.get(id))
  }
}

function patched(task: TeamTask, patch: TaskPatch): TeamTask {
  const next: TeamTask = { ...task }
  for (const key of ["subject", "description", "activeForm", "status"] as const) {
    if (patch[key] !== undefined) Object.assign(next, { [key]: patch[key] })
  }
  if (patch.owner === null) delete next.owner
  if (typeof patch.owner === "string") next.owner = patch.owner
  if (patch.metadata !== undefined) next.metadata = merged(task.metadata ?? {}, patch.metadata)
  return next
}

function merged(before: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null))
}

function unlinked(tasks: Tasks, id: string): TeamTask[] {
  return [...tasks.values()]
    .filter((task) => task.id !== id && (task.blocks.includes(id) || task.blockedBy.includes(id)))
    .map((task) => ({
      ...task,
      blocks: task.blocks.filter((other) => other !== id),
      blockedBy: task.blockedBy.filter((other) => other !== id),
    }))
}
