import { Preset, type Signature, signatures } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import { ToolLists } from "../../packages/server/src/doors/tool-list.ts"
import { GENERATED, table, words } from "./tables.ts"

/** Which agent sees which tool, in the whole list and in the lean one. */
export function toolsPage(places: ReadonlyMap<string, string>): string {
  const all: readonly Signature[] = signatures
  const lists = new ToolLists({ signatures: () => all })
  const seen = Preset.options.map((preset) => {
    const permissions = agentPermissions([preset], [])
    const actor = {
      type: "agent",
      uuid: "",
      name: "",
      workspaceUuid: "",
      role: null,
      permissions,
    } as unknown as Parameters<ToolLists["for"]>[0]
    const names = (profile: "full" | "lean") => new Set(lists.for(actor, profile).map(({ name }) => name))
    return { preset, full: names("full"), lean: names("lean") }
  })
  const rows = all
    .filter(({ tool }) => tool === "listed")
    .map(({ name, does }) => [
      `[\`${name}\`](${places.get(name) ?? ""})`,
      ...seen.map(({ full, lean }) => (lean.has(name) ? "**lean**" : full.has(name) ? "yes" : "–")),
      words(does),
    ])
  const hidden = all
    .filter(({ tool }) => tool === "hidden")
    .map(({ name }) => `[\`${name}\`](${places.get(name) ?? ""})`)
  const counts = seen.map(({ preset, full, lean }) => [`\`${preset}\``, String(full.size), String(lean.size)])
  return `${GENERATED}# MCP tools

The MCP door is \`/api/mcp\` (Streamable HTTP, \`Authorization: Bearer <key>\`). A key sees the tools that its agent may use. With \`/api/mcp?tools=lean\` it
is shown only what its part needs (**lean** below), which costs a fraction of the tokens at every start; all others can still be called by name.

${table(["preset", "tools", "lean"], counts)}

Callable but in no list: ${hidden.join(", ") || "none"}.

${table(["tool", ...seen.map(({ preset }) => preset), "what it does"], rows)}
`
}
