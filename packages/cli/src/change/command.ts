import { type Captured, captureChange, git, sendChange } from "@chorus/changes"
import type { changes, TaskId } from "@chorus/contracts"
import { Command } from "commander"
import { harmless, paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace } from "../workplace.ts"
import { discardCommand, landCommand, trainCommand } from "./land-command.ts"

export function changeCommand(): Command {
  return new Command("change")
    .addCommand(pushCommand())
    .addCommand(showCommand())
    .addCommand(landCommand())
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
