import { ChorusError, type InputOf, type runs } from "@chorus/contracts"
import { oneLine, type Target } from "../output.ts"
import { everyPage } from "../pages.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"

/** How a run is named on the command line. */
export const WHICH = "its id, or the beginning of it"
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Does something with the run that is named by its id or by how that begins. */
export function inRun<T>(
  target: Target,
  named: string,
  work: (runUuid: string, workplace: Workplace) => Promise<T>,
): Promise<T> {
  return inWorkplace(target, async (workplace) => {
    if (UUID.test(named)) return work(named, workplace)
    const rows = await everyRun(workplace.call)
    const [only, ...more] = rows.filter(({ uuid }) => uuid.startsWith(named.toLowerCase()))
    if (only === undefined)
      throw new ChorusError("not_found", `There is no run whose id begins with "${named}".`, {
        status: 404,
        next: "`chorus runs list` shows them.",
      })
    if (more.length > 0)
      throw new ChorusError("ambiguous", `${more.length + 1} runs have an id that begins with "${named}".`, {
        status: 409,
        next: `Say more of it: ${[only, ...more]
          .slice(0, 5)
          .map(({ uuid, taskTitle }) => `${uuid} (${oneLine(taskTitle)})`)
          .join(", ")}.`,
      })
    return work(only.uuid, workplace)
  })
}

export function everyRun(
  call: Workplace["call"],
  which: Pick<InputOf<typeof runs.listRuns>, "live" | "taskUuid" | "ideaUuid"> = {},
): Promise<runs.RunRow[]> {
  return everyPage(async (page) => {
    const { runs: rows, total } = await call("chorus_list_runs", { ...page, ...which })
    return { rows, total }
  })
}
