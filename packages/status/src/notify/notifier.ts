import type { StatusAgent, StatusRow } from "@chorus/contracts"
import { oneLine } from "../line/index.ts"
import type { StatusForwarder } from "../listener/terminal-book.ts"
import { desktopChannel } from "./desktop-channel.ts"
import { notifySettings, type NotifySettings } from "./notify-settings.ts"

/** A state must last this long before anybody is called: retries and quick answers are not worth a person's attention. */
const SETTLE_MS = 1500

export interface Notice {
  terminalId: string
  kind: "needsInput" | "finished" | "failed"
  title: string
  body: string
}

/** One way to reach a person. The promise is the receipt: true only when the channel itself says it was delivered. */
export interface NotificationChannel {
  readonly name: string
  deliver(notice: Notice): Promise<boolean>
}

export interface NotifierOptions {
  channels?: readonly NotificationChannel[]
  settings?: NotifySettings
  settleMs?: number
  /** Told how each delivery ended; "sent" is never claimed without a receipt. */
  onDelivery?: (notice: Notice, channel: string, delivered: boolean) => void
}

/** Calls a person when an agent needs input or has finished. Who is connected to the listener makes no difference to it. */
export function notificationForwarder(options: NotifierOptions = {}): StatusForwarder {
  const channels = options.channels ?? [desktopChannel()]
  const settings = options.settings ?? notifySettings()
  const waiting = new Map<string, NodeJS.Timeout>()

  /** The first channel that says it was delivered has done it. */
  async function deliver(notice: Notice, agent: StatusAgent): Promise<void> {
    if (!settings.isOn("desktop", agent)) return
    for (const channel of channels) {
      const delivered = await channel.deliver(notice).catch(() => false)
      options.onDelivery?.(notice, channel.name, delivered)
      if (delivered) return
    }
  }

  return {
    changed(row, before) {
      if (before?.state === row.state) return
      clearTimeout(waiting.get(row.terminalId))
      waiting.delete(row.terminalId)
      const notice = noticeFor(row, before)
      if (notice === undefined) return
      const timer = setTimeout(() => {
        waiting.delete(row.terminalId)
        void deliver(notice, row.agent)
      }, options.settleMs ?? SETTLE_MS)
      waiting.set(row.terminalId, timer)
      timer.unref()
    },
    removed(terminalId) {
      clearTimeout(waiting.get(terminalId))
      waiting.delete(terminalId)
    },
  }
}

/** What a change is worth telling: a question, or the end of work that was seen to go on. */
export function noticeFor(row: StatusRow, before: StatusRow | undefined): Notice | undefined {
  // It was called for before it was lost sight of.
  if (before?.state === "unknown" && row.since + SETTLE_MS <= before.since) return undefined
  const name = row.title ?? row.terminalId
  if (row.state === "needsInput") {
    return {
      terminalId: row.terminalId,
      kind: "needsInput",
      title: `${row.agent} needs you: ${name}`,
      body: row.detail ?? "It waits for your answer.",
    }
  }
  if (row.state !== "finished" || before === undefined || before.state === "idle") return undefined
  const failed = row.exitCode !== 0
  const body =
    oneLine(failed ? (row.reason ?? row.summary ?? `exit code ${row.exitCode}`) : (row.summary ?? "Done.")) ?? ""
  return {
    terminalId: row.terminalId,
    kind: failed ? "failed" : "finished",
    title: `${row.agent} ${failed ? "failed" : "finished"}: ${name}`,
    body,
  }
}
