import { beginningOf, type Captured, captureChange, git, keepBeginning, keepShown, sendChange } from "@chorus/changes"
import type { changes, TaskId } from "@chorus/contracts"
import { Command, InvalidArgumentError } from "commander"
import { harmless, paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"
import { discardCommand, landCommand, trainCommand } from "./land-command.ts"
import { proposeCommand } from "./propose-command.ts"

const NAMED = 5

export function changeCommand(): Command {
  return new Command("change")
    .addCommand(pushCommand())
    .addCommand(beginCommand(), { hidden: true })
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
      const captured =
        since === undefined || options.base !== undefined
          ? await captureChange(folder, { base: options.base })
          : await sinceBeginning(folder, task, since)
      const about = { taskUuid: task as TaskId, origin: since === undefined ? ("command" as const) : ("hook" as const) }
      const version = await inWorkplace(options, ({ call }) =>
        sendChange((input) => call("chorus_send_change", input), about, captured),
      )
      await keepShown(folder, version.taskUuid, captured.change.tree)
      if (options.json) return printJson(version)
      printVersion(version)
    })
}

/** For the hooks, at check-in: what lies here now is not the work's own. Where they wait no longer, that is not known. */
function beginCommand(): Command {
  return new Command("begin")
    .description("Keep what lies in this checkout as where work on a task begins.")
    .argument("<task>", "the task's uuid")
    .option("--folder <dir>", "the checkout", ".")
    .action((task: string, { folder }: { folder: string }) => keepBeginning(folder, task, heard))
}

/** Refused where nobody reads any more. */
function heard(): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write("looked\n", (error) => (error ? reject(error) : resolve())),
  )
}

/** What the work did since it began here; where nobody kept the tree of that time, since the commit of that time. */
async function sinceBeginning(folder: string, task: string, since: string): Promise<Captured> {
  const began = await beginningOf(folder, task)
  if (began === undefined)
    return saying(
      await captureChange(folder, { base: await baseAt(folder, since) }),
      "It is compared with what was checked out when the work began; what was not committed then counts as its own.",
    )
  const captured = await captureChange(folder, { base: began.commit })
  if (began.uncommitted.length === 0) return captured
  const shown = began.uncommitted.slice(0, NAMED).join(", ")
  const more = began.uncommitted.length > NAMED ? ` and ${began.uncommitted.length - NAMED} more` : ""
  return saying(
    captured,
    `These lay there uncommitted when the work began; what they held then is not its own and does not land with it: ${shown}${more}.`,
  )
}

function saying({ change, parts }: Captured, said: string): Captured {
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
