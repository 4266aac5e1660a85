import { type Inventory, type JsonObject, own } from "../read/index.ts"
import type { LoadedPlugin } from "./loaded.ts"

/** What one plugin brings and what it costs. */
export interface Contribution {
  readonly id: string
  readonly skills: readonly string[]
  readonly commands: readonly string[]
  readonly agents: readonly string[]
  readonly outputStyles: readonly string[]
  readonly hooks: readonly string[]
  readonly mcpServers: readonly string[]
  readonly lspServers: readonly string[]
  readonly monitors: readonly string[]
  readonly workflows: readonly string[]
  readonly themes: readonly string[]
  readonly channels: readonly string[]
  readonly binaries: readonly string[]
  readonly modules: readonly string[]
  readonly tokens: TokenCost
}

export interface TokenCost {
  /** In every session: names and descriptions the model is shown. Tools of MCP servers come on top. */
  readonly always: number
  readonly parts: readonly { name: string; always: number; whenUsed: number }[]
}

export function contributionOf(plugin: LoadedPlugin): Contribution {
  const inventory = plugin.inventory
  const names = (parts: readonly { name: string }[] | undefined) => (parts ?? []).map((part) => part.name)
  const name = plugin.plugin?.name ?? plugin.id
  return {
    id: plugin.id,
    skills: names(inventory?.skills),
    commands: names(inventory?.commands),
    agents: names(inventory?.agents),
    outputStyles: names(inventory?.outputStyles),
    hooks: (inventory?.hooks ?? []).map(
      (hook) => `${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`}: ${hook.type}`,
    ),
    mcpServers: [
      ...names(inventory?.mcpServers),
      ...(inventory?.bundles ?? []).map(({ server, path }) => server?.name ?? path),
    ].map((server) => `plugin:${name}:${server}`),
    lspServers: names(inventory?.lspServers),
    monitors: names(inventory?.monitors),
    workflows: inventory?.workflows ?? [],
    themes: inventory?.themes ?? [],
    channels: inventory?.channels ?? [],
    binaries: inventory?.binaries ?? [],
    modules: inventory?.modules ?? [],
    tokens: tokenCost(inventory),
  }
}

function tokenCost(inventory: Inventory | undefined): TokenCost {
  if (inventory === undefined) return { always: 0, parts: [] }
  const parts = [...inventory.skills, ...inventory.commands, ...inventory.agents].map((part) => {
    const listed = [part.name, textOf(part.fields, "description"), textOf(part.fields, "when_to_use")]
      .join(" ")
      .slice(0, 1536)
    const hidden = own(part.fields, "disable-model-invocation") === true
    return { name: part.name, always: hidden ? 0 : estimateTokens(listed), whenUsed: estimateTokens(part.body) }
  })
  return { always: parts.reduce((sum, part) => sum + part.always, 0), parts }
}

/** About four characters of prose to a token; good to a fifth, which is enough to compare plugins. */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\u0300-\uFFFF]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / 4 + wide)
}

function textOf(fields: JsonObject, key: string): string {
  const value = own(fields, key)
  return typeof value === "string" ? value : ""
}
