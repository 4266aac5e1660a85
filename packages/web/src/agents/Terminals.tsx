import type { machines, OutputOf, StatusState } from "@chorus/contracts"
import { Copy, LocateFixed, SquareTerminal } from "lucide-react"
import { memo } from "react"
import { Badge, Dot, IconButton, Rows, Section, toast, toastError, type Tone } from "../design/index.ts"
import { say, type TextKey, useFormat, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { followRows } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { copyText } from "../settings/copy-text.ts"
import { useNow } from "./use-now.ts"

type Answer = OutputOf<typeof machines.listTerminals>
type Terminal = machines.TerminalRow

const TONE: Record<StatusState, Tone> = {
  running: "progress",
  idle: "todo",
  needsInput: "waiting",
  finished: "done",
  unknown: "todo",
}
const LABEL: Record<StatusState, TextKey> = {
  running: "agents.terminal.running",
  idle: "agents.terminal.idle",
  needsInput: "agents.terminal.needsInput",
  finished: "agents.terminal.finished",
  unknown: "agents.terminal.unknown",
}
const ORDER: Record<StatusState, number> = { needsInput: 0, running: 1, idle: 2, finished: 3, unknown: 4 }

/** More dots than this that move tell nothing, and keep a browser busy with nothing but moving them. */
const MOST_LIVELY = 12

/** So long the seconds are told; after that only the minutes are. */
const SOON_MS = 60_000

const follow = followRows<Answer>({ entity: "terminal", rows: "terminals" })

/** What every agent terminal does on the machines whose companion tells us; who needs somebody comes first. */
export function Terminals() {
  const text = useText()
  const { answer } = useOperation("chorus_list_terminals", {}, follow)
  const rows = (answer?.terminals ?? []).toSorted((a, b) => ORDER[a.state] - ORDER[b.state] || b.since - a.since)
  if (rows.length === 0) return null
  const lively = rows.filter((row) => row.state === "running").length <= MOST_LIVELY
  return (
    <Section title={text("agents.terminals")} count={rows.length}>
      <Rows label={text("agents.terminals")}>
        {rows.map((row) => (
          <TerminalItem key={row.uuid} terminal={row} lively={lively} />
        ))}
      </Rows>
    </Section>
  )
}

/** Why something failed, or is not known, says more than what was done or said last. */
function storyOf({ state, detail, summary, reason }: Terminal, failed: boolean): string {
  const [first, second] = failed || state === "unknown" ? [reason, detail] : [detail, reason]
  return first ?? summary ?? second ?? ""
}

/** Of a hundred rows one has changed; the others stay as they are. */
const TerminalItem = memo(function TerminalItem({
  terminal,
  lively,
}: {
  readonly terminal: Terminal
  readonly lively: boolean
}) {
  const text = useText()
  const format = useFormat()
  const now = useNow(Date.now() - terminal.since < SOON_MS ? 1000 : undefined)
  const failed = terminal.state === "finished" && terminal.exitCode !== null && terminal.exitCode !== 0
  const { resumeCommand, machineUuid, terminalId } = terminal
  const show = useAction("chorus_show_terminal")
  const goThere = async () => {
    if ((await show.run({ machineUuid, terminalId })) !== undefined) toast(text("agents.shown"))
  }
  const copy = (command: string) => void copyText(command).then(() => toast(say("action.copied")), toastError)
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <SquareTerminal aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-1.5 font-medium">
          <span className="truncate">{terminal.title ?? text("agents.untitled")}</span>
          {terminal.unread && <Badge tone={failed ? "failed" : "done"}>{text("agents.unread")}</Badge>}
        </p>
        <p className="truncate text-xs text-muted">
          <Reason text={storyOf(terminal, failed)} />
        </p>
        <p className="text-xs text-faint">
          {text("agents.onMachine", {
            agent: [terminal.agent, terminal.folder ?? []].flat().join(" · "),
            machine: terminal.machine,
          })}
          {" · "}
          {terminal.owner.name}
          {terminal.outside && ` · ${text("agents.outside")}`}
        </p>
      </div>
      <span className="flex items-center gap-2 max-sm:w-full max-sm:pl-7">
        <IconButton
          icon={LocateFixed}
          size="sm"
          label={text("agents.goThere")}
          disabled={show.busy}
          onClick={() => void goThere()}
        />
        {resumeCommand !== null && (
          <IconButton
            icon={Copy}
            size="sm"
            label={text("agents.copyResume")}
            title={resumeCommand}
            onClick={() => copy(resumeCommand)}
          />
        )}
        <Badge tone={failed ? "failed" : TONE[terminal.state]}>
          <Dot tone={failed ? "failed" : TONE[terminal.state]} pulse={lively && terminal.state === "running"} />
          {text(failed ? "agents.terminal.failed" : LABEL[terminal.state])}
        </Badge>
        <span className="ml-auto w-16 text-right text-xs text-faint tabular-nums">
          {format.duration(Math.max(0, now - terminal.since))}
        </span>
      </span>
    </li>
  )
})
