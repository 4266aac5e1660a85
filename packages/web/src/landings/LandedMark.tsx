import type { ProjectId } from "@chorus/contracts"
import { GitMerge } from "lucide-react"
import { Badge } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followLandings, LANDING_TONE } from "./landing.ts"

/** On a card: whether verified work has landed, or what stands against it. */
export function LandedMark({ projectUuid, taskUuid }: { readonly projectUuid: string; readonly taskUuid: string }) {
  const text = useText()
  const { answer } = useOperation(
    "chorus_list_landings",
    { projectUuid: projectUuid as ProjectId, pageSize: 100 },
    followLandings,
  )
  const landing = answer?.landings.find((one) => one.taskUuid === taskUuid)
  if (landing === undefined) return null
  const { state, branch } = landing
  const label = text(`landings.state.${state}`)
  if (state !== "landed") return <Badge tone={LANDING_TONE[state]}>{label}</Badge>
  return (
    <span className="inline-flex items-center gap-1 text-done" title={`${label} → ${branch ?? ""}`}>
      <GitMerge aria-hidden className="size-3" />
      <span className="sr-only">{label}</span>
    </span>
  )
}
