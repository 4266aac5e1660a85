import { ChorusError, type TeamTask, type TeamTaskStatus } from "@chorus/contracts"

/** The rules of the task list, pure. Tasks come as a map by id; deleted ones are simply not in it. */
export type Tasks = ReadonlyMap<string, TeamTask>

const MAY_FOLLOW: Record<TeamTaskStatus, readonly TeamTaskStatus[]> = {
  pending: ["in_progress", "completed", "deleted"],
  in_progress: ["pending", "completed", "deleted"],
  completed: ["deleted"],
  deleted: [],
}

export function checkStatus(task: TeamTask, next: TeamTaskStatus): void {
  if (task.status === next || MAY_FOLLOW[task.status].includes(next)) return
  throw new ChorusError("bad_transition", `Task ${task.id} is ${task.status} and cannot become ${next}.`, {
    next: `From ${task.status} it can become ${MAY_FOLLOW[task.status].join(", ") || "nothing else"}.`,
    status: 409,
  })
}

/** The tasks that still hold this one up. A blocker that was completed or deleted does not count. */
export function openBlockers(tasks: Tasks, task: TeamTask): string[] {
  return task.blockedBy.filter((id) => {
    const blocker = tasks.get(id)
    return blocker !== undefined && blocker.status !== "completed"
  })
}

export interface ClaimRules {
  /** Lets one agent hold several unfinished tasks. */
  readonly several?: boolean | undefined
}

/** Throws unless `agent` may take the task now; the loser of a race is told who won. */
export function checkClaim(tasks: Tasks, task: TeamTask, agent: string, rules: ClaimRules = {}): void {
  if (task.status === "completed") {
    throw new ChorusError(
      "task_completed",
      `Task ${task.id} is already completed${task.owner === undefined ? "" : ` by ${task.owner}`}.`,
      { status: 409, next: "Take another task." },
    )
  }
  if (task.owner !== undefined && task.owner !== agent) {
    throw new ChorusError("already_claimed", `Task ${task.id} belongs to ${task.owner}.`, {
      status: 409,
      details: { owner: task.owner },
      next: "Take another task, or ask the owner.",
    })
  }
  const blockers = openBlockers(tasks, task)
  if (blockers.length > 0) {
    throw new ChorusError("task_blocked", `Task ${task.id} waits for ${blockers.map((id) => `#${id}`).join(", ")}.`, {
      status: 409,
      details: { blockedBy: blockers },
      next: "Take a task that is not blocked.",
    })
  }
  const held =
    rules.several === true
      ? undefined
      : [...tasks.values()].find(
          (other) => other.id !== task.id && other.owner === agent && other.status === "in_progress",
        )
  if (held === undefined) return
  throw new ChorusError("agent_busy", `${agent} is still working on task ${held.id}.`, {
    status: 409,
    details: { taskId: held.id },
    next: `Complete task ${held.id} or give it back first.`,
  })
}

/** The unblocked, unowned, pending task with the smallest number. */
export function nextClaimable(tasks: Tasks): TeamTask | undefined {
  return [...tasks.values()]
    .filter(
      (task) =>
        task.status === "pending" &&
        task.owner === undefined &&
        task.metadata?.["_internal"] !== true &&
        openBlockers(tasks, task).length === 0,
    )
    .sort((one, other) => Number(one.id) - Number(other.id))[0]
}

/** Returns the tasks changed by letting `blocker` hold up `blocked`, both ends written. Refuses a circle. */
export function linked(tasks: Tasks, blocker: string, blocked: string): TeamTask[] {
  const first = requireTask(tasks, blocker)
  const second = requireTask(tasks, blocked)
  if (blocker === blocked || reaches(tasks, blocked, blocker)) {
    throw new ChorusError(
      "task_cycle",
      `Task ${blocked} cannot wait for task ${blocker}: task ${blocker} already waits for it.`,
      {
        status: 409,
        next: "Remove the dependency in the other direction first.",
      },
    )
  }
  const changed: TeamTask[] = []
  if (!first.blocks.includes(blocked)) changed.push({ ...first, blocks: [...first.blocks, blocked] })
  if (!second.blockedBy.includes(blocker)) changed.push({ ...second, blockedBy: [...second.blockedBy, blocker] })
  return changed
}

export function requireTask(tasks: Tasks, id: string): TeamTask {
  const task = tasks.get(id)
  if (task !== undefined) return task
  throw new ChorusError("no_such_task", `There is no task ${id}.`, {
    status: 404,
    next: "Run `chorus team tasks` to see the list.",
  })
}

/** Whether finishing `from` is needed, directly or through others, before `to` can start. Follows both ends of each link. */
function reaches(tasks: Tasks, from: string, to: string): boolean {
  const after = new Map<string, string[]>()
  const add = (one: string, next: string) => after.set(one, [...(after.get(one) ?? []), next])
  for (const task of tasks.values()) {
    for (const id of task.blocks) add(task.id, id)
    for (const id of task.blockedBy) add(id, task.id)
  }
  const open = [from]
  const seen = new Set<string>()
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true
    if (seen.has(id)) continue
    seen.add(id)
    open.push(...(after.get(id) ?? []))
  }
  return false
}
