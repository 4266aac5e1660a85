import { runTime } from "@chorus/core"
import { useNow } from "../agents/use-now.ts"
import { useFormat, useText } from "../i18n/language.ts"
import type { Run } from "./run.ts"

/** How long a run was at work, and how long it waited for a person; nothing before its agent began. */
export function RunTime({ run }: { readonly run: Run }) {
  const text = useText()
  const format = useFormat()
  const { workMs, waitMs } = runTime(run, new Date(useNow()).toISOString())
  const told = [
    ...(workMs === 0 ? [] : [text("runs.atWork", { time: format.duration(workMs) })]),
    ...(waitMs === 0 ? [] : [text("runs.waited", { time: format.duration(waitMs) })]),
  ]
  return told.join(" · ")
}
