import { writeFile } from "node:fs"
import { promisify } from "node:util"
import { controllingTerminal } from "../launch/terminal-identity.ts"
import { oneLine } from "../line/index.ts"
import { environmentOf } from "../watch/process-table.ts"
import type { Notice, NotificationChannel } from "./notifier.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Calls through the agent's own terminal, for machines without a notification service: over ssh, in a container. */
export function terminalChannel(pidOf: (terminalId: string) => number | null): NotificationChannel {
  return {
    name: "terminal",
    async deliver(notice) {
      const pid = pidOf(notice.terminalId)
      const device = pid === null ? undefined : controllingTerminal(pid)?.device
      if (pid === null || device === undefined) return false
      await promisify(writeFile)(`/dev/${device}`, callSequence(await environmentOf(pid), notice))
      return true
    },
  }
}

/**
 * What a terminal program takes for a notice: OSC 9 or 777 where it knows them, else the bell, which tmux passes on
 * too.
 */
export function callSequence(env: Environment, { title, body }: Notice): string {
  const words = [title, body].map((text) => (oneLine(text) ?? "").replaceAll(";", ","))
  if (env["TMUX"] !== undefined) return "\u0007"
  if (["iTerm.app", "WezTerm", "ghostty"].includes(env["TERM_PROGRAM"] ?? "") || env["KITTY_WINDOW_ID"] !== undefined)
    return `\u001b]9;${words.join(": ")}\u001b\\`
  if (env["VTE_VERSION"] !== undefined || env["TERM"]?.startsWith("rxvt"))
    return `\u001b]777;notify;${words.join(";")}\u001b\\`
  return "\u0007"
}
