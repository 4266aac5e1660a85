import type { runs } from "@chorus/contracts"
import { isEnded } from "@chorus/core"
import { CirclePlay, OctagonX } from "lucide-react"
import { Badge, Button, EmptyState, Fact, Facts, Page, Problem, Rows, Section, SkeletonRows } from "../design/index.ts"
import { type Translate, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AllowFolder } from "./AllowFolder.tsx"
import { followRunners, followRuns, PROGRAM_NAME } from "./run.ts"
import { RunItem } from "./RunItem.tsx"
import { Amounts, spent, useSpend } from "./Spend.tsx"

/** The agents that Chorus put to work, those that wait and for what, what they used, and the machines that can run more. */
export function RunsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const stopAll = useAction("chorus_stop_runs")
  const { answer, status, error, reload } = useOperation("chorus_list_runs", { pageSize: 100 }, followRuns)
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
          {text(runners.length === 0 ? "runs.allowFirst" : "runs.emptyReady")}
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
        {runners.length > 0 && (
          <Section title={text("runs.machines")} count={runners.length}>
            {runners.map((runner) => (
              <Facts key={runner.uuid}>
                <Fact name={runner.machine}>
                  <span>{text("runs.slots", { busy: runner.busy, slots: runner.slots })}</span>
                  {runner.room !== null && <span className="text-muted">{roomOf(text, runner.room)}</span>}
                  {runner.programs
                    .filter(({ missing }) => missing === null)
                    .map(({ program, version }) => (
                      <Badge key={program}>
                        {PROGRAM_NAME[program]} {version}
                      </Badge>
                    ))}
                  {runner.folders.map(({ path, project }) => (
                    <code key={path} className="basis-full text-xs break-all text-faint">
                      {path}
                      {project !== undefined && ` · ${project}`}
                    </code>
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

function roomOf(text: Translate, { memory, freeMemory, worktrees }: runs.RunnerRoom): string {
  const gigabytes = (megabytes: number) => (megabytes / 1024).toFixed(1)
  const free = text("runs.memory", { free: gigabytes(freeMemory), all: gigabytes(memory) })
  return worktrees === null ? free : `${free} · ${text("runs.disk", { gigabytes: gigabytes(worktrees) })}`
}
