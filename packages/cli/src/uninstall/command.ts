import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { claim } from "@chorus/disk"
import { leavePlugins, pluginContext } from "@chorus/plugins"
import { cleanUp, readPolicy } from "@chorus/runs"
import { holdDirectory } from "@chorus/server/data-directory"
import { filesWithWrappers } from "@chorus/status"
import { Command, Option } from "commander"
import { disconnectProgram, isConnected, type ProgramName } from "../connect/agent-program.ts"
import { disconnectClaude } from "../connect/claude-command.ts"
import { removeLastingCopy } from "../connect/lasting-copy.ts"
import { findClaude } from "../connect/claude-program.ts"
import { paint, printJson, type Target, withData } from "../output.ts"
import { removeStatus } from "../status/remove-status.ts"
import { teamWorktrees } from "../team/worktree.ts"
import { removeProgramFiles } from "./program-files.ts"

interface Options extends Target {
  readonly claude: string
  readonly deleteData?: boolean
}

interface Outcome {
  readonly done: string[]
  readonly failed: string[]
  /** What stays because nobody asked for it to go. */
  readonly left: string[]
}

/**
 * `chorus uninstall`: the agents disconnected, wrappers, sockets and caches gone, and with --delete-data the data too.
 */
export function uninstallCommand(): Command {
  return withData(new Command("uninstall"))
    .option("--delete-data", "delete the data directory too; a PostgreSQL database is left to its own tools")
    .addOption(new Option("--claude <program>", "Claude Code, if it is not `claude` on the PATH").default("claude"))
    .action(async (options: Options) => {
      assertNothingRuns(options.data)
      const outcome: Outcome = { done: [], failed: [], left: [] }
      await takeClaudeOff(options, outcome)
      for (const program of ["codex", "opencode"] as const) await takeProgramOff(program, outcome)
      await takePluginsOff(outcome)
      await removeStatus()
      outcome.left.push(
        ...filesWithWrappers(process.env).map((file) => `${WRAPPER_LINE} ${file}, which does nothing now`),
      )
      outcome.done.push(
        "removed the wrappers, the listener and what they kept",
        ...removeProgramFiles(),
        ...removeLastingCopy(options.data),
      )
      if (existsSync(options.data)) await handleData(options, outcome)
      if (options.database !== undefined) outcome.left.push("the PostgreSQL database")
      tell(options, outcome)
      if (outcome.failed.length > 0) process.exitCode = 1
    })
}

/** A person's own file, in which only they write. */
const WRAPPER_LINE = 'the line with "shell-init" or "/shims-" in'

/** What a data directory has, whichever part of Chorus made it. */
const MARKS = ["chorus.sqlite", "lock", "companion", "codex-plugins", "runner", "team-worktrees"]

/** Whether Chorus made it. Any other folder is somebody's, whatever --data says. */
function isOurs(directory: string): boolean {
  return MARKS.some((name) => existsSync(join(directory, name)))
}

/** Whoever still runs would put back what is removed. */
function assertNothingRuns(data: string): void {
  if (existsSync(join(data, "runner"))) {
    const held = claim(join(data, "runner", "lock"))
    if (held === undefined)
      throw new ChorusError("data_in_use", "A runner is at work on this data.", {
        status: 409,
        next: "Stop it, then uninstall. Nothing was changed.",
      })
    held.release()
  }
  for (const directory of [data, join(data, "companion")].filter(isOurs)) {
    try {
      holdDirectory(directory).release()
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      throw new ChorusError(error.code, error.message, {
        status: error.status,
        next: "Stop it, then uninstall. Nothing was changed.",
        cause: error,
      })
    }
  }
}

async function takeClaudeOff(options: Options, { done, failed }: Outcome): Promise<void> {
  const claude = await findClaude(options.claude).catch(() => undefined)
  if (claude === undefined) return
  try {
    done.push(...(await disconnectClaude(claude, options)).map((line) => `Claude Code: ${line}`))
  } catch (error) {
    failed.push(`Claude Code: ${messageOf(error)}`)
  }
}

/** What Claude Code uses of its plugins stays, and is told. */
async function takePluginsOff({ done, failed, left }: Outcome): Promise<void> {
  try {
    const outcome = await leavePlugins(pluginContext().home)
    done.push(...outcome.done)
    left.push(...outcome.left)
  } catch (error) {
    failed.push(`plugins: ${messageOf(error)}`)
  }
}

async function takeProgramOff(program: ProgramName, { done, failed }: Outcome): Promise<void> {
  if (!isConnected(program)) return
  const outcome = await disconnectProgram(program)
  done.push(...outcome.done.map((line) => `${program}: ${line}`))
  failed.push(...outcome.failures.map((error) => `${program}: ${messageOf(error)}`))
}

async function handleData({ data, deleteData }: Options, { done, failed, left }: Outcome): Promise<void> {
  if (!isOurs(data)) {
    if (deleteData === true) failed.push(`${data} is not a data directory of Chorus, so it was not deleted`)
    return
  }
  if (deleteData !== true) return void left.push(`the data in ${data}; --delete-data deletes it`)
  const checkouts = teamWorktrees(data)
  const repositories = existsSync(checkouts) ? readdirSync(checkouts) : []
  if (repositories.some((repository) => readdirSync(join(checkouts, repository)).length > 0))
    return void failed.push(
      `the data was not deleted: members of teams have checkouts in ${checkouts}; shut them down first, or remove these with git worktree remove`,
    )
  // Worktrees lie in there. What they hold is kept in their repositories first, and one whose work cannot be stays.
  const directory = join(data, "runner")
  const runs = await cleanUp({ directory, policy: readPolicy(data), days: 0, keepFirst: true })
  const held = runs.filter(({ path }) => path.startsWith(directory) && existsSync(path))
  if (held.length > 0)
    return void failed.push(...held.map(({ path, stays }) => `the data was not deleted: ${path}: ${stays ?? ""}`))
  for (const { branch, goes, work } of runs)
    if (!goes.includes("branch"))
      left.push(`${workIn(work?.ref ?? branch)} in ${work?.repository ?? "its repository"}, whose work is not merged`)
  rmSync(data, { recursive: true, force: true })
  done.push(`deleted the data in ${data}`)
}

function workIn(ref: string): string {
  return ref.startsWith("refs/") ? ref : `the branch ${ref}`
}

function tell({ json }: Target, { done, failed, left }: Outcome): void {
  const next = "npm uninstall chorus (with --global if it was installed so)"
  if (json) return printJson({ done, failed, left, next })
  for (const line of done) process.stdout.write(`${paint("green", "✔")} ${line}\n`)
  for (const line of failed) process.stdout.write(`${paint("red", "✗")} ${line}\n`)
  for (const line of left) process.stdout.write(`${paint("yellow", "left:")} ${line}\n`)
  process.stdout.write(`next: ${next}\n`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
