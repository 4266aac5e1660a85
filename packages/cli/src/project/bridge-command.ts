import { ChorusError } from "@chorus/contracts"
import { forgeOf } from "@chorus/trackers"
import { Command } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { everyPage } from "../pages.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { projectNamed, TOKENS } from "./import-command.ts"

interface Options extends Target {
  into: string
  api?: string
  allowPrivate?: boolean
  remove?: boolean
}

/** What the tracker's form for a webhook asks for. */
const EVENTS = { github: "Issues, Issue comments", gitlab: "Issues events, Comments" } as const

export function bridgeCommand(): Command {
  const described = new Command("bridge").description(
    "Keep a project and the issues of a repository in step, both ways.",
  )
  return withTarget(described)
    .argument("<origin>", "github:OWNER/NAME or gitlab:GROUP/NAME")
    .requiredOption("--into <project>", "the project, by key, name or uuid")
    .option("--api <url>", "the API of a GitHub or GitLab server of your own")
    .option("--allow-private", "that server may be on this machine or a private network")
    .option("--remove", "take the bridge down; tasks and issues stay as they are")
    .action(async (origin: string, options: Options) => {
      if (options.remove === true) return remove(origin, options)
      const forge = forgeOf(origin)?.forge
      if (forge === undefined)
        throw new ChorusError("unknown_tracker", `${origin} is neither github:OWNER/NAME nor gitlab:GROUP/NAME.`, {
          next: "Name the repository so; other trackers can only be imported.",
        })
      const token = process.env[TOKENS[forge]]
      if (token === undefined || token === "")
        throw new ChorusError("token_missing", `A bridge needs a token of ${origin}.`, {
          next: `Make one that may read and write the issues of this repository, and give it in ${TOKENS[forge]}.`,
        })
      const { bridge, server } = await inWorkplace(options, async ({ call, url }) => ({
        server: url,
        bridge: await call("chorus_create_bridge", {
          projectUuid: await projectNamed({ call }, options.into),
          origin,
          token,
          api: options.api,
          allowPrivate: options.allowPrivate ?? false,
        }),
      }))
      const address = server === undefined ? bridge.path : new URL(bridge.path, server).href
      if (options.json) return printJson({ ...bridge, address })
      process.stdout.write(
        [
          `${paint("green", "bridged")} ${origin} and ${options.into}`,
          "",
          "Add a webhook in the settings of the repository:",
          `  address       ${address}`,
          `  secret        ${bridge.secret} ${paint("dim", "(shown once)")}`,
          `  content type  application/json`,
          `  events        ${EVENTS[forge]}`,
          "",
          `Then bring what is there: chorus project import ${origin} --into "${options.into}" --apply`,
          "",
        ].join("\n"),
      )
    })
}

export function bridgesCommand(): Command {
  return withTarget(
    new Command("bridges").description("List which projects are kept in step with which repositories."),
  ).action(async (options: Target) => {
    const rows = await inWorkplace(options, listed)
    if (options.json) return printJson(rows)
    printTable(
      ["repository", "project", "since"],
      rows.map((row) => [row.origin, row.projectUuid, row.createdAt.slice(0, 10)]),
    )
  })
}

async function remove(origin: string, options: Options): Promise<void> {
  const removed = await inWorkplace(options, async (workplace) => {
    const projectUuid = await projectNamed(workplace, options.into)
    const bridge = (await listed(workplace)).find((row) => row.origin === origin && row.projectUuid === projectUuid)
    if (bridge === undefined)
      throw new ChorusError("not_found", `${options.into} has no bridge to ${origin}.`, {
        status: 404,
        next: "`chorus project bridges` shows those there are.",
      })
    return workplace.call("chorus_delete_bridge", { bridgeUuid: bridge.uuid })
  })
  if (options.json) return printJson(removed)
  process.stdout.write(`${paint("green", "removed")} the bridge to ${origin}; delete its webhook there too\n`)
}

function listed({ call }: Pick<Workplace, "call">) {
  return everyPage(async (page) => {
    const { bridges, total } = await call("chorus_list_bridges", page)
    return { rows: bridges, total }
  })
}
