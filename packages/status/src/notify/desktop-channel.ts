import type { Notice, NotificationChannel } from "./notifier.ts"

const GIVE_UP_MS = 5000

/** The system's own notifications: `notify-send` on Linux, `osascript` on macOS. Its exit is the receipt. */
export function desktopChannel(platform: NodeJS.Platform = process.platform): NotificationChannel {
  return {
    name: "desktop",
    deliver: (notice) =>
      new Promise((resolve) => {
        const [program, ...args] = desktopCommand(notice, platform)
        // Loaded when somebody is called: a listener that calls nobody is three megabytes smaller.
        process
          .getBuiltinModule("node:child_process")
          .execFile(program, args, { timeout: GIVE_UP_MS }, (error) => resolve(error === null))
      }),
  }
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
