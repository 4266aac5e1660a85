import { type Captured, captureChange, git, sendChange } from "@chorus/changes"
import type { changes, TaskId } from "@chorus/contracts"
import { Command, InvalidArgumentError } from "commander"
import { harmless, paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"
import { discardCommand, landCommand, trainCommand } from "./land-command.ts"
import { proposeCommand } from "./propose-command.ts"

export function changeCommand(): Command {
  return new Command("change")
    .addCommand(pushCommand())
    .addCommand(showCommand())
    .addCommand(commentCommand())
    .addCommand(landCommand())
    .addCommand(proposeCommand())
    .addCommand(trainCommand())
    .addCommand(discardCommand())
}

function pushCommand(): Command {
  return withTarget(new Command("push").description("Show on a task what the work in this repository changed."))
    .argument("<task>", "the task's id")
    .option("--base <ref>", "the branch, commit or tree that the work began from")
    .option("--since <time>", "when the work began: its base is what was checked out then")
    .option("--folder <dir>", "the checkout", ".")
    .action(async (task: string, options: Target & { base?: string; since?: string; folder: string }) => {
      const { since, folder } = options
      const captured = await captureChange(folder, { base: options.base ?? (since && (await baseAt(folder, since))) })
      const about = { taskUuid: task as TaskId, origin: since === undefined ? ("command" as const) : ("hook" as const) }
      const version = await inWorkplace(options, ({ call }) =>
        sendChange(
          (input) => call("chorus_send_change", input),
          about,
          since === undefined ? captured : dated(captured),
        ),
      )
      if (options.json) return printJson(version)
      printVersion(version)
    })
}

/** Nobody kept the tree of that time, only the commit. */
function dated({ change, parts }: Captured): Captured {
  const said =
    "It is compared with what was checked out when the work began; what was not committed then counts as its own."
  return { change: { ...change, warnings: [...change.warnings, said] }, parts }
}

/** What was checked out at that time, as the checkout remembers it. */
function baseAt(folder: string, time: string): Promise<string> {
  return git(folder, ["rev-parse", "--verify", "--end-of-options", `HEAD@{${time}}^{commit}`])
}

function showCommand(): Command {
  return withTarget(new Command("show").description("Show what a task's work changed."))
    .argument("<task>", "the task's id")
    .option("--patch", "the patches as well")
    .action(async (task: string, options: Target & { patch?: boolean }) => {
      const room = options.patch === true ? 20_000_000 : 0
      const change = await inWorkplace(options, ({ call }) =>
        call("chorus_get_change", { taskUuid: task as TaskId, room }),
      )
      if (options.json) return printJson(change)
      if (change.version === null) return void process.stdout.write("Nothing was sent for this task yet.\n")
      printVersion(change.version)
      printTable(
        ["", "+", "−", "file"],
        change.files.map((file) => [file.status, String(file.additions), String(file.deletions), nameOf(file)]),
      )
      for (const { patch } of change.files) if (patch !== undefined) process.stdout.write(`\n${harmless(patch)}`)
    })
}

function commentCommand(): Command {
  return withTarget(new Command("comment").description("Say something about a line of what a task's work changed."))
    .argument("<task>", "the task's id")
    .argument("<place>", "FILE:LINE, as the change shows it", placeOf)
    .argument("<text>", "what you have to say")
    .option("--blocker", "it has to be mended")
    .option("--suggest <text>", "what the line should become")
    .option("--before", "the line as it was before the change")
    .action(async (task: string, place: Place, text: string, options: Target & Remark) => {
      const { suggest: suggestion, blocker, before } = options
      const severity = blocker === true ? ("blocker" as const) : ("note" as const)
      const side = before === true ? ("before" as const) : ("after" as const)
      const comment = { ...place, text, severity, side, ...(suggestion === undefined ? {} : { suggestion }) }
      const answer = await inWorkplace(options, ({ call }) =>
        call("chorus_comment_on_change", { taskUuid: task as TaskId, comments: [comment] }),
      )
      if (options.json) return printJson(answer)
      for (const { file, line, lineText } of answer.threads)
        process.stdout.write(`${paint("green", "said")} ${harmless(`${file}:${line} ${lineText.trim()}`)}\n`)
    })
}

interface Remark {
  readonly blocker?: boolean
  readonly suggest?: string
  readonly before?: boolean
}

interface Place {
  readonly file: string
  readonly line: number
}

function placeOf(given: string): Place {
  const [, file, line] = /^(.+):([1-9]\d*)$/.exec(given) ?? []
  if (file === undefined) throw new InvalidArgumentError("Name the file and the line, as in src/door.ts:12.")
  return { file, line: Number(line) }
}

function printVersion(version: changes.ChangeRow): void {
  const { number, fileCount, additions, deletions, baseRef, baseCommit, warnings, points } = version
  const base = baseRef ?? baseCommit?.slice(0, 12) ?? "nothing"
  const counted = `${fileCount} ${fileCount === 1 ? "file" : "files"}, +${additions} −${deletions}`
  process.stdout.write(`${paint("green", `version ${number}`)} ${counted}, compared with ${harmless(base)}\n`)
  for (const warning of warnings) process.stdout.write(`${paint("yellow", "note")} ${harmless(warning)}\n`)
  for (const { kind, path, what } of points)
    process.stdout.write(`${paint("yellow", "look")} ${harmless(`${path}: ${what}`)} ${paint("dim", kind)}\n`)
}

function nameOf({ path, oldPath }: changes.ChangeFile): string {
  return oldPath === null ? path : `${oldPath} → ${path}`
}
