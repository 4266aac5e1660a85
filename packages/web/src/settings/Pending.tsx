import { Problem } from "../design/Problem.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import type { Loaded } from "../live/use-operation.ts"

/** In place of what is not there yet: on its way, or why it does not come. */
export function Pending({
  of,
  rows = 5,
}: {
  readonly of: Pick<Loaded<unknown>, "status" | "error" | "reload">
  readonly rows?: number
}) {
  return of.status === "failed" ? <Problem error={of.error} onRetry={of.reload} /> : <SkeletonRows rows={rows} />
}
