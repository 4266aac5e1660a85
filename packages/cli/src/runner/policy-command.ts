import { ChorusError, RunnerPolicy, runs } from "@chorus/contracts"
import { changePolicy, policyFile, readPolicy, withFolder, withoutCommands, withoutFolder } from "@chorus/runs"
import { runningServer } from "@chorus/server/data-directory"
import { Command, Option } from "commander"
import { refuseAgent } from "../team/person.ts"
import { paint, printJson, type Target, withData, withTarget } from "../output.ts"
import { everyPage } from "../pages.ts"
import { typedOptions } from "../typed-options.ts"
import { wholeNumber } from "../whole-number.ts"

const ITS_OWNERS = "what a machine allows is for the person whose machine it is."
const PROGRAMS = runs.RunProgram.exclude(["command"])

interface Allowed extends Target {
  readonly project?: string
  readonly program?: RunnerPolicy["programs"]
  readonly command?: string[]
  readonly mode?: runs.RunMode
  readonly slots?: number
  readonly minutes?: number
  readonly megabytes?: number
  readonly env?: string[]
  readonly network?: boolean
  readonly inPlace?: boolean
  readonly checks?: boolean
  readonly setUp?: string
  readonly tearDown?: string
  readonly enclosure?: RunnerPolicy["enclosure"]
  readonly image?: string
  readonly keepDays?: number
  readonly land?: boolean
  readonly push?: boolean
}

export function allowCommand(): Command {
  return withTarget(
    new Command("allow").description("Let agents that Chorus starts work on a repository of this machine."),
  )
    .argument("<dir>", "a folder of the repository")
    .option("--project <name>", "only for this project")
    .addOption(new Option("--program <name...>", "only these programs").choices(PROGRAMS.options))
    .option("--command <text...>", "also this program that speaks ACP, as it is started")
    .addOption(new Option("--mode <mode>", "the most an agent may do without asking").choices(runs.RunMode.options))
    .option("--slots <number>", "how many at a time", wholeNumber("Give a number from 1 to 64.", 1, 64))
    .option("--minutes <number>", "how long a run may take", wholeNumber("Give a number of minutes.", 1))
    .option("--megabytes <number>", "how much memory a run may take", wholeNumber("Give a number of megabytes.", 100))
    .option("--env <name...>", "further variables that agents get")
    .option("--network", "begin at the remote's default branch, fetched first")
    .option("--in-place", "let a run work in the checkout itself")
    .option(
      "--checks",
      "in every allowed folder, from now on: run the commands that people approved on what agents hand in; both are code",
    )
    .option("--no-checks", "run none of them any more")
    .option("--set-up <words>", "run this in every new worktree of it, as words without a shell; it is code")
    .option("--tear-down <words>", "run this before a worktree of it is taken away")
    .addOption(
      new Option("--enclosure <kind>", "what agents are shut into").choices(
        RunnerPolicy.shape.enclosure.unwrap().options,
      ),
    )
    .option("--image <name>", "the image of such a container; it brings the programs")
    .option("--land", "in every allowed folder, from now on: let people bring verified work into branches")
    .option("--no-land", "let them no longer")
    .option(
      "--push",
      "in every allowed folder, from now on: push a branch when work has landed in it, and open pull requests people ask for",
    )
    .option("--no-push", "push nothing any more")
    .option("--keep-days <number>", "when worktrees of ended runs go", wholeNumber("Give a number of days.", 0))
    .action(async (dir: string, _options: object, command: Command) => {
      const options = typedOptions<Allowed>(command)
      refuseAgent(ITS_OWNERS)
      if (options.project !== undefined) await assertProject(options, options.project)
      const policy = await changePolicy(options.data, async (before) =>
        withFolder(widened(before, options), options.data, dir, folderOf(options)),
      )
      tell(policy, options, "allowed:")
    })
}

export function disallowCommand(): Command {
  return withData(
    new Command("disallow").description("Let no further run begin on a repository; those at work there go on."),
  )
    .argument("<dir>", "the folder, as `chorus runner policy` shows it")
    .option("--project <name>", "only for this project")
    .option("--command <text...>", "instead of the folder take back these programs, word for word")
    .action(async (dir: string, _options: object, command: Command) => {
      const options = typedOptions<Target & { project?: string; command?: string[] }>(command)
      const { project, command: commands } = options
      refuseAgent(ITS_OWNERS)
      const policy = await changePolicy(options.data, (before) =>
        commands === undefined ? withoutFolder(before, dir, project) : withoutCommands(before, commands),
      )
      tell(policy, options, "still allowed:")
    })
}

export function policyCommand(): Command {
  return withData(new Command("policy").description("Show what this machine allows.")).action(
    (_options: object, command: Command) => {
      const { data, json } = typedOptions<Target>(command)
      const policy = readPolicy(data)
      if (json) return printJson(policy ?? null)
      process.stdout.write(
        policy === undefined
          ? "nothing is allowed\n"
          : `${policyFile(data)}\n${JSON.stringify(policy, undefined, 2)}\n`,
      )
    },
  )
}

/**
 * A folder that waits for a project of another name would wait for ever. Where no server can be asked, that is said.
 */
async function assertProject(target: Allowed, name: string): Promise<void> {
  if (target.url === undefined && runningServer(target.data) === undefined)
    return void process.stderr.write(
      `No server runs on this data, so nobody knows yet whether "${name}" is a project.\n`,
    )
  // With it comes the whole server, which a runner at work need not hold in memory.
  const { inWorkplace } = await import("../workplace.ts")
  const names = await inWorkplace(target, ({ call }) =>
    everyPage(async (page) => {
      const answer = await call("chorus_list_projects", page)
      return { rows: answer.projects.map((project) => project.name), total: answer.total }
    }),
  )
  if (names.includes(name)) return
  throw new ChorusError("project_unknown", `There is no project "${name}".`, {
    status: 404,
    next: names.length === 0 ? `Make it: \`chorus project add "${name}"\`.` : `Name one of these: ${names.join(", ")}.`,
  })
}

function tell({ folders, ...policy }: RunnerPolicy, { json }: Target, done: string): void {
  if (json) return printJson({ folders, ...policy })
  const shown = folders.map(({ path, project }) => `${path}${project === undefined ? "" : ` (${project})`}`)
  process.stdout.write(`${paint("green", done)} ${shown.join(", ") || "no folder"}\n`)
  const { commands } = policy
  if (commands.length > 0) process.stdout.write(`${paint("dim", `agents by command: ${commands.join(" · ")}`)}\n`)
  const also = (["checks", "land", "push", "network", "inPlace"] as const).filter((each) => policy[each] === true)
  if (also.length > 0) process.stdout.write(`${paint("dim", `in every folder: ${also.join(", ")}`)}\n`)
}

function widened(policy: RunnerPolicy, options: Allowed): RunnerPolicy {
  const { program: programs, command = [], mode, slots, minutes, megabytes, env = [], network, inPlace } = options
  const { enclosure, image, keepDays, checks, land, push } = options
  if ((enclosure === "podman" || enclosure === "docker") && (image ?? policy.image) === null)
    throw new ChorusError("image_missing", `Agents in ${enclosure} need an image that brings their programs.`, {
      next: "Name one: `--image NAME`.",
    })
  return {
    ...policy,
    ...given({
      programs,
      mode,
      slots,
      minutes,
      megabytes,
      network,
      inPlace,
      enclosure,
      image,
      keepDays,
      checks,
      land,
      push,
    }),
    commands: [...new Set([...policy.commands, ...command])],
    environment: [...new Set([...policy.environment, ...env])],
  }
}

function folderOf({ project, setUp, tearDown }: Allowed) {
  return given({ project, setUp, tearDown })
}

/** Only what was said. */
function given<T extends object>(options: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
