import { isEnded } from "@chorus/core"
import { CirclePlay, OctagonX } from "lucide-react"
import { Button, EmptyState, Fact, Facts, Page, Problem, Rows, Section, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AllowFolder } from "./AllowFolder.tsx"
import { Machines } from "./Machines.tsx"
import { followRunners, followRuns } from "./run.ts"
import { RunItem } from "./RunItem.tsx"
import { Amounts, spent, useSpend } from "./Spend.tsx"

/**
 * The agents that Chorus put to work, those that wait and for what, what they used, and the machines that can run more.
 */
export function RunsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const stopAll = useAction("chorus_stop_runs")
  const { answer, status, error, reload } = useOperation("chorus_list_runs", { pageSize: 200 }, followRuns)
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners ?? []
  const spend = useSpend({})
  const all = answer?.runs ?? []
  const lists = [
    { title: text("runs.title"), rows: all.filter(({ state }) => !isEnded(state) && state !== "queued") },
    { title: text("runs.queue"), rows: all.filter(({ state }) => state === "queued").toReversed() },
    { title: text("runs.ended"), rows: all.filter(({ state }) => isEnded(state)) },
  ]
  const isBusy = all.some(({ state }) => !isEnded(state))
  return (
    <Page
      title={text("runs.title")}
      actions={
        isBusy &&
        mayChange(person) && (
          <Button size="sm" icon={OctagonX} disabled={stopAll.busy} onClick={() => void stopAll.run({})}>
            {text("runs.stopAll")}
          </Button>
        )
      }
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && all.length === 0 && (
        <EmptyState
          icon={CirclePlay}
          title={text("runs.empty")}
          action={runners.length === 0 ? <AllowFolder /> : undefined}
        >
          {runners.length > 0 ? text("runs.emptyReady") : undefined}
        </EmptyState>
      )}
      <div className="grid grid-cols-1 gap-8">
        {lists
          .filter(({ rows }) => rows.length > 0)
          .map(({ title, rows }) => (
            <Section key={title} title={title} count={rows.length}>
              <Rows label={title}>
                {rows.map((run) => (
                  <RunItem key={run.uuid} run={run} />
                ))}
              </Rows>
            </Section>
          ))}
        {answer !== undefined && answer.total > all.length && (
          <p className="text-sm text-muted">{text("runs.notShown", { count: answer.total - all.length })}</p>
        )}
        {spend !== undefined && all.length > 0 && (
          <Section title={text("runs.spend")}>
            <Facts>
              <Fact name={text("runs.today")}>
                <Amounts of={spent(spend.today)} />
              </Fact>
              <Fact name={text("runs.total")}>
                <Amounts of={spent(spend.total)} />
              </Fact>
            </Facts>
          </Section>
        )}
        {runners.length > 0 && <Machines runners={runners} />}
      </div>
    </Page>
  )
}
