import { isEnded } from "@chorus/core"
import { Link, useParams } from "@tanstack/react-router"
import { Hand, Play, Square } from "lucide-react"
import { Asking } from "../attention/Asking.tsx"
import { Composer } from "../comments/Composer.tsx"
import {
  Badge,
  Button,
  Fact,
  Facts,
  Nothing,
  Page,
  Problem,
  Section,
  SkeletonRows,
  When,
  Who,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followRun, PROGRAM_NAME, type Run, RUN_LABEL, RUN_TONE } from "./run.ts"
import { TranscriptEntry } from "./TranscriptEntry.tsx"
import { useTranscript } from "./use-transcript.ts"

/** One run: what its agent says and does on the left, where it stands on the right. */
export function RunPage() {
  const text = useText()
  const { runUuid } = useParams({ from: "/runs/$runUuid" })
  const { answer: run, status, error, reload } = useOperation("chorus_get_run", { runUuid }, followRun)
  return (
    <Page
      title={
        <>
          <Link to="/runs" className="font-normal text-muted hover:text-ink">
            {text("runs.title")}
          </Link>
          <span aria-hidden className="px-1.5 text-faint">
            /
          </span>
          {run?.taskTitle ?? text("app.loading")}
        </>
      }
      beside={run !== undefined && <Badge tone={RUN_TONE[run.state]}>{text(RUN_LABEL[run.state])}</Badge>}
      actions={run !== undefined && <RunActions run={run} />}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {run !== undefined && (
        <div className="grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_300px]">
          <Transcript run={run} />
          <RunFacts run={run} />
        </div>
      )}
    </Page>
  )
}

function RunActions({ run }: { readonly run: Run }) {
  const text = useText()
  const { person } = useSignedIn()
  const stop = useAction("chorus_stop_run")
  const interrupt = useAction("chorus_interrupt_run")
  const resume = useAction("chorus_resume_run")
  if (!mayChange(person)) return null
  const { uuid: runUuid } = run
  if (isEnded(run.state))
    return (
      <Button size="sm" icon={Play} disabled={resume.busy} onClick={() => void resume.run({ runUuid })}>
        {text("runs.resume")}
      </Button>
    )
  return (
    <div className="flex gap-2">
      {run.state === "running" && (
        <Button size="sm" icon={Hand} disabled={interrupt.busy} onClick={() => void interrupt.run({ runUuid })}>
          {text("runs.interrupt")}
        </Button>
      )}
      <Button size="sm" icon={Square} disabled={stop.busy} onClick={() => void stop.run({ runUuid })}>
        {text("runs.stop")}
      </Button>
    </div>
  )
}

function Transcript({ run }: { readonly run: Run }) {
  const text = useText()
  const { person } = useSignedIn()
  const send = useAction("chorus_send_to_run")
  const entries = useTranscript(run.uuid)
  return (
    <Section title={text("runs.transcript")}>
      {entries.length === 0 && <Nothing>{text("runs.silent")}</Nothing>}
      <ol aria-label={text("runs.transcript")} className="grid grid-cols-1 gap-3">
        {entries.map((entry) => (
          <TranscriptEntry key={entry.id} entry={entry} />
        ))}
      </ol>
      <div className="mt-4">
        <Asking about={({ detail }) => detail["runUuid"] === run.uuid} />
      </div>
      {mayChange(person) && (
        <div className="mt-4">
          <Composer
            mentions={false}
            draft={`run.${run.uuid}`}
            placeholder={text("runs.sayPlaceholder")}
            send={text("runs.say")}
            onSend={async (words) => (await send.run({ runUuid: run.uuid, text: words })) !== undefined}
          />
        </div>
      )}
    </Section>
  )
}

function RunFacts({ run }: { readonly run: Run }) {
  const text = useText()
  const { usage } = run
  return (
    <Facts>
      {run.reason !== null && <Fact name={text("runs.reason")}>{run.reason}</Fact>}
      <Fact name={text("runs.task")}>
        <Link
          to="/projects/$projectUuid/tasks/$taskUuid"
          params={{ projectUuid: run.projectUuid, taskUuid: run.taskUuid }}
          className="text-accent hover:underline"
        >
          {run.taskTitle}
        </Link>
      </Fact>
      <Fact name={text("runs.program")}>{[PROGRAM_NAME[run.program], run.model].filter(Boolean).join(" · ")}</Fact>
      <Fact name={text("runs.machine")}>{run.machine ?? text("runs.any")}</Fact>
      <Fact name={text("runs.startedBy")}>
        <Who actor={run.startedBy} />
        <When at={run.createdAt} />
      </Fact>
      {run.branch !== null && (
        <Fact name={text("runs.branch")}>
          <code className="break-all">{run.branch}</code>
        </Fact>
      )}
      {run.worktree !== null && (
        <Fact name={text("runs.worktree")}>
          <code className="text-xs break-all">{run.worktree}</code>
        </Fact>
      )}
      <Fact name={text("runs.turns")}>{run.turns}</Fact>
      <Fact name={text("runs.tokens")}>
        {text("runs.used", { input: usage.inputTokens, output: usage.outputTokens })}
        {usage.costUsd !== null && ` · $${usage.costUsd.toFixed(2)}`}
      </Fact>
    </Facts>
  )
}
