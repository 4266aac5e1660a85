import type { TaskId } from "@chorus/contracts"
import { Cost } from "../sections/Cost.tsx"
import { Amounts, spent, useSpend } from "./Spend.tsx"

/** What a task has cost: what agents reported of it, and what its runs used. */
export function TaskCost({ taskUuid }: { readonly taskUuid: string }) {
  const spend = useSpend({ taskUuid: taskUuid as TaskId })
  const wasRun = spend !== undefined && spend.total.turns > 0
  return (
    <span className="flex flex-wrap gap-x-3">
      <Cost of={{ taskUuid }} silent={spend === undefined || wasRun} />
      {wasRun && <Amounts of={spent(spend.total)} />}
    </span>
  )
}
