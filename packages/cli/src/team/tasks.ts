import { ChorusError, type TeamTask, TeamTaskStatus } from "@chorus/contracts"
import { assignTask, noteOwnSign, openBlockers, type Team } from "@chorus/teams"
import { type Command, Option } from "commander"
import { paint, printJson, printTable } from "../output.ts"
import { typedOptions } from "../typed-options.ts"
import { cut, paintName } from "./paint.ts"
import { agentAbove } from "./person.ts"
import { type InTeam, inTeam, teamAs, teamOf } from "./place.ts"

const SIGNS = { pending: "◻", in_progress: "◼", completed: "✔", deleted: "✗" } as const

export function tasksCommand(): Command {
  const tasks = inTeam("tasks", "The team's task list.").action(async (options: InTeam) => {
    const team = await teamOf(options)
    const list = (await team.tasks()).filter((task) => task.metadata?.["_internal"] !== true)
    if (options.json) return printJson(list)
    await printTasks(team, list)
  })
  return tasks.enablePositionalOptions().addCommand(addCommand()).addCommand(setCommand())
}

const ACTIVE_FORM = "what it is called while it is being done, such as 'Digging the bed'"
const METADATA = "what other programs are to find with it; a value is text or JSON, and `key=` takes it away"

interface Adding extends InTeam {
  readonly description: string
  readonly after?: string[]
  readonly link?: string
  readonly activeForm?: string
  readonly metadata?: string[]
}

function addCommand(): Command {
  return inTeam("add", "Add a task.")
    .argument("<subject>")
    .option("--description <text>", "what is to be done, and when it is done", "")
    .option("--after <id...>", "tasks that must be completed first")
    .option("--link <uuid>", "the platform task it belongs to")
    .option("--active-form <text>", ACTIVE_FORM)
    .option("--metadata <key=value...>", METADATA)
    .action(async (subject: string, _options: object, command: Command) => {
      const options = typedOptions<Adding>(command)
      const metadata = {
        ...metadataOf(options.metadata),
        ...(options.link === undefined ? {} : { chorus: `chorus:task:${options.link}` }),
      }
      const task = await (
        await teamOf(options)
      ).createTask({
        subject,
        description: options.description,
        activeForm: options.activeForm,
        blockedBy: options.after,
        metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      })
      if (options.json) return printJson(task)
      process.stdout.write(`${paint("green", "added")} #${task.id} ${task.subject}\n`)
    })
}

interface Setting extends InTeam {
  readonly subject?: string
  readonly description?: string
  readonly activeForm?: string
  readonly metadata?: string[]
  readonly status?: TeamTaskStatus
  readonly owner?: string
  readonly by: string
  readonly after?: string[]
  readonly notAfter?: string[]
}

function setCommand(): Command {
  return inTeam("set", "Change a task.")
    .argument("<id>")
    .addOption(new Option("--status <status>").choices(TeamTaskStatus.options).argParser(statusOf))
    .option("--subject <text>")
    .option("--description <text>", "what is to be done, and when it is done")
    .option("--active-form <text>", ACTIVE_FORM)
    .option("--metadata <key=value...>", METADATA)
    .option("--owner <name>", "give it to somebody, who is told")
    .option("--by <name>", "who gives it", "team-lead")
    .option("--after <id...>", "tasks that must be completed first")
    .option("--not-after <id...>", "tasks that it need not wait for any more")
    .action(async (id: string, _options: object, command: Command) => {
      const options = typedOptions<Setting>(command)
      const team = await (options.owner === undefined ? teamOf(options) : teamAs(options, options.by))
      if (options.owner !== undefined) await team.member(options.owner)
      const { status, subject, description, activeForm } = options
      let task = await team.updateTask(id, {
        status,
        subject,
        description,
        activeForm,
        metadata: metadataOf(options.metadata),
        addBlockedBy: options.after,
        removeBlockedBy: options.notAfter,
      })
      if (options.owner !== undefined) {
        await assignTask(team, options.by, id, options.owner)
        task = await team.task(id)
      }
      if (options.json) return printJson(task)
      process.stdout.write(`#${task.id} is ${task.status}${task.owner === undefined ? "" : `, ${task.owner}`}\n`)
    })
}

export function claimCommand(): Command {
  return inTeam("claim", "Take a task: the one named, or the next that is free.")
    .argument("[id]")
    .requiredOption("--as <name>", "who takes it")
    .option("--several", "also when that member still works on another")
    .action(async (id: string | undefined, options: InTeam & { as: string; several?: boolean }) => {
      const team = await teamAs(options, options.as)
      const task =
        id === undefined
          ? await team.claimNext(options.as, { several: options.several })
          : await team.claimTask(id, options.as, { several: options.several })
      if (task !== undefined) await noteOwnSign(team, options.as, { pid: agentAbove(), isActive: true })
      if (options.json) return printJson(task ?? null)
      process.stdout.write(
        task === undefined ? "Nothing is free.\n" : `${paint("green", "taken")} #${task.id} ${task.subject}\n`,
      )
    })
}

async function printTasks(team: Team, list: readonly TeamTask[]): Promise<void> {
  const { members } = await team.config()
  const byId = new Map(list.map((task) => [task.id, task]))
  const owner = (task: TeamTask) =>
    task.owner === undefined ? "" : paintName(task.owner, members.find((member) => member.name === task.owner)?.color)
  printTable(
    ["", "task", "owner", "waits for"],
    list.map((task) => [
      SIGNS[task.status],
      `#${task.id} ${cut(task.subject, 70)}`,
      owner(task),
      openBlockers(byId, task)
        .map((id) => `#${id}`)
        .join(" "),
    ]),
  )
}

function metadataOf(given: readonly string[] | undefined): Record<string, unknown> | undefined {
  if (given === undefined) return undefined
  return Object.fromEntries(
    given.map((pair) => {
      const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
      if (key !== undefined) return [key, value === "" ? null : jsonOrText(value)]
      throw new ChorusError("bad_metadata", `"${pair}" names no key and value.`, {
        next: "Write key=value, such as --metadata branch=roses.",
      })
    }),
  )
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function statusOf(given: string): TeamTaskStatus {
  const parsed = TeamTaskStatus.safeParse(given)
  if (parsed.success) return parsed.data
  throw new ChorusError("bad_status", `A task cannot be "${given}".`, {
    next: `Use one of ${TeamTaskStatus.options.join(", ")}.`,
  })
}
