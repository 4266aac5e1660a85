import { Navigate, useNavigate } from "@tanstack/react-router"
import { Coffee } from "lucide-react"
import { Button, EmptyState } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useUnheard } from "../agents/use-terminals.ts"
import { useOperation } from "../live/use-operation.ts"
import { useProjects } from "../projects/use-projects.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

/** Nothing waits; where nothing has begun yet, the way to begin. */
export function AllDone() {
  const text = useText()
  const navigate = useNavigate()
  const agents = useOperation("chorus_list_agents", { pageSize: 1 }).answer
  const projects = useProjects().answer
  const isAllHeard = useUnheard().length === 0
  const may = mayChange(useSignedIn().person)
  if (may && agents?.total === 0 && projects?.projects.length === 0) return <Navigate to="/welcome" replace />
  const start = may && agents?.total === 0 && (
    <Button tone="primary" onClick={() => void navigate({ to: "/welcome" })}>
      {text("needsYou.start")}
    </Button>
  )
  return (
    <EmptyState
      icon={Coffee}
      title={text(isAllHeard ? "needsYou.empty" : "needsYou.emptyKnown")}
      action={start === false ? undefined : start}
    >
      {text("needsYou.emptyLead")}
    </EmptyState>
  )
}
