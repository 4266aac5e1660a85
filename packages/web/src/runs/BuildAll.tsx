import type { ProposalId, runBuild } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import { Hammer } from "lucide-react"
import { useMemo, useState } from "react"
import { Badge, Button, Dialog, Fact, Facts, Problem, SkeletonRows } from "../design/index.ts"
import { followGraph } from "../graph/graph.ts"
import { useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { After } from "../proposals/After.tsx"
import { AllowFolder } from "./AllowFolder.tsx"
import { FoldedBudget, type TypedBudget, useBudget } from "./BudgetFields.tsx"
import { PROGRAM_NAME, RUN_LABEL, RUN_TONE } from "./run.ts"
import { type RunChoice, RunChoiceFields, useRunChoice } from "./RunChoice.tsx"
import { Amounts } from "./Spend.tsx"

const followBuild = reloadWhen<runBuild.BuildPreview>(
  ({ entityType }) => entityType === "run" || entityType === "runner" || entityType === "project",
)

/**
 * Builds everything that an approved proposal planned, after a look at how that would go; where no machine runs agents
 * yet, one is asked for first.
 */
export function BuildAll({ proposalUuid, projectUuid }: Record<"proposalUuid" | "projectUuid", string>) {
  const text = useText()
  const [open, setOpen] = useState(false)
  const chosen = useRunChoice("build", projectUuid)
  const limits = useBudget({})
  return (
    <>
      <Button icon={Hammer} tone="primary" onClick={() => setOpen(true)}>
        {text("runs.buildAll")}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={text("runs.buildAllTitle")}>
        {chosen.runners.length === 0 ? (
          <AllowFolder />
        ) : (
          <div className="grid grid-cols-1 gap-4">
            <RunChoiceFields {...chosen} mayBeInPlace={false} projectUuid={projectUuid} />
            <FoldedBudget {...limits} named="runs.budgetEach" />
            <Preview
              proposalUuid={proposalUuid as ProposalId}
              projectUuid={projectUuid}
              chosen={chosen}
              limits={limits}
            />
          </div>
        )}
      </Dialog>
    </>
  )
}

interface PreviewProps {
  readonly proposalUuid: ProposalId
  readonly projectUuid: string
  readonly chosen: RunChoice
  /** Of each run. */
  readonly limits: TypedBudget
}

function Preview({ proposalUuid, projectUuid, chosen, limits }: PreviewProps) {
  const text = useText()
  const navigate = useNavigate()
  const build = useAction("chorus_build_proposal")
  const { program, command, machine } = chosen.choice
  const asked = {
    proposalUuid,
    ...(program === "" ? {} : { program }),
    ...(program === "command" ? { command } : {}),
    ...(machine === "" ? {} : { machine }),
  }
  const { answer, status, error, reload } = useOperation("chorus_preview_build", asked, followBuild)
  const after = useAfter(projectUuid, proposalUuid)
  if (answer === undefined) return status === "failed" ? <Problem error={error} onRetry={reload} /> : <SkeletonRows />
  const begin = async () => {
    const { inPlace: _one, ...choice } = chosen.take()
    const { budget } = limits
    if ((await build.run({ proposalUuid, ...choice, budget })) !== undefined)
      void navigate({ to: "/runs", ignoreBlocker: true })
  }
  return (
    <>
      <ol aria-label={text("runs.order")} className="grid max-h-60 gap-2 overflow-y-auto text-sm" tabIndex={0}>
        {answer.waves.map((wave, at) => (
          <li key={at} className="rounded-md border border-line px-3 py-2">
            <ul className="grid gap-1">
              {wave.map(({ taskUuid, title, runState }) => (
                <li key={taskUuid}>
                  <span className="flex items-center gap-2">
                    <span className="min-w-0 truncate">{title}</span>
                    {runState !== null && <Badge tone={RUN_TONE[runState]}>{text(RUN_LABEL[runState])}</Badge>}
                  </span>
                  <After names={after(taskUuid)} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      <Facts>
        <Fact name={text("runs.program")}>{PROGRAM_NAME[answer.program]}</Fact>
        <Fact name={text("runs.atOnce")}>{answer.slots}</Fact>
        <Fact name={text("runs.left")}>
          <Amounts of={answer.left} none={text("runs.noLimit")} />
        </Fact>
      </Facts>
      {answer.obstacle !== null && (
        <p className="text-sm text-waiting">
          <Reason text={answer.obstacle} />
        </p>
      )}
      <div className="flex justify-end">
        <Button
          tone="primary"
          disabled={build.busy || answer.waves.length === 0 || !chosen.able || !limits.fits}
          onClick={() => void begin()}
        >
          {text("runs.buildAll")}
        </Button>
      </div>
    </>
  )
}

/** What each task of a proposal waits for, by name. */
function useAfter(projectUuid: string, proposalUuid: ProposalId): (taskUuid: string) => readonly string[] {
  const follow = useMemo(() => followGraph(projectUuid), [projectUuid])
  const { answer } = useOperation("chorus_get_task_graph", { projectUuid, proposalUuids: [proposalUuid] }, follow)
  return (taskUuid) =>
    (answer?.edges ?? [])
      .filter((edge) => edge.taskUuid === taskUuid)
      .flatMap(({ dependsOnUuid }) => answer?.nodes.find(({ uuid }) => uuid === dependsOnUuid)?.title ?? [])
}
