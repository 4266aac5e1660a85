import type { StatusState } from "@chorus/contracts"
import { Check, Copy, LocateFixed, SquareTerminal } from "lucide-react"
import { memo } from "react"
import { Badge, Dot, IconButton, Rows, Section, toast, toastError, type Tone } from "../design/index.ts"
import { say, type TextKey, useFormat, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { useAction } from "../live/use-action.ts"
import { copyText } from "../settings/copy-text.ts"
import { useNow } from "./use-now.ts"
import { type Terminal, useTerminals } from "./use-terminals.ts"

/** What has ended is no longer green, and no longer at rest; a failure stays one. */
type Look = StatusState | "failed" | "ended"

function lookOf({ state, exitCode, ended }: Terminal): Look {
  if (state === "finished" && exitCode !== null && exitCode !== 0) return "failed"
  return ended ? "ended" : state
}

const TONE: Record<Look, Tone> = {
  running: "progress",
  idle: "todo",
  needsInput: "waiting",
  finished: "done",
  unknown: "todo",
  failed: "failed",
  ended: "todo",
}
const LABEL: Record<Look, TextKey> = {
  running: "agents.terminal.running",
  idle: "agents.terminal.idle",
  needsInput: "agents.terminal.needsInput",
  finished: "agents.terminal.finished",
  unknown: "agents.terminal.unknown",
  failed: "agents.terminal.failed",
  ended: "agents.terminal.ended",
}
const ORDER: Record<Look, number> = { needsInput: 0, running: 1, idle: 2, failed: 3, finished: 3, unknown: 4, ended: 5 }

/** More dots than this that move tell nothing, and keep a browser busy with nothing but moving them. */
const MOST_LIVELY = 12

/** So long the seconds are told; after that only the minutes are. */
const SOON_MS = 60_000

/** What every agent terminal does on the machines whose companion tells us; who needs somebody comes first. */
export function Terminals() {
  const text = useText()
  const rows = useTerminals().toSorted((a, b) => ORDER[lookOf(a)] - ORDER[lookOf(b)] || b.since - a.since)
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

/** After a success what was said last, else why, else what is being done; the list on the machine says the same. */
function storyOf({ state, exitCode, detail, summary, reason }: Terminal): string {
  const told = state === "finished" && exitCode === 0 ? (summary ?? reason) : (reason ?? detail ?? summary)
  return told ?? ""
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
  const look = lookOf(terminal)
  const { resumeCommand, machineUuid, terminalId } = terminal
  const show = useAction("chorus_show_terminal")
  const see = useAction("chorus_see_terminal")
  const goThere = async () => {
    if ((await show.run({ machineUuid, terminalId })) !== undefined) toast(text("agents.shown"))
  }
  const copy = (command: string) => void copyText(command).then(() => toast(say("action.copied")), toastError)
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <SquareTerminal aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex items-center gap-1.5 font-medium">
          <span className="truncate">{terminal.title ?? text("agents.untitled")}</span>
          {terminal.unread && <Badge tone={look === "failed" ? "failed" : "done"}>{text("agents.unread")}</Badge>}
        </p>
        <p className="line-clamp-2 wrap-anywhere text-xs text-muted">
          <Reason text={storyOf(terminal)} />
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
        {terminal.unread && (
          <IconButton
            icon={Check}
            size="sm"
            label={text("agents.markSeen")}
            disabled={see.busy}
            onClick={() => void see.run({ machineUuid, terminalId })}
          />
        )}
        {!terminal.ended && (
          <IconButton
            icon={LocateFixed}
            size="sm"
            label={text("agents.goThere")}
            disabled={show.busy}
            onClick={() => void goThere()}
          />
        )}
        {resumeCommand !== null && (
          <IconButton
            icon={Copy}
            size="sm"
            label={text("agents.copyResume")}
            title={resumeCommand}
            onClick={() => copy(resumeCommand)}
          />
        )}
        <Badge tone={TONE[look]}>
          <Dot tone={TONE[look]} pulse={lively && look === "running"} />
          {text(LABEL[look])}
        </Badge>
        <span
          className="ml-auto w-16 text-right text-xs text-faint tabular-nums"
          title={text("agents.saidBy", { source: terminal.source })}
        >
          {format.duration(Math.max(0, now - terminal.since))}
        </span>
      </span>
    </li>
  )
})
