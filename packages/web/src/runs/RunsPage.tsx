import { Link } from "@tanstack/react-router"
import { CirclePlay } from "lucide-react"
import { Badge, EmptyState, Fact, Facts, Page, Problem, Rows, Section, SkeletonRows, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunners, followRuns, PROGRAM_NAME, type Run, RUN_LABEL, RUN_TONE } from "./run.ts"

/** The agents that Chorus put to work, and the machines that can run more. */
export function RunsPage() {
  const text = useText()
  const { answer, status, error, reload } = useOperation("chorus_list_runs", { pageSize: 100 }, followRuns)
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const runs = answer?.runs ?? []
  return (
    <Page title={text("runs.title")}>
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && runs.length === 0 && (
        <EmptyState icon={CirclePlay} title={text("runs.empty")}>
          {text(runners.length === 0 ? "runs.emptyLead" : "runs.emptyReady")}
        </EmptyState>
      )}
      <div className="grid grid-cols-1 gap-8">
        {runs.length > 0 && (
          <Rows label={text("runs.title")}>
            {runs.map((run) => (
              <RunItem key={run.uuid} run={run} />
            ))}
          </Rows>
        )}
        {runners.length > 0 && (
          <Section title={text("runs.machines")} count={runners.length}>
            {runners.map((runner) => (
              <Facts key={runner.uuid}>
                <Fact name={runner.machine}>
                  <span>{text("runs.slots", { busy: runner.busy, slots: runner.slots })}</span>
                  {runner.programs
                    .filter(({ missing }) => missing === null)
                    .map(({ program, version }) => (
                      <Badge key={program}>
                        {PROGRAM_NAME[program]} {version}
                      </Badge>
                    ))}
                </Fact>
              </Facts>
            ))}
          </Section>
        )}
      </div>
    </Page>
  )
}

function RunItem({ run }: { readonly run: Run }) {
  const text = useText()
  return (
    <li className="transition-colors duration-100 hover:bg-hover">
      <Link to="/runs/$runUuid" params={{ runUuid: run.uuid }} className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Badge tone={RUN_TONE[run.state]}>{text(RUN_LABEL[run.state])}</Badge>
        <span className="min-w-0 truncate font-medium">{run.taskTitle}</span>
        <span className="text-xs text-faint">
          {[PROGRAM_NAME[run.program], run.machine].filter(Boolean).join(" · ")}
        </span>
        <When at={run.stateSince} className="ml-auto text-xs text-faint" />
      </Link>
    </li>
  )
}
