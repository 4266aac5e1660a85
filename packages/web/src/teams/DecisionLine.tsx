import { CircleCheck, CircleX } from "lucide-react"
import { When } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { type Decision, outcomeOf } from "./team.ts"

interface DecisionLineProps {
  readonly decision: Decision
  readonly member: string
  readonly at: string
}

/** What became of a request, by whose word, and when. */
export function DecisionLine({ decision, member, at }: DecisionLineProps) {
  const text = useText()
  const { request, tool, approved, by, reason } = decision
  const what = text(ABOUT[request] ?? "teams.aboutRequest", { name: member })
  return (
    <p className="flex flex-wrap items-center gap-x-1.5">
      {approved ? (
        <CircleCheck aria-hidden className="size-3.5 text-done" />
      ) : (
        <CircleX aria-hidden className="size-3.5 text-failed" />
      )}
      <span className="text-muted">{tool === "" ? what : `${what} (${tool})`}</span>
      <span className="font-medium">{text(outcomeOf(decision), { name: by === "" ? member : by })}</span>
      <When at={at} className="ml-auto text-xs text-faint" />
      {reason !== "" && <span className="line-clamp-4 basis-full pl-5 whitespace-pre-wrap text-muted">{reason}</span>}
    </p>
  )
}

const ABOUT: Readonly<Record<string, TextKey>> = {
  plan: "teams.aboutPlan",
  permission: "teams.aboutPermission",
  shutdown: "teams.order.shutdown",
}
