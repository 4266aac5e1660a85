import { hostname } from "node:os"
import { git, repositoryOf, writeTree } from "@chorus/changes"
import { type checks, ChorusError, type TaskId } from "@chorus/contracts"
import { touchedBy } from "@chorus/core"
import { environmentName, MOST_TOUCHED, RUN_MARK, runChecks, treeOf } from "@chorus/runs"
import { Command } from "commander"
import { assertWorkOf } from "../change/work-place.ts"
import { harmless, paint, printJson, type Target, withTarget } from "../output.ts"
import { wholeNumber } from "../whole-number.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"

interface CheckOptions extends Target {
  readonly folder: string
  readonly base?: string
  readonly minutes: number
}

export function checkCommand(): Command {
  return withTarget(new Command("check").description("Run a task's checks in this checkout and show what they gave."))
    .argument("<task>", "the task's id")
    .option("--folder <dir>", "the checkout", ".")
    .option("--base <ref>", "the branch or commit that the work began from; else what its change is compared with")
    .option("--minutes <number>", "how long each may take", wholeNumber("Give a number of minutes.", 1), 10)
    .action(async (task: string, options: CheckOptions) => {
      if (process.env[RUN_MARK] !== undefined) throw inRun()
      const rows = await inWorkplace(options, (workplace) => check(workplace, task as TaskId, options))
      if (options.json) printJson({ checks: rows })
      if (rows.some(({ state }) => state !== "passed")) process.exitCode = 1
    })
}

async function check({ call }: Workplace, taskUuid: TaskId, options: CheckOptions): Promise<checks.CheckRow[]> {
  const folder = await repositoryOf(options.folder)
  const shown = await assertWorkOf(call, taskUuid, folder)
  const { checkable } = await call("chorus_get_checks", { taskUuid })
  const approved = checkable.filter((item) => item.approved)
  for (const { command } of checkable.filter((item) => !item.approved))
    process.stderr.write(`${paint("yellow", "left out")} ${harmless(command)}: no person has approved it yet.\n`)
  if (approved.length === 0) throw nothingToCheck(checkable.length)
  const base = options.base ?? shown?.baseCommit ?? (await git(folder, ["rev-parse", "--verify", "HEAD"]))
  const changed = await treeOf({ path: folder, baseCommit: base })
  const { tree } = await writeTree(folder, { withoutEmbedded: true })
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const rows: checks.CheckRow[] = []
  for (const { command } of approved) {
    const [end] = await runChecks([command], { folder, env, limits: { minutes: options.minutes } })
    if (end === undefined) continue
    const touched = touchedBy(command, changed).slice(0, MOST_TOUCHED)
    const about = { touched, environment: environmentName(), tree, machine: hostname() }
    const row = await call("chorus_send_check", { taskUuid, command, ...end, ...about })
    rows.push(row)
    if (!options.json) print(row)
  }
  return rows
}

function print({ state, command, exitCode, reason, durationMs, tail, touched }: checks.CheckRow): void {
  const seconds = ((durationMs ?? 0) / 1000).toFixed(1)
  const end = reason ?? `exit code ${exitCode ?? "unknown"}`
  process.stdout.write(
    `${paint(state === "passed" ? "green" : "red", state)} ${harmless(command)} ${end}, ${seconds} s\n`,
  )
  for (const path of touched)
    process.stdout.write(`${paint("yellow", "note")} ${harmless(path)} was changed by the work: this proves nothing.\n`)
  if (state !== "passed") process.stdout.write(`${harmless(tail)}\n`)
}

function inRun(): ChorusError {
  return new ChorusError("check_not_yours", "Who did the work does not run its checks.", {
    status: 403,
    next: "Hand the task in: Chorus runs them then, and tells you what failed.",
  })
}

function nothingToCheck(unapproved: number): ChorusError {
  return new ChorusError("no_such_check", "This task has no approved command to be checked by.", {
    status: 404,
    next:
      unapproved > 0
        ? "Approve them on the task's page."
        : "Give a criterion a command, or name checks in the project's settings.",
  })
}
