import type { IdeaId, TaskId } from "@chorus/contracts"
import { Cost } from "../sections/Cost.tsx"
import { Amounts, useSpend } from "./Spend.tsx"

type Of = { readonly taskUuid: string } | { readonly ideaUuid: string }

/** What work on a task or an idea has cost, and how long its runs were at work. */
export function WorkCost({ of }: { readonly of: Of }) {
  const asked = "taskUuid" in of ? { taskUuid: of.taskUuid as TaskId } : { ideaUuid: of.ideaUuid as IdeaId }
  const { turns = 0, minutes = 0 } = useSpend(asked)?.total ?? {}
  return (
    <span className="flex flex-wrap gap-x-3">
      <Cost of={asked} />
      {turns > 0 && <Amounts of={{ turns, minutes }} />}
    </span>
  )
}
