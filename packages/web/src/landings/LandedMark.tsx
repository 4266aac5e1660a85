import { GitMerge } from "lucide-react"
import { Badge } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { LANDING_TONE, useNewestLanding } from "./landing.ts"
import { usePullRequest } from "./PullRequest.tsx"

/** On a card: whether verified work has landed, here or at its forge, or what stands against it. */
export function LandedMark({ projectUuid, taskUuid }: { readonly projectUuid: string; readonly taskUuid: string }) {
  const text = useText()
  const landing = useNewestLanding(projectUuid, taskUuid)
  const pull = usePullRequest(projectUuid, taskUuid)
  if (landing !== undefined && landing.state !== "landed" && pull?.state !== "merged")
    return <Badge tone={LANDING_TONE[landing.state]}>{text(`landings.state.${landing.state}`)}</Badge>
  if (landing?.state !== "landed" && pull?.state !== "merged") return null
  const label = text(landing?.state === "landed" ? "landings.state.landed" : "landings.pull.merged")
  const where = landing?.state === "landed" ? landing.branch : pull?.url
  return (
    <span className="inline-flex items-center gap-1 text-done" title={`${label} → ${where ?? ""}`}>
      <GitMerge aria-hidden className="size-3" />
      <span className="sr-only">{label}</span>
    </span>
  )
}
