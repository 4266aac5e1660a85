import { ChorusError } from "@chorus/contracts"
import { type ClaudePlugin, MARKETPLACE, pluginFor } from "@chorus/hooks"
import { claudeHome, readInstalled, readKnown } from "@chorus/plugins"
import { Command, Option } from "commander"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import {
  forgetIdentity,
  greet,
  type Identity,
  type PresetOption,
  presetOption,
  withIdentity,
} from "./claude-identity.ts"
import { type ClaudeProgram, findClaude, type OptionsWay, optionsWay, setOptions } from "./claude-program.ts"
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
const NO_ENVIRONMENT = { CHORUS_URL: undefined, CHORUS_API_KEY: undefined, CHORUS_ANSWER_SECONDS: undefined }
const BOTH: readonly ClaudePlugin[] = ["chorus", "chorus-legacy"]

export function connectClaudeCommand(): Command {
  return withClaude(
    new Command("claude").description(
      "Put Claude Code on this machine onto the board: marketplace, plugin, address and key.",
    ),
  )
    .addOption(presetOption())
    .option("--marketplace <source>", "where the plugin comes from, if not from beside this program")
    .option(
      "--answer-seconds <seconds>",
      "how long questions and permission prompts can be answered on the page too; 0 is not at all (an hour)",
    )
    .action(async (options: Options) => {
      const claude = await findClaude(options.claude)
      const way = await optionsWay(claude)
      const plugin = pluginFor(claude.version, way !== "none")
      const done = await withIdentity(options, options.agent, (identity) =>
        allOrNothing(async (undo) => {
          const greeting = await greeted(identity)
          return [
            ...(identity.made === undefined ? [] : [identity.made, "made it a key"]),
            await addMarketplace(claude, options.marketplace ?? marketplaceFolder(), undo),
            ...(await install(claude, way, plugin, { identity, answerSeconds: options.answerSeconds }, undo)),
            ...(await removeOther(claude, plugin)),
            greeting,
          ]
        }),
      )
      tell(options, { version: claude.version, plugin, done: [...done, ...keptAs(options.data)] })
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
  for (const plugin of BOTH.filter(isInstalled)) {
    await claude.run(["plugin", "uninstall", id(plugin)])
    done.push(`uninstalled ${plugin}`)
  }
  if (isKnown()) {
    await claude.run(["plugin", "marketplace", "remove", MARKETPLACE])
    done.push(`removed the marketplace ${MARKETPLACE}`)
  }
  removeCopies(claudeFolder(), MARKETPLACE)
  await setEnvironment(claudeFolder(), { ...NO_ENVIRONMENT, CHORUS_COMPANION_PROGRAM: undefined })
  if (await forgetIdentity(options, options.agent ?? AGENT)) done.push("revoked its key")
  return done
}

function withClaude(command: Command): Command {
  return withTarget(command)
    .addOption(new Option("--claude <program>", "Claude Code, if it is not `claude` on the PATH").default("claude"))
    .addOption(new Option("--agent <name>", "the agent it appears as; made when there is none").default(AGENT))
}

/** What takes the steps back, latest first, should a later one fail. */
type Undo = (() => Promise<unknown>)[]

/** Does all of it, or takes back what it had done: a plugin without its key would only complain in every session. */
async function allOrNothing<T>(work: (undo: Undo) => Promise<T>): Promise<T> {
  const undo: Undo = []
  try {
    return await work(undo)
  } catch (error) {
    // What cannot be taken back either is less to know than why the connection failed.
    for (const takeBack of undo.toReversed()) await takeBack().catch(() => undefined)
    throw error
  }
}

async function addMarketplace(claude: ClaudeProgram, source: string, undo: Undo): Promise<string> {
  if (isKnown()) return `found the marketplace ${MARKETPLACE}`
  undo.push(() => claude.run(["plugin", "marketplace", "remove", MARKETPLACE]))
  await claude.run(["plugin", "marketplace", "add", source])
  return `added the marketplace ${MARKETPLACE}`
}

/** Installs the plugin and sets its options, in one step where the program takes both at once. */
async function install(
  claude: ClaudeProgram,
  way: OptionsWay,
  plugin: ClaudePlugin,
  { identity: { url, key }, answerSeconds }: { identity: Identity; answerSeconds: string | undefined },
  undo: Undo,
): Promise<string[]> {
  const found = isInstalled(plugin)
  if (!found)
    undo.push(async () => {
      await claude.run(["plugin", "uninstall", id(plugin)])
      removeCopies(claudeFolder(), MARKETPLACE)
      if (plugin === "chorus-legacy") await setEnvironment(claudeFolder(), NO_ENVIRONMENT)
    })
  const isLegacy = plugin === "chorus-legacy" || way === "none"
  if (!found && (isLegacy || way === "input")) await claude.run(["plugin", "install", id(plugin)])
  if (isLegacy)
    await setEnvironment(claudeFolder(), {
      CHORUS_URL: url,
      CHORUS_API_KEY: key,
      ...(answerSeconds === undefined ? {} : { CHORUS_ANSWER_SECONDS: answerSeconds }),
    })
  else
    await setOptions(claude, way, id(plugin), {
      chorus_url: url,
      chorus_api_key: key,
      ...(answerSeconds === undefined ? {} : { answer_seconds: answerSeconds }),
    })
  return [`${found ? "found" : "installed"} the plugin ${plugin}`, `set the address ${url} and the key`]
}

/** After an update of Claude Code the other plugin is the right one. */
async function removeOther(claude: ClaudeProgram, plugin: ClaudePlugin): Promise<string[]> {
  const other = plugin === "chorus" ? "chorus-legacy" : "chorus"
  if (!isInstalled(other)) return []
  await claude.run(["plugin", "uninstall", id(other)])
  if (other === "chorus-legacy") await setEnvironment(claudeFolder(), NO_ENVIRONMENT)
  return [`uninstalled ${other}`]
}

/** Nothing is set up for an address that nobody answers at, unless it is this machine's own Chorus that was not started yet. */
async function greeted(identity: Identity): Promise<string> {
  try {
    return `checked the connection: the server knows it as ${await greet(identity)}`
  } catch (error) {
    const startable = error instanceof ChorusError && error.code === "no_server" && identity.made !== undefined
    if (!startable) throw error
    return `found no server at ${identity.url}: run \`chorus start\`, everything else is in place`
  }
}

/** Who came by npx has no `chorus` to call; this is where it was kept. */
function keptAs(data: string): string[] {
  const name = commandName(data)
  return name === "chorus" ? [] : [`kept this command as ${name}`]
}

/** Read from its own records: every version keeps the same, and old ones take seconds to be asked. */
function isKnown(): boolean {
  return readKnown(claudeHome()).has(MARKETPLACE)
}

function isInstalled(plugin: ClaudePlugin): boolean {
  return (
    readInstalled(claudeHome())
      .get(id(plugin))
      ?.some(({ scope }) => scope === "user") === true
  )
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
