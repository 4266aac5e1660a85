import {
  type Configuration,
  configure,
  installedOptions,
  optionValue,
  readConfiguration,
  secretStore,
  type PluginOption,
} from "@chorus/plugins"
import { ChorusError } from "@chorus/contracts"
import { Command } from "commander"
import { paint, printJson } from "../output.ts"
import { parsePairs } from "./pairs.ts"
import { askLine, askSecret, isInteractive, readAll } from "./prompt.ts"
import { commandContext, say } from "./context.ts"

interface ConfigureOptions {
  json?: boolean
  valuesStdin?: boolean
  config?: string[]
}

export function configureCommand(): Command {
  return new Command("configure")
    .description("Show or set the options of a plugin.")
    .argument("<plugin>")
    .option("--config <key=value...>", "set an option")
    .option("--values-stdin", "read a JSON object of values from standard input")
    .option("--json", "print JSON")
    .action(configurePlugin)
}

/** Shows the options of a plugin; a person is asked for each first. */
export async function configurePlugin(typed: string, options: ConfigureOptions = {}): Promise<void> {
  const context = commandContext(options)
  const { id, options: known } = installedOptions(context, typed)
  const secrets = secretStore(context.home, context.env)
  const given =
    options.valuesStdin === true
      ? parseValues(await readAll())
      : options.config !== undefined
        ? parsePairs(options.config)
        : undefined
  const asked = given === undefined && options.json !== true && isInteractive() ? await askOptions(known) : undefined
  const values = given ?? asked
  const saved = values === undefined ? undefined : await configure(context.home, secrets, id, known, values)
  const after = readConfiguration(context.home, secrets, id, known)
  if (options.json === true)
    return printJson({
      pluginId: id,
      ...(saved === undefined ? shown(after) : { saved }),
      unconfigured: after.unset.map((option) => option.key),
    })
  if (known.length === 0) return say(`${id} has no options.`)
  if (saved !== undefined) say(`${paint("green", "✔")} saved ${saved.join(", ") || "nothing"}`)
  for (const option of after.options)
    say(`  ${option.key.padEnd(20)} ${stateOf(option, after.values.get(option.key))}  ${paint("dim", option.title)}`)
}

/** The options as Claude Code tells them, and ours beside it. */
function shown({ options, values }: Configuration): Record<string, unknown> {
  const plain = options.filter(({ sensitive }) => !sensitive)
  return {
    schema: Object.fromEntries(options.map(({ key, field: _field, ...told }) => [key, told])),
    inputs: Object.fromEntries(plain.map(({ key }) => [key, values.get(key) ?? ""])),
    choices: Object.fromEntries(options.flatMap(({ key, choices }) => (choices === undefined ? [] : [[key, choices]]))),
    options,
    configured: [...values.keys()],
  }
}

/** Asks for each option in turn until the answer fits; an empty answer leaves it as it is. */
export async function askOptions(options: readonly PluginOption[]): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const option of options) {
    const hints = [
      option.type,
      option.required ? "required" : "optional",
      option.choices === undefined ? "" : `one of ${option.choices.join(", ")}`,
      option.multiple ? "several, separated by commas" : "",
      option.min === undefined && option.max === undefined ? "" : `${option.min ?? "…"} to ${option.max ?? "…"}`,
      option.default === undefined ? "" : `default ${String(option.default)}`,
    ]
    const question = `${paint("bold", option.title)} ${paint("dim", `(${hints.filter(Boolean).join("; ")})`)}`
    const answer = await askUntilRight(
      option,
      option.description === "" ? question : `${question}\n${option.description}`,
    )
    if (answer !== undefined) values[option.key] = answer
  }
  return values
}

async function askUntilRight(option: PluginOption, question: string): Promise<string | undefined> {
  for (;;) {
    const answer = option.sensitive ? await askSecret(question) : await askLine(question)
    if (answer === "") return undefined
    try {
      optionValue(option, answer)
      return answer
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      say(`  ${paint("yellow", error.message)}`)
    }
  }
}

function stateOf(option: PluginOption, value: unknown): string {
  if (value === undefined) return option.required ? paint("yellow", "not set, required") : paint("dim", "not set")
  return option.sensitive ? "••••••" : JSON.stringify(value)
}

function parseValues(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw new ChorusError(
      "config_invalid",
      `Standard input is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      { next: 'Give one object: {"key": "value"}.' },
    )
  }
  throw new ChorusError("config_invalid", "Standard input is not a JSON object.", {
    next: 'Give one object: {"key": "value"}.',
  })
}
