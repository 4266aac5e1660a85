const FETCHES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:npx|bunx|pnpx)\b\s+(?:-\S+\s+)*([@\w./-]+)/, "downloads and runs the npm package"],
  [/\b(?:pnpm|yarn)\s+dlx\s+([@\w./-]+)/, "downloads and runs the npm package"],
  [/\bnpm\s+(?:exec|x)\s+(?:-\S+\s+)*([@\w./-]+)/, "downloads and runs the npm package"],
  [/\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|ci)\b\s*([@\w./-]*)/, "installs npm packages"],
  [/\b(?:uvx|pipx\s+run)\s+(?:-\S+\s+)*([\w.=[\]-]+)/, "downloads and runs the Python package"],
  [/\bpip3?\s+install\s+([\w.=[\]-]*)/, "installs Python packages"],
  [/\bdocker\s+run\s+.*?([\w./-]+(?::[\w.-]+)?)\s*$/, "downloads and runs the image"],
  [/\bgo\s+(?:run|install)\s+([\w./-]+@\S+)/, "downloads and runs the Go module"],
  [/\bdeno\s+run\s+.*?(https?:\/\/\S+)/, "downloads and runs"],
  [/\b(?:curl|wget)\b.*?(https?:\/\/[^\s"'|]+)/, "fetches"],
  [/\bgit\s+clone\s+.*?((?:https?|ssh):\/\/\S+|\S+@\S+:\S+)/, "clones"],
]

/** Says what a command fetches at run time: code that no pin of the plugin covers. */
export function runtimeDownload(command: string): string | undefined {
  for (const [pattern, does] of FETCHES) {
    const match = pattern.exec(command)
    if (match !== null) return `${does} ${match[1] ?? ""}`.trim()
  }
  return undefined
}

const DANGERS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:curl|wget)\b[^|;]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/, "pipes a download into a shell"],
  [/\b(?:curl|wget)\b[^|;]*\|\s*(?:python3?|node|perl|ruby)\b/, "pipes a download into an interpreter"],
  [/(?:\b(?:(?:ba|z|da|k)?sh|source)|(?:^|[\s;&|])\.)\s+(?:-\w+\s+)*["']?[<$]\(\s*(?:curl|wget)\b/, "runs a download"],
  [/\b(?:curl|wget)\b[^;&|]*(?:;|&&)\s*(?:sudo\s+)?(?:(?:(?:ba|z|da|k)?sh|source|\.)\s)/, "runs a download"],
  [/\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/, "pipes text into a shell"],
  [/\bbase64\s+(?:-d|--decode|-D)\b[^|]*\|\s*\w*sh\b/, "decodes hidden text and runs it"],
  [/\beval\b\s*["'(`$]/, "evaluates text as a program"],
  [
    /\brm\s+-\w*[rf]\w*\s+(?:-\w+\s+)*(?:\/(?:\s|$)|~(?:\/?\s|\/?$)|\$HOME(?:\s|\/?$))/,
    "deletes a home or root folder",
  ],
  [/\bsudo\b/, "asks for root rights"],
  [/(?:~|\$HOME|\$\{HOME\})\/\.(?:ssh|aws|gnupg|netrc|npmrc|docker\/config|kube)\b/, "reaches for credentials"],
  [/\/dev\/tcp\/|\bnc\s+-\w*e\b/, "opens a connection for a remote shell"],
  [/(?:>>?|\btee\b)\s*(?:~|\$HOME)\/\.(?:bashrc|zshrc|profile|bash_profile)\b/, "changes the shell's start-up files"],
  [/--dangerously-skip-permissions|bypassPermissions/, "turns permission checks off"],
]

/** The lines of a script that would be told of if a hook held them itself. */
export function flaggedLines(script: string): { line: number; does: string; text: string; dangerous: boolean }[] {
  return script.split("\n").flatMap((text, at) => {
    if (/^\s*(?:#|\/\/)/.test(text)) return []
    const danger = dangerOf(text)
    const does = danger ?? runtimeDownload(text)
    return does === undefined
      ? []
      : [{ line: at + 1, does, text: text.trim().slice(0, 200), dangerous: danger !== undefined }]
  })
}

/** What about a command is known to be dangerous. */
export function dangerOf(command: string): string | undefined {
  return DANGERS.find(([pattern]) => pattern.test(command))?.[1]
}
