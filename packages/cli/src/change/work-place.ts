import { assertSameRepository } from "@chorus/changes"
import type { changes, TaskId } from "@chorus/contracts"
import type { Workplace } from "../workplace.ts"

/**
 * Refuses a repository that a task's work was not done in; where nothing was shown of it yet, any will do. Tells what was
 * shown last.
 */
export async function assertWorkOf(
  call: Workplace["call"],
  taskUuid: TaskId,
  repository: string,
): Promise<changes.ChangeRow | undefined> {
  const { versions } = await call("chorus_get_change", { taskUuid, room: 0 })
  const work = versions.findLast((version) => version.repository.roots.length > 0)
  if (work !== undefined) await assertSameRepository(repository, work.repository)
  return versions.at(-1)
}
