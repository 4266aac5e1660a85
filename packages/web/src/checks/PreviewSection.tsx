import type { checks, TaskId } from "@chorus/contracts"
import { isLoopbackUrl } from "@chorus/core"
import { ExternalLink, Play, Square } from "lucide-react"
import { Badge, Button, Section, type Tone } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Reason } from "../markdown/Reason.tsx"
import { Output } from "../output/Output.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import type { Checks } from "./use-checks.ts"

interface PreviewSectionProps {
  readonly taskUuid: string
  readonly answer: Checks | undefined
}

/** What was built, to be tried on the machine that has it, by the project's own command. */
export function PreviewSection({ taskUuid, answer }: PreviewSectionProps) {
  const text = useText()
  const { person } = useSignedIn()
  const start = useAction("chorus_start_preview")
  const stop = useAction("chorus_stop_preview")
  const preview = answer?.preview
  if (preview === undefined || preview === null) return null
  const { command, latest, obstacle } = preview
  const pending = latest?.state === "queued" || latest?.state === "running"
  const of = { taskUuid: taskUuid as TaskId }
  return (
    <Section title={text("preview.title")}>
      <div className="grid grid-cols-1 gap-2 text-sm">
        <div className="flex flex-wrap items-center gap-2">
          <code className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs wrap-anywhere">{command}</code>
          {latest !== null && <Standing latest={latest} />}
          {mayChange(person) && pending && (
            <Button size="sm" icon={Square} disabled={stop.busy} onClick={() => void stop.run(of)}>
              {text("preview.stop")}
            </Button>
          )}
          {mayChange(person) && !pending && obstacle === null && (
            <Button size="sm" icon={Play} disabled={start.busy} onClick={() => void start.run(of)}>
              {text("preview.start")}
            </Button>
          )}
        </div>
        {pending && <Address latest={latest} taskUuid={taskUuid} />}
        {!pending && (obstacle ?? latest?.reason ?? null) !== null && (
          <p className="text-xs wrap-anywhere text-muted">
            <Reason text={obstacle ?? latest?.reason ?? ""} />
          </p>
        )}
        {latest !== null && latest.tail !== "" && <Output text={latest.tail} className="max-h-64" />}
      </div>
    </Section>
  )
}

function Standing({ latest }: { readonly latest: checks.CheckRow }) {
  const text = useText()
  const [tone, words] = standingOf(latest, text)
  return <Badge tone={tone}>{words}</Badge>
}

function standingOf({ state, exitCode, preview }: checks.CheckRow, text: ReturnType<typeof useText>): [Tone, string] {
  if (state === "queued") return ["waiting", text("checks.state.queued")]
  const listens = typeof preview?.port === "number"
  if (state === "running") return ["progress", text(listens ? "checks.state.running" : "preview.begins")]
  if (exitCode === null) return ["todo", text("preview.over")]
  return [exitCode === 0 ? "done" : "failed", text("tasks.exitCode", { code: exitCode })]
}

/** A link is only offered to whoever sits at that machine: for anybody else it would lead to their own. */
function Address({ latest, taskUuid }: { readonly latest: checks.CheckRow; readonly taskUuid: string }) {
  const text = useText()
  const { port = null, near = false } = latest.preview ?? {}
  if (port === null) return <p className="text-xs text-muted">{text("preview.waits")}</p>
  if (!near || !isLoopbackUrl(location.href)) {
    const machine = latest.machine ?? ""
    return (
      <p className="text-xs wrap-anywhere text-muted">
        <InlineCode text={text("preview.elsewhere", { machine, port })} />
      </p>
    )
  }
  // A name of its own: browsers send cookies to every port of a host, and those of Chorus are not for what an agent
  // wrote.
  const address = `http://preview-${taskUuid.slice(-12)}.localhost:${port}/`
  return (
    <a href={address} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 break-all text-accent">
      {text("preview.open")} {address}
      <ExternalLink aria-hidden className="size-3 shrink-0" />
    </a>
  )
}
