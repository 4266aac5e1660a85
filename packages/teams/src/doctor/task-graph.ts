import type { TeamTask } from "@chorus/contracts"
import { changeTasks, readTasks } from "../files/index.ts"
import type { Team } from "../team.ts"
import type { Finding } from "./finding.ts"

/** Links that only one end knows of, and links to tasks that are not there. */
export async function linkFindings(team: Team): Promise<Finding[]> {
  const wrong = mended(await readTasks(team.paths))
  return wrong.map((task): Finding => ({
    team: team.name,
    what: "link",
    where: team.paths.task(task.id),
    says: `The two ends of a dependency of task ${task.id} do not agree.`,
    repair: () => changeTasks(team.paths, (tasks) => ({ write: mended(tasks), result: undefined })),
  }))
}

/** The tasks as they would be with both ends of every link written and dead ends removed; only those that change. */
export function mended(tasks: ReadonlyMap<string, TeamTask>): TeamTask[] {
  return [...tasks.values()].flatMap((task) => {
    const others = [...tasks.values()]
    const blocks = union(
      task.blocks,
      others.filter((other) => other.blockedBy.includes(task.id)),
      tasks,
    )
    const blockedBy = union(
      task.blockedBy,
      others.filter((other) => other.blocks.includes(task.id)),
      tasks,
    )
    const same = blocks.join() === task.blocks.join() && blockedBy.join() === task.blockedBy.join()
    return same ? [] : [{ ...task, blocks, blockedBy }]
  })
}

function union(ids: readonly string[], others: readonly TeamTask[], tasks: ReadonlyMap<string, TeamTask>): string[] {
  return [...new Set([...ids, ...others.map((other) => other.id)])].filter((id) => tasks.has(id))
}
