import { readFileSync } from "node:fs"
import { ENVIRONMENT, type EnvironmentVariable, projectSettings, work } from "@chorus/contracts"
import type { Command, Option } from "commander"
import { NOUNS } from "../../packages/cli/src/nouns.ts"
import { fieldsOf } from "./shapes.ts"
import { remarked } from "./remarks.ts"
import { GENERATED, table, words } from "./tables.ts"

interface PluginOption {
  readonly title: string
  readonly description: string
  readonly default?: unknown
}

const PARTS = [
  ["server", "The server"],
  ["sign-in", "Sign-in by OpenID Connect"],
  ["machine", "This machine"],
  ["plugins", "Plugins"],
  ["hooks", "Hooks and agents"],
] as const satisfies readonly (readonly [EnvironmentVariable["part"], string])[]

/** Everything that can be set, wherever it is set. */
export async function settingsPage(pluginManifest: string, remarks: ReadonlyMap<string, string>): Promise<string> {
  const { userConfig } = JSON.parse(readFileSync(pluginManifest, "utf8")) as {
    userConfig: Record<string, PluginOption>
  }
  const variables = Object.entries(ENVIRONMENT) as [string, EnvironmentVariable][]
  const parts = PARTS.map(
    ([part, title]) =>
      `## ${title}\n\n${table(
        ["variable", "", "otherwise"],
        variables
          .filter(([, variable]) => variable.part === part)
          .map(([name, { says, otherwise }]) => [`\`${name}\``, words(says), otherwise ?? ""]),
      )}`,
  )
  return `${GENERATED}# Settings

An option on the command line wins over its variable. Nothing needs to be set to begin.

## Options that have a variable

${table(["variable", "option", "", "of"], await optionRows())}

${parts.join("\n\n")}

## A project

Set on the page under the project's settings, or with \`chorus_update_project_settings\`; by people only. See [who decides](../planning.md#who-decides).

${settingTable(remarked("ProjectSettings", fieldsOf(projectSettings.ProjectSettings, "input"), remarks))}

## The workspace

Set on the page, or with \`chorus_update_work_settings\`.

${settingTable(remarked("WorkSettings", fieldsOf(work.updateWorkSettings.input, "input"), remarks))}

## The Claude Code plugin

Asked for when it is installed; \`/plugin\` in Claude Code changes them.

${table(
  ["option", "", "default"],
  Object.entries(userConfig).map(([name, option]) => [
    `\`${name}\``,
    words(`${option.title}. ${option.description}`),
    option.default === undefined ? "" : `\`${String(option.default)}\``,
  ]),
)}
`
}

function settingTable(fields: readonly { path: string; type: string; note: string }[]): string {
  return table(
    ["setting", "type", "notes"],
    fields.map(({ path, type, note }) => [`\`${path}\``, type, words(note)]),
  )
}

async function optionRows(): Promise<string[][]> {
  const found = new Map<string, { option: Option; of: string[] }>()
  for (const [name, noun] of Object.entries(NOUNS)) {
    for (const { path, option } of optionsBelow(`chorus ${name}`, await noun.load())) {
      if (option.envVar === undefined) continue
      const known = found.get(`${option.envVar} ${option.flags}`) ?? { option, of: [] }
      found.set(`${option.envVar} ${option.flags}`, { option, of: [...known.of, path] })
    }
  }
  return [...found.values()]
    .map(({ option, of }) => [
      `\`${option.envVar ?? ""}\``,
      `\`${option.flags}\``,
      words(option.description),
      whose(of),
    ])
    .sort()
}

/** The commands an option belongs to, by their nouns. */
function whose(paths: readonly string[]): string {
  const nouns = [...new Set(paths.map((path) => path.split(" ").slice(0, 2).join(" ")))]
  return nouns.length > 4 ? "most commands" : nouns.map((noun) => `\`${noun}\``).join(", ")
}

function optionsBelow(path: string, command: Command): { path: string; option: Option }[] {
  return [
    ...command.options.map((option) => ({ path, option })),
    ...command.commands.flatMap((child) => optionsBelow(`${path} ${child.name()}`, child)),
  ]
}
