import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { temporaryDirectory, toolAnswer } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { type Actor, type ChorusServer, ownerActor, startServer } from "../src/index.ts"
import type { EngineName } from "./workspace-fixture.ts"

export type RoleName = "pm" | "developer" | "admin"

/** An agent of one preset. */
export interface Player {
  readonly uuid: string
  call(tool: string, input?: object): Promise<Outcome>
}

export interface Outcome {
  readonly isError: boolean
  readonly body: Record<string, unknown>
}

/** One with a real MCP client of its own. */
export interface Role extends Player {
  readonly name: RoleName
  readonly client: Client
  call(tool: string, input?: object): Promise<Answer>
}

export interface Answer extends Outcome {
  /** The text blocks as the client received them. */
  readonly texts: string[]
}

/** What it takes to bring things into the right state. */
export interface Scenery {
  readonly roles: Record<RoleName, Player>
  readonly project: string
  readonly otherProject: string
  /** Calls as the owner; throws when refused. */
  own(name: string, input?: object): Promise<Record<string, unknown>>
}

/** A running server with an agent of each preset. */
export interface Stage extends Scenery {
  readonly server: ChorusServer
  readonly owner: Actor
  readonly roles: Record<RoleName, Role>
  close(): Promise<void>
}

export async function openStage(engine: EngineName = "sqlite"): Promise<Stage> {
  const directory = temporaryDirectory("chorus-contract-")
  const database = engine === "postgres" ? await sharedDatabase() : undefined
  const server = await startServer({ dataDirectory: directory.path, port: 0, database })
  const owner = await ownerActor(server.store, new Date())
  const own = async (name: string, input: object = {}) =>
    (await server.registry.execute(name, input, { actor: owner, requestId: "stage" })) as Record<string, unknown>
  const role = async (name: RoleName): Promise<Role> => {
    const { uuid } = await own("chorus_create_agent", { name: `The ${name}`, presets: [name] })
    const { key } = await own("chorus_create_key", { agentUuid: uuid })
    const client = new Client({ name: "contract", version: "1" })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/api/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${String(key)}` } },
      }),
    )
    const call = async (tool: string, input: object = {}): Promise<Answer> => {
      const result = await client.callTool({ name: tool, arguments: input as Record<string, unknown> })
      const texts = (result.content as { type: string; text?: string }[]).flatMap(({ type, text }) =>
        type === "text" && text !== undefined ? [text] : [],
      )
      return { isError: result.isError === true, body: toolAnswer(result), texts }
    }
    return { name, uuid: String(uuid), client, call }
  }
  const roles = { pm: await role("pm"), developer: await role("developer"), admin: await role("admin") }
  const project = String((await own("chorus_admin_create_project", { name: "Stage" }))["uuid"])
  const otherProject = String((await own("chorus_admin_create_project", { name: "Other stage" }))["uuid"])
  return {
    server,
    owner,
    roles,
    project,
    otherProject,
    own,
    close: async () => {
      for (const { client } of Object.values(roles)) await client.close()
      await server.close()
      await directory.remove()
    },
  }
}
