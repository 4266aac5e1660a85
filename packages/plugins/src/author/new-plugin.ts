import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { makeStage, recoverSwap, swapIn, sweepStages } from "../fetch/index.ts"
import { Report } from "../validate/report.ts"
import { checkPluginName, isIdPart } from "../validate/name-check.ts"

export const PARTS = ["skills", "agents", "hooks", "mcp", "lsp", "output-style", "channel"] as const
export type Part = (typeof PARTS)[number]

export interface NewPlugin {
  readonly name: string
  readonly description?: string | undefined
  readonly author?: string | undefined
  readonly authorEmail?: string | undefined
  readonly parts: readonly Part[]
  /** Replaces what is there. */
  readonly force?: boolean | undefined
}

/** Writes a plugin that validates and loads as it stands, among the user's skills where Claude Code finds it without a marketplace. */
export function initPlugin(context: PluginContext, wanted: NewPlugin): { folder: string; files: string[] } {
  expectGoodName(wanted.name)
  const parent = join(context.home.config, "skills")
  const folder = join(parent, wanted.name)
  sweepStages(parent)
  recoverSwap(folder)
  if (existsSync(folder) && wanted.force !== true)
    throw new ChorusError("already_there", `There is already something at ${folder}.`, {
      status: 409,
      next: "Choose another name, or give --force to replace it.",
    })
  const files = filesOf(wanted)
  const stage = makeStage(parent)
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(stage, name)), { recursive: true })
      writeFileSync(join(stage, name), content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 })
    }
    swapIn(stage, folder)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  return { folder, files: Object.keys(files).sort() }
}

function expectGoodName(name: string): void {
  const report = new Report()
  checkPluginName(report, { file: "" }, name, { official: false })
  const fault =
    report.messages.find(({ level }) => level === "error") ?? (isIdPart(name) ? undefined : report.messages[0])
  if (fault !== undefined)
    throw new ChorusError("name_refused", fault.message, { next: fault.fix ?? "Choose another name." })
}

function filesOf({ name, description, author, authorEmail, parts }: NewPlugin): Record<string, string> {
  const about = description ?? `What ${name} is for, in one sentence.`
  const manifest: Record<string, unknown> = {
    name,
    version: "0.1.0",
    description: about,
    author: { name: author ?? "You", ...(authorEmail === undefined ? {} : { email: authorEmail }) },
  }
  const files: Record<string, string> = { "README.md": `# ${name}\n\n${about}\n` }
  const has = (part: Part) => parts.includes(part)
  if (has("skills") || parts.length === 0)
    files[`skills/${name}/SKILL.md`] = markdown(
      { name, description: about },
      `# ${name}\n\nSay here, step by step, what to do.`,
    )
  if (has("agents"))
    files[`agents/${name}-helper.md`] = markdown(
      { name: `${name}-helper`, description: `Helps with ${name}. Use it when its subject comes up.` },
      "You are careful and brief.",
    )
  if (has("output-style"))
    files[`output-styles/${name}.md`] = markdown({ name, description: about }, "Answer in short sentences.")
  if (has("hooks")) {
    files["hooks/hooks.json"] = json({
      hooks: {
        PostToolUse: [
          {
            matcher: "Edit|Write",
            hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/hooks/after-edit.sh"' }],
          },
        ],
      },
    })
    files["hooks/after-edit.sh"] =
      "#!/bin/sh\n# The event comes on standard input as JSON; exit 0 lets everything go on.\nexit 0\n"
  }
  if (has("mcp") || has("channel")) {
    files[".mcp.json"] = json({
      mcpServers: { [name]: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs"] } },
    })
    files["server.mjs"] = SERVER
  }
  if (has("lsp"))
    files[".lsp.json"] = json({
      [name]: { command: `${name}-language-server`, args: ["--stdio"], extensionToLanguage: { [`.${name}`]: name } },
    })
  if (has("channel")) manifest["channels"] = [{ server: name, displayName: name }]
  files[".claude-plugin/plugin.json"] = json(manifest)
  return files
}

function markdown(fields: Readonly<Record<string, string>>, body: string): string {
  return `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join("\n")}\n---\n\n${body}\n`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The smallest MCP server: it greets, and has no tools yet. */
const SERVER = `import { createInterface } from "node:readline"

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "example", version: "0.1.0" } } : method === "tools/list" ? { tools: [] } : {}
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
}
`
