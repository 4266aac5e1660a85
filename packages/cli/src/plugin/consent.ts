import { acceptDigests, type AskConsent, type ConsentQuestion, type FileChange } from "@chorus/plugins"
import { ChorusError, type SurfaceItem } from "@chorus/contracts"
import { paint, visible } from "../output.ts"
import { askYes, isInteractive } from "./prompt.ts"

const KINDS: Record<SurfaceItem["kind"], string> = {
  hook: "hook",
  mcp: "MCP server",
  lsp: "language server",
  monitor: "monitor",
  binary: "program",
  module: "module",
  "inline-command": "command",
  setting: "setting",
  "install-command": "install command",
  download: "DOWNLOAD",
  connect: "connection",
  workflow: "workflow",
}

/** How consent is given here: by digest, by --yes, by a person who is shown everything; otherwise not at all. */
export function consentFrom(options: {
  yes?: boolean | undefined
  accept?: readonly string[] | undefined
  json?: boolean | undefined
}): AskConsent {
  const { accept, yes = false, json = false } = options
  if (accept !== undefined || yes || json || !isInteractive()) {
    const named = acceptDigests(accept ?? [])
    return async (question) => {
      // Whoever gives the right digest has read what it names.
      const isNamed = await named(question)
      if (!json && !isNamed) process.stderr.write(describeQuestion(question))
      return isNamed || (accept === undefined && yes)
    }
  }
  return async (question) => {
    process.stdout.write(describeQuestion(question))
    if (await askYes("Allow this on your machine?")) return true
    throw new ChorusError("consent_required", "You did not agree, so nothing was changed.", {
      status: 403,
      next: "Run it again if you change your mind.",
    })
  }
}

/** Everything a plugin would do, one line each; what an update adds and takes away is marked. */
export function describeQuestion(question: ConsentQuestion): string {
  const lines = question.plugins.flatMap((plugin) => {
    const title =
      plugin.why === "changed"
        ? `${plugin.id} ${plugin.version} now does something else on this machine:`
        : `${plugin.id} ${plugin.version} would do this on your machine:`
    const added = new Set(plugin.added.map((item) => JSON.stringify(item)))
    const items = plugin.surface.items.map(
      (item) =>
        `  ${plugin.why === "changed" && added.has(JSON.stringify(item)) ? paint("green", "+") : " "} ${describeItem(item)}`,
    )
    return [
      paint("bold", visible(title)),
      ...inPlaceNote(plugin),
      ...items,
      ...plugin.removed.map((item) => `  ${paint("red", "-")} ${describeItem(item)}`),
      ...plugin.files.flatMap(describeFile),
      ...otherFiles(plugin),
    ]
  })
  return `${lines.join("\n")}\n${paint("dim", `sha256 ${question.sha256}`)}\n`
}

function inPlaceNote({ id, why, runsFrom }: ConsentQuestion["plugins"][number]): string[] {
  if (runsFrom === undefined) return []
  const note =
    why === "changed"
      ? `Claude Code reads it from ${runsFrom}, so while it is on, this already runs; to stop it: chorus plugin disable ${id}`
      : `Claude Code reads it from ${runsFrom}: whatever is changed there later runs without a question.`
  return [`  ${paint("yellow", visible(note))}`]
}

function otherFiles({ otherFiles: count = 0, files }: ConsentQuestion["plugins"][number]): string[] {
  if (count === 0) return []
  const noun = count === 1 ? "file" : "files"
  const told = files.length === 0 ? `with ${count} ${noun}` : `and ${count} more ${noun}, which these may load`
  return [`  ${paint("dim", told)}`]
}

function describeFile({ path, change, diff, isWhole, flags = [] }: FileChange): string[] {
  const colours = { "+": "green", "-": "red", " ": "dim" } as const
  const lines = (diff ?? "").split("\n").filter((line) => line !== "")
  const whole = isWhole ? " (as it is now: what it was is no longer there to compare)" : ""
  const unread = change === "brings" && flags.length > 0 ? "" : " (not shown: not text, or too long)"
  const note = diff === undefined ? unread : whole
  return [
    `  ${paint("yellow", change.padEnd(8))}${visible(path)}${note}`,
    ...flags.map((flag) => `    ${paint("red", `! ${visible(flag)}`)}`),
    ...lines.map((line) => `    ${paint(colours[line[0] as "+"] ?? "dim", visible(line))}`),
  ]
}

export function describeItem(item: SurfaceItem): string {
  const kind = KINDS[item.kind].padEnd(15)
  return `${item.kind === "download" ? paint("red", kind) : paint("cyan", kind)} ${paint("dim", visible(item.where))}  ${visible(item.does)}`
}
