import { useMemo } from "react"
import { useOperation } from "../live/use-operation.ts"
import { followReviews } from "./follow-task.ts"

/** What is reviewed. */
export interface Reviewed {
  readonly targetType: "idea" | "proposal" | "task"
  readonly targetUuid: string
}

export function useReviews({ targetType, targetUuid }: Reviewed) {
  const follow = useMemo(() => followReviews(targetUuid), [targetUuid])
  return useOperation("chorus_get_reviews", { targetType, targetUuid }, follow)
}
