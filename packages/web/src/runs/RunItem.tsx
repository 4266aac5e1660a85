import { Link } from "@tanstack/react-router"
import { Badge, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Reason } from "../markdown/Reason.tsx"
import { PROGRAM_NAME, type Run, RUN_LABEL, RUN_TONE } from "./run.ts"
import { RunTime } from "./RunTime.tsx"

/** A run in a list, which leads to it. */
export function RunItem({ run }: { readonly run: Run }) {
  const text = useText()
  return (
    <li className="transition-colors duration-100 hover:bg-hover">
      <Link to="/runs/$runUuid" params={{ runUuid: run.uuid }} className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Badge tone={RUN_TONE[run.state]}>{text(RUN_LABEL[run.state])}</Badge>
        {run.stoppedFor === "budget" && <Badge tone="failed">{text("runs.overBudget")}</Badge>}
        <span className="min-w-0 truncate font-medium">
          <InlineCode text={run.taskTitle} />
        </span>
        <span className="text-xs text-faint">
          {[text(`runs.work.${run.work}`), PROGRAM_NAME[run.program], run.machine].filter(Boolean).join(" · ")}
        </span>
        <span className="text-xs text-faint tabular-nums">
          <RunTime run={run} />
        </span>
        <When at={run.stateSince} className="ml-auto text-xs text-faint" />
        {(run.warning ?? run.reason) !== null && (
          <span className="basis-full text-xs wrap-anywhere text-muted">
            <Reason text={run.warning ?? run.reason ?? ""} />
          </span>
        )}
      </Link>
    </li>
  )
}
