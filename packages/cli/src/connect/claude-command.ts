import { join, resolve } from "node:path"
import { ChorusError, type InstalledPlugin, type MarketplaceSource } from "@chorus/contracts"
import { readJson } from "@chorus/disk"
import { type ClaudePlugin, MARKETPLACE, pluginFor } from "@chorus/hooks"
import { claudeHome, readInstalled, readKnown } from "@chorus/plugins"
import { Command, Option } from "commander"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import {
  forgetIdentity,
  greet,
  type Identity,
  type PresetOption,
  type Wanted,
  presetOption,
  stayingKeys,
  withIdentity,
} from "./claude-identity.ts"
import { type ClaudeConnection, claudeConnection, connectingTo, isElsewhere } from "./claude-connection.ts"
import { type ClaudeProgram, findClaude, type OptionsWay, optionsWay, setOptions } from "./claude-program.ts"
import { claudeFolder, environmentIn, removeCopies, setEnvironment } from "./claude-settings.ts"
import { renewKeptKeys, type Unfinished, unfinishedProjects } from "./kept-folders.ts"
import { commandName } from "./lasting-copy.ts"
import { marketplaceFolder } from "./marketplace-folder.ts"

interface Options extends Target, PresetOption {
  readonly claude: string
  readonly agent?: string
  readonly marketplace?: string
  readonly answerSeconds?: string
}

const REVOKED = "revoked its key"
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
      refuseLeaving(options)
      const claude = await findClaude(options.claude)
      const way = await optionsWay(claude)
      const plugin = pluginFor(claude.version, way !== "none")
      const { done, todo } = await withIdentity(options, wantedBy(options), (identity, held) =>
        allOrNothing(async (undo) => {
          const { checked, todo } = await greeted(identity)
          const done = [
            ...(identity.made === undefined
              ? []
              : [identity.made, identity.isKept === true ? "kept its key" : "made it a key"]),
            await addMarketplace(claude, options.marketplace, undo),
            ...(await install(claude, way, plugin, { identity, answerSeconds: options.answerSeconds }, undo, held)),
            ...(await removeOther(claude, plugin)),
            ...checked,
            ...(identity.leaves === true ? ["left the earlier key to the sessions that are open"] : []),
          ]
          await renewKeptKeys(identity.url, identity.key)
          return { done, todo: identity.stays === undefined ? todo : [...todo, identity.stays] }
        }),
      )
      tell(options, { version: claude.version, plugin, done: [...done, ...keptAs(options.data)], todo })
    })
}

export function disconnectClaudeCommand(): Command {
  return withClaude(
    new Command("claude").description("Take Claude Code off the board: plugin, marketplace, address and key."),
  ).action(async (options: Options) => {
    const claude = await findClaude(options.claude)
    const connection = claudeConnection(claudeFolder())
    // A session that is still open runs from its copy, and has to be told that nobody hears it any more.
    const copies = unfinishedProjects().some(({ running }) => running) ? "stay" : "go"
    const done = await disconnectClaude(claude, options, copies)
    const named = await stayingKeys(options, connection)
    const isTold = named.length > 0 || done.includes(REVOKED)
    const stays = connection !== undefined && !isTold && !(await isRefused(connection))
    const todo = [
      ...named,
      ...(stays ? [`its key stays: revoke it at ${connection.url}, in Settings → Agents and keys`] : []),
      ...unfinishedProjects().map(leftOf),
    ]
    tell(options, { version: claude.version, done: done.length === 0 ? ["found nothing to take away"] : done, todo })
  })
}

/** Whoever works with a Chorus elsewhere and only wants a key would find an empty one here, and what waits would be told to it. */
function refuseLeaving(options: Options): void {
  const connection = options.url === undefined ? claudeConnection(claudeFolder()) : undefined
  if (connection === undefined || !isElsewhere(connection, options)) return
  throw new ChorusError(
    "connected_elsewhere",
    `Claude Code is connected to ${connection.url}, which is not this machine's own Chorus.`,
    {
      next: `${connectingTo(connection)}; to leave it for a Chorus on this machine, run \`chorus disconnect claude\` first.`,
      status: 409,
    },
  )
}

function wantedBy({ agent }: { readonly agent?: string }): Wanted {
  return { name: agent, had: claudeConnection(claudeFolder()) }
}

/** A key that the server no longer takes is nothing to revoke; where it does not answer, nobody knows. */
function isRefused(connection: ClaudeConnection): Promise<boolean> {
  return greet(connection).then(
    () => false,
    (error: unknown) => error instanceof ChorusError && error.code === "key_refused",
  )
}

function leftOf({ project, running }: Unfinished): string {
  return running
    ? `a session still runs in ${project}: what it says from now on waits there until somebody connects again; disconnect again once it has ended, to remove its copy of the plugin`
    : `what sessions said last waits in ${project} until somebody connects again`
}

/** Takes everything back that connecting brought, and says what that was. */
export async function disconnectClaude(
  claude: ClaudeProgram,
  options: Target & { readonly agent?: string },
  copies: "go" | "stay" = "go",
): Promise<string[]> {
  const wanted = wantedBy(options)
  const done: string[] = []
  const failed: unknown[] = []
  // What Claude Code does not do keeps nothing else from going, least of all the key.
  const run = (args: readonly string[], did: string) =>
    claude.run(args).then(
      () => done.push(did),
      (error: unknown) => failed.push(error),
    )
  for (const plugin of BOTH.filter(isInstalled)) await run(["plugin", "uninstall", id(plugin)], `uninstalled ${plugin}`)
  if (isKnown()) await run(["plugin", "marketplace", "remove", MARKETPLACE], `removed the marketplace ${MARKETPLACE}`)
  if (copies === "go" && removeCopies(claudeFolder(), MARKETPLACE, BOTH) && done.length === 0)
    done.push("removed what an open session had kept of the plugin")
  await setEnvironment(claudeFolder(), { ...NO_ENVIRONMENT, CHORUS_COMPANION_PROGRAM: undefined })
  if (await forgetIdentity(options, wanted)) done.push(REVOKED)
  if (failed.length > 0) throw failed[0]
  return done
}

function withClaude(command: Command): Command {
  return withTarget(command)
    .addOption(new Option("--claude <program>", "Claude Code, if it is not `claude` on the PATH").default("claude"))
    .option(
      "--agent <name>",
      "the agent it appears as, created if there is none; the one whose key it has if left out, else Claude Code",
    )
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

/** The one beside this program, unless another was named; what a person chose to follow elsewhere stays. */
async function addMarketplace(claude: ClaudeProgram, wanted: string | undefined, undo: Undo): Promise<string> {
  const source = wanted ?? marketplaceFolder()
  const add = () => claude.run(["plugin", "marketplace", "add", source])
  const remove = () => claude.run(["plugin", "marketplace", "remove", MARKETPLACE])
  const known = readKnown(claudeHome()).get(MARKETPLACE)?.source
  if (known === undefined) {
    undo.push(remove)
    await add()
    return `added the marketplace ${MARKETPLACE}`
  }
  const isChosen = wanted === undefined && known.source !== "directory"
  if (isChosen || Object.values(known).some((place) => place === source || place === resolve(source)))
    return `found the marketplace ${MARKETPLACE}`
  const before = placeOf(known)
  const had = BOTH.filter(isInstalled)
  const move = (to: string) => {
    const add = () => claude.run(["plugin", "marketplace", "add", to])
    // February's program takes no other source for a name that it knows, and forgets a plugin with the one it had.
    return add().catch(() => remove().then(add))
  }
  if (before !== undefined)
    undo.push(async () => {
      await move(before)
      for (const plugin of had.filter((one) => !isInstalled(one))) await claude.run(["plugin", "install", id(plugin)])
    })
  await move(source)
  return `moved the marketplace ${MARKETPLACE} to ${source}`
}

/** By what Claude Code finds it again; what was never added by hand has no such words. */
function placeOf(source: MarketplaceSource): string | undefined {
  if (source.source === "directory" || source.source === "file") return source.path
  if (source.source === "github") return source.repo
  return source.source === "git" || source.source === "url" ? source.url : undefined
}

/** Installs the plugin and sets its options, in one step where the program takes both at once. */
async function install(
  claude: ClaudeProgram,
  way: OptionsWay,
  plugin: ClaudePlugin,
  { identity: { url, key }, answerSeconds }: { identity: Identity; answerSeconds: string | undefined },
  undo: Undo,
  held: () => void,
): Promise<string[]> {
  const found = isInstalled(plugin)
  const environment = environmentIn(claudeFolder(), Object.keys(NO_ENVIRONMENT))
  if (!found) {
    if (plugin === "chorus-legacy") undo.push(() => setEnvironment(claudeFolder(), environment))
    undo.push(async () => {
      await claude.run(["plugin", "uninstall", id(plugin)])
      removeCopies(claudeFolder(), MARKETPLACE, BOTH)
    })
  }
  const isLegacy = plugin === "chorus-legacy" || way === "none"
  const before = versionOf(plugin)
  if (found) await claude.run(["plugin", "update", id(plugin)])
  const wasOff = found && isOff(plugin)
  if (wasOff) await claude.run(["plugin", "enable", id(plugin)])
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
  // What was there before stays there with this key, whatever fails from here on; what is new goes again.
  if (found) held()
  const now = versionOf(plugin)
  const came = found && now !== before ? `updated the plugin ${plugin} to ${now}` : `found the plugin ${plugin}`
  return [
    found ? came : `installed the plugin ${plugin}`,
    ...(wasOff ? [`switched on the plugin ${plugin}, which was off`] : []),
    `set the address ${url} and the key`,
    ...answeredHow(answerSeconds, found),
  ]
}

/** Where it was installed before and nothing is said, that stays as it was. */
function answeredHow(seconds: string | undefined, found: boolean): string[] {
  if (seconds === undefined && found) return []
  if (seconds === "0") return ["what it asks is only shown on the page, and answered in its terminal"]
  const time = seconds === undefined ? "an hour (--answer-seconds 0: not at all)" : `${seconds} seconds`
  return [`what it asks can also be answered on the page, for ${time}`]
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
async function greeted(identity: Identity): Promise<{ readonly checked: string[]; readonly todo: string[] }> {
  try {
    return { checked: [`checked the connection: the server knows it as ${await greet(identity)}`], todo: [] }
  } catch (error) {
    const startable = error instanceof ChorusError && error.code === "no_server" && identity.made !== undefined
    if (!startable) throw error
    const start = `no server runs yet: run \`chorus start\`; if it listens elsewhere than at ${identity.url}, connect again`
    return { checked: [], todo: [start] }
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
  return installed(plugin) !== undefined
}

/** Somebody has switched it off in Claude Code: whoever connects wants it on. */
function isOff(plugin: ClaudePlugin): boolean {
  const settings = readJson(join(claudeFolder(), "settings.json")) as
    | { enabledPlugins?: Record<string, unknown> }
    | undefined
  return settings?.enabledPlugins?.[id(plugin)] === false
}

function versionOf(plugin: ClaudePlugin): string | undefined {
  return installed(plugin)?.version
}

function installed(plugin: ClaudePlugin): InstalledPlugin | undefined {
  return readInstalled(claudeHome())
    .get(id(plugin))
    ?.find(({ scope }) => scope === "user")
}

function id(plugin: ClaudePlugin): string {
  return `${plugin}@${MARKETPLACE}`
}

interface Outcome {
  readonly version: string
  readonly plugin?: ClaudePlugin
  readonly done: readonly string[]
  /** What is left to the person. */
  readonly todo: readonly string[]
}

function tell(options: Options, outcome: Outcome): void {
  if (options.json) return printJson(outcome)
  const lines = [
    ...outcome.done.map((line) => `${paint("green", "✓")} ${line}\n`),
    ...outcome.todo.map((line) => `${paint("yellow", "!")} ${line}\n`),
  ]
  process.stdout.write(`Claude Code ${outcome.version}\n${lines.join("")}`)
}
