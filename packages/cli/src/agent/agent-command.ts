import { type AgentId, type agents, Preset } from "@chorus/contracts"
import { Command, Option } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { DEFAULT_URL, mcpAddress } from "../server-address.ts"
import { wholeNumber } from "../whole-number.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { agentNamed, allAgents } from "./agent-name.ts"

/** Asked before anything is made: an agent whose key was refused would stay behind without one. */
const keyDays = wholeNumber("A key lasts from 1 to 3650 days.", 1, 3650)

type KeyAnswer = agents.KeyRow & { key: string }

export function agentCommand(): Command {
  return new Command("agent")
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(keyCommand())
    .addCommand(archiveCommand())
}

function addCommand(): Command {
  return withTarget(new Command("add").description("Add an agent and print its key, once."))
    .argument("<name>")
    .addOption(new Option("--preset <preset...>", "what it may do").choices(Preset.options).default(["developer"]))
    .option("--project <uuid...>", "the only projects it may reach")
    .option("--persona <text>", "how it is to behave")
    .option("--expires <days>", "after how many days the key expires", keyDays)
    .action(
      async (
        name: string,
        options: Target & { preset: Preset[]; project?: string[]; persona?: string; expires?: number },
      ) => {
        const { agent, key, mcp } = await inWorkplace(options, async (workplace) => {
          const created = await workplace.call("chorus_create_agent", {
            name,
            presets: options.preset,
            ...(options.project === undefined ? {} : { projectUuids: options.project }),
            ...(options.persona === undefined ? {} : { persona: options.persona }),
          })
          return {
            agent: created,
            key: await makeKey(workplace, created.uuid as AgentId, { expires: options.expires }),
            mcp: mcpAddress(workplace.url ?? DEFAULT_URL),
          }
        })
        if (options.json)
          return printJson({
            uuid: agent.uuid,
            name: agent.name,
            presets: agent.presets,
            permissions: agent.permissions,
            key: key.key,
            keyUuid: key.uuid,
            expiresAt: key.expiresAt,
            mcp,
          })
        process.stdout.write(`${paint("green", "added")} ${agent.name} ${paint("dim", agent.uuid)}\n`)
        printKey(key)
        process.stdout.write(`${paint("bold", "mcp")}   ${paint("cyan", mcp)}\n`)
      },
    )
}

function listCommand(): Command {
  return withTarget(new Command("list").description("List agents."))
    .option("--all", "also those that are archived")
    .action(async (options: Target & { all?: boolean }) => {
      const rows = await inWorkplace(options, (workplace) => allAgents(workplace, options.all ?? false))
      if (options.json) return printJson(rows)
      printTable(
        ["name", "presets", "last active", "uuid"],
        rows.map((row) => [row.name, row.presets.join(",") || "-", row.lastActiveAt ?? "never", row.uuid]),
      )
    })
}

function keyCommand(): Command {
  return withTarget(new Command("key").description("Make a further key for an agent and print it, once."))
    .argument("<agent>", "its name or uuid")
    .option("--name <name>", "what the key is for")
    .option("--expires <days>", "after how many days it expires", keyDays)
    .action(async (nameOrUuid: string, options: Target & { name?: string; expires?: number }) => {
      const key = await inWorkplace(options, async (workplace) =>
        makeKey(workplace, (await agentNamed(workplace, nameOrUuid)).uuid, options),
      )
      if (options.json) return printJson(key)
      printKey(key)
    })
}

function archiveCommand(): Command {
  return withTarget(new Command("archive").description("Archive an agent: its keys stop working, its work stays."))
    .argument("<agent>", "its name or uuid")
    .option("--undo", "bring it back")
    .action(async (nameOrUuid: string, options: Target & { undo?: boolean }) => {
      const agent = await inWorkplace(options, async (workplace) => {
        const { uuid } = await agentNamed(workplace, nameOrUuid)
        return workplace.call("chorus_update_agent", { agentUuid: uuid, archived: options.undo !== true })
      })
      if (options.json) return printJson(agent)
      process.stdout.write(
        `${paint("green", agent.archivedAt === null ? "brought back" : "archived")} ${agent.name} ${paint("dim", agent.uuid)}\n`,
      )
    })
}

/** Sent once and without a receipt: a receipt would keep the key itself. */
async function makeKey(
  { call }: Workplace,
  agentUuid: AgentId,
  options: { name?: string | undefined; expires?: number | undefined },
): Promise<KeyAnswer> {
  return call("chorus_create_key", { agentUuid, name: options.name, expiresInDays: options.expires }, { retry: false })
}

function printKey({ key, expiresAt }: KeyAnswer): void {
  const until = expiresAt === null ? "" : paint("dim", ` until ${expiresAt.slice(0, 10)}`)
  process.stdout.write(
    `${paint("bold", "key")}   ${key}${until}\n${paint("dim", "      Keep it now: it is not shown again.")}\n`,
  )
}
