import { type ClaudePlugin, MARKETPLACE, pluginFor } from "@chorus/hooks"
import { Command, Option } from "commander"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import { forgetIdentity, greet, identityFor, type PresetOption, presetOption } from "./claude-identity.ts"
import { type ClaudeProgram, findClaude } from "./claude-program.ts"
import { claudeFolder, removeCopies, setEnvironment } from "./claude-settings.ts"
import { commandName } from "./lasting-copy.ts"
import { marketplaceFolder } from "./marketplace-folder.ts"

interface Options extends Target, PresetOption {
  readonly claude: string
  readonly agent: string
  readonly marketplace?: string
  readonly answerSeconds?: string
}

const AGENT = "Claude Code"
const BOTH: readonly ClaudePlugin[] = ["chorus", "chorus-legacy"]

export function connectClaudeCommand(): Command {
  return withClaude(
    new Command("claude").description(
      "Put Claude Code on this machine onto the board: marketplace, plugin, address and key.",
    ),
  )
    .addOption(presetOption())
    .option("--marketplace <source>", "where the plugin comes from, if not from beside this program")
    .option("--answer-seconds <seconds>", "how long permission prompts can be answered on the page; 0 is not at all")
    .action(async (options: Options) => {
      const done: string[] = []
      const claude = await findClaude(options.claude)
      const plugin = pluginFor(claude.version)
      const identity = await identityFor(options, options.agent)
      if (identity.made !== undefined) done.push(identity.made, "made it a key")
      done.push(await addMarketplace(claude, options.marketplace ?? marketplaceFolder()))
      done.push(await install(claude, plugin))
      const values = {
        chorus_url: identity.url,
        chorus_api_key: identity.key,
        ...(options.answerSeconds === undefined ? {} : { answer_seconds: options.answerSeconds }),
      }
      if (plugin === "chorus")
        await claude.run(["plugin", "configure", id(plugin), "--values-stdin"], JSON.stringify(values))
      else await setEnvironment(claudeFolder(), { CHORUS_URL: identity.url, CHORUS_API_KEY: identity.key })
      done.push(`set the address ${identity.url} and the key`)
      const name = await greet(identity).catch((error: unknown) => {
        tell(options, { version: claude.version, plugin, done })
        throw error
      })
      tell(options, {
        version: claude.version,
        plugin,
        done: [...done, `checked the connection: the server knows it as ${name}`, ...keptAs(options.data)],
      })
    })
}

export function disconnectClaudeCommand(): Command {
  return withClaude(
    new Command("claude").description("Take Claude Code off the board: plugin, marketplace, address and key."),
  ).action(async (options: Options) => {
    const claude = await findClaude(options.claude)
    const done = await disconnectClaude(claude, options)
    tell(options, { version: claude.version, done: done.length === 0 ? ["found nothing to take away"] : done })
  })
}

/** Takes everything back that connecting brought, and says what that was. */
export async function disconnectClaude(
  claude: ClaudeProgram,
  options: Target & { readonly agent?: string },
): Promise<string[]> {
  const done: string[] = []
  const installed = await claude.run(["plugin", "list"])
  for (const plugin of BOTH.filter((name) => mentions(installed, id(name)))) {
    await claude.run(["plugin", "uninstall", id(plugin)])
    done.push(`uninstalled ${plugin}`)
  }
  if (await hasMarketplace(claude)) {
    await claude.run(["plugin", "marketplace", "remove", MARKETPLACE])
    done.push(`removed the marketplace ${MARKETPLACE}`)
  }
  removeCopies(claudeFolder(), MARKETPLACE)
  await setEnvironment(claudeFolder(), {
    CHORUS_URL: undefined,
    CHORUS_API_KEY: undefined,
    CHORUS_COMPANION_PROGRAM: undefined,
  })
  if (await forgetIdentity(options, options.agent ?? AGENT)) done.push("revoked its key")
  return done
}

function withClaude(command: Command): Command {
  return withTarget(command)
    .addOption(new Option("--claude <program>", "Claude Code, if it is not `claude` on the PATH").default("claude"))
    .addOption(new Option("--agent <name>", "the agent it appears as; made when there is none").default(AGENT))
}

async function addMarketplace(claude: ClaudeProgram, source: string): Promise<string> {
  if (await hasMarketplace(claude)) return `found the marketplace ${MARKETPLACE}`
  await claude.run(["plugin", "marketplace", "add", source])
  return `added the marketplace ${MARKETPLACE}`
}

async function hasMarketplace(claude: ClaudeProgram): Promise<boolean> {
  return mentions(await claude.run(["plugin", "marketplace", "list"]), MARKETPLACE)
}

async function install(claude: ClaudeProgram, plugin: ClaudePlugin): Promise<string> {
  const installed = await claude.run(["plugin", "list"])
  const other = BOTH.find((name) => name !== plugin)
  if (other !== undefined && mentions(installed, id(other))) await claude.run(["plugin", "uninstall", id(other)])
  if (mentions(installed, id(plugin))) return `found the plugin ${plugin}`
  await claude.run(["plugin", "install", id(plugin)])
  return `installed the plugin ${plugin}`
}

/** Who came by npx has no `chorus` to call; this is where it was kept. */
function keptAs(data: string): string[] {
  const name = commandName(data)
  return name === "chorus" ? [] : [`kept this command as ${name}`]
}

function mentions(list: string, name: string): boolean {
  return list.split(/[\s"',]+/).includes(name)
}

function id(plugin: ClaudePlugin): string {
  return `${plugin}@${MARKETPLACE}`
}

function tell(options: Options, outcome: { version: string; plugin?: ClaudePlugin; done: readonly string[] }): void {
  if (options.json) return printJson(outcome)
  process.stdout.write(
    `Claude Code ${outcome.version}\n${outcome.done.map((line) => `${paint("green", "✓")} ${line}\n`).join("")}`,
  )
}
