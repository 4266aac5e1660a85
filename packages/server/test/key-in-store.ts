import type { Store } from "@chorus/store"
import { ensureOwner, operations, Registry } from "../src/index.ts"

/** Makes the workspace, an admin agent and its key directly in a store that no server holds. */
export async function makeKeyInStore(store: Store): Promise<string> {
  const owner = await ensureOwner(store, new Date())
  const registry = new Registry(store, operations)
  const actor = {
    type: "user",
    uuid: owner.userUuid,
    name: "Owner",
    workspaceUuid: owner.workspaceUuid,
    role: "owner",
    permissions: new Set<never>(),
    projectUuids: null,
    ownerUuid: null,
  } as const
  const call = { actor, requestId: "test" }
  const agent = (await registry.execute("chorus_create_agent", { name: "admin", presets: ["admin"] }, call)) as {
    uuid: string
  }
  return ((await registry.execute("chorus_create_key", { agentUuid: agent.uuid }, call)) as { key: string }).key
}
