import type { Preset } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { type ChorusServer, startServer } from "../src/index.ts"

export interface TestServer {
  readonly server: ChorusServer
  readonly url: string
  readonly key: string
  readonly directory: string
  /** Calls an operation over REST as the test's agent. */
  post(
    name: string,
    input?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  close(): Promise<void>
}

/** A server on a fresh data directory, with an admin agent and its key. */
export async function runningServer(options: { database?: string; preset?: Preset } = {}): Promise<TestServer> {
  const directory = temporaryDirectory()
  const server = await startServer({ dataDirectory: directory.path, port: 0, database: options.database })
  const key = await makeKey(server, options.preset ?? "admin")
  return {
    server,
    url: server.url,
    key,
    directory: directory.path,
    async post(name, input = {}, headers = {}) {
      const response = await fetch(`${server.url}/api/v1/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify(input),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    async close() {
      await server.close()
      await directory.remove()
    },
  }
}

/** Makes an agent with a key, as the workspace's owner would. */
export async function makeKey(
  server: ChorusServer,
  preset: Preset,
  projectUuids: string[] | null = null,
): Promise<string> {
  const wanted = { name: `${preset} agent`, presets: [preset], projectUuids }
  const agent = (await asOwner(server, "chorus_create_agent", wanted)) as { uuid: string }
  const key = (await asOwner(server, "chorus_create_key", { agentUuid: agent.uuid })) as { key: string }
  return key.key
}

/** What the workspace's owner does, signed in. */
export async function asOwner(server: ChorusServer, name: string, input: object): Promise<unknown> {
  const owner = await server.store.db
    .selectFrom("users")
    .selectAll()
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  return server.registry.execute(name, input, { actor, requestId: "test" })
}
