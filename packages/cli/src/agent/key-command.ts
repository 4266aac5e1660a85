import { type agents, ChorusError, type KeyId } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson, printTable, type Target, withTarget } from "../output.ts"
import { everyPage } from "../pages.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { agentNamed, allAgents } from "./agent-name.ts"

export function keyCommand(): Command {
  return new Command("key").addCommand(listCommand()).addCommand(revokeCommand())
}

function listCommand(): Command {
  return withTarget(new Command("list").description("List keys, without the secrets."))
    .option("--agent <agent>", "only this agent's, by name or uuid")
    .action(async (options: Target & { agent?: string }) => {
      const { keys, names } = await inWorkplace(options, async (workplace) => {
        const agent = options.agent === undefined ? undefined : await agentNamed(workplace, options.agent)
        const known = await allAgents(workplace, true)
        return {
          keys: await allKeys(workplace, agent?.uuid),
          names: new Map(known.map(({ uuid, name }) => [uuid, name])),
        }
      })
      if (options.json) return printJson(keys)
      printTable(
        ["agent", "name", "key", "state", "last used", "uuid"],
        keys.map((row) => [
          names.get(row.agentUuid) ?? row.agentUuid,
          row.name,
          `${row.prefix}…`,
          stateOf(row),
          row.lastUsedAt ?? "never",
          row.uuid,
        ]),
      )
    })
}

function revokeCommand(): Command {
  return withTarget(new Command("revoke").description("Revoke a key; it stops working at once."))
    .argument("<key>", "its uuid, or the first characters of the key")
    .action(async (wanted: string, options: Target) => {
      const revoked = await inWorkplace(options, async (workplace) => {
        const key = await keyNamed(workplace, wanted)
        return workplace.call("chorus_revoke_key", { keyUuid: key.uuid as KeyId })
      })
      if (options.json) return printJson(revoked)
      process.stdout.write(`${paint("green", "revoked")} ${revoked.prefix}… ${paint("dim", revoked.uuid)}\n`)
    })
}

async function keyNamed(workplace: Workplace, wanted: string): Promise<agents.KeyRow> {
  const found = (await allKeys(workplace)).filter(
    ({ uuid, prefix }) => uuid === wanted || (wanted.length >= prefix.length && wanted.startsWith(prefix)),
  )
  const [key] = found
  if (key !== undefined && found.length === 1) return key
  if (found.length > 1)
    throw new ChorusError("ambiguous", `${found.length} keys begin like that.`, {
      next: `Name one by its uuid: ${found.map(({ uuid }) => uuid).join(", ")}.`,
    })
  throw new ChorusError("not_found", `There is no key ${wanted.slice(0, 10)}.`, {
    status: 404,
    next: "See `chorus key list`.",
  })
}

async function allKeys({ call }: Workplace, agentUuid?: agents.AgentRow["uuid"]): Promise<agents.KeyRow[]> {
  return everyPage(async (page) => {
    const answer = await call("chorus_list_keys", {
      ...page,
      ...(agentUuid === undefined ? {} : { agentUuid: agentUuid as never }),
    })
    return { rows: answer.keys, total: answer.total }
  })
}

function stateOf({ revokedAt, expiresAt }: agents.KeyRow): string {
  if (revokedAt !== null) return "revoked"
  if (expiresAt === null) return "active"
  return Date.parse(expiresAt) <= Date.now() ? "expired" : `until ${expiresAt.slice(0, 10)}`
}
