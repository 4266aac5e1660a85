import type { Notice, NotificationChannel } from "./notifier.ts"

const GIVE_UP_MS = 5000
/** One that waits for a click and has not failed by now is on the screen. */
const SHOWN_MS = 1000

export interface DesktopOptions {
  readonly platform?: NodeJS.Platform
  /** Told when somebody clicks on a notice, where the system tells of that. */
  readonly onClick?: (terminalId: string) => void
}

/**
 * The system's own notifications: `notify-send` on Linux, `osascript` on macOS. Its exit, or that it waits for a click,
 * is the receipt.
 */
export function desktopChannel({ platform = process.platform, onClick }: DesktopOptions = {}): NotificationChannel {
  return {
    name: "desktop",
    async deliver(notice) {
      const [program, ...args] = desktopCommand(notice, platform)
      if (platform === "darwin" || onClick === undefined) return run(program, args)
      // An older notify-send knows no actions; then it is shown without.
      const shown = await run(program, ["--action=default=Show", ...args], () => onClick(notice.terminalId))
      return shown || run(program, args)
    },
  }
}

/** Loaded when somebody is called: a listener that calls nobody is three megabytes smaller. */
function run(program: string, args: readonly string[], onClick?: () => void): Promise<boolean> {
  const { execFile } = process.getBuiltinModule("node:child_process")
  return new Promise((resolve) => {
    const shown = onClick === undefined ? undefined : setTimeout(() => resolve(true), SHOWN_MS)
    const options = { timeout: onClick === undefined ? GIVE_UP_MS : 0 }
    const child = execFile(program, [...args], options, (error, stdout) => {
      clearTimeout(shown)
      if (error === null && stdout.trim() === "default") onClick?.()
      resolve(error === null)
    })
    child.unref()
  })
}

/** The command for a notice. An agent's words are arguments, never part of a script, and no markup to the notification service. */
export function desktopCommand(notice: Notice, platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") {
    const script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
    return ["osascript", "-e", script, "--", notice.title, notice.body]
  }
  const urgency = notice.kind === "needsInput" ? "critical" : "normal"
  return ["notify-send", `--urgency=${urgency}`, "--app-name=Chorus", "--", notice.title, escapeMarkup(notice.body)]
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
