import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { type AgentId, ChorusError } from "@chorus/contracts"
import { changeFile, lockNotes, readText } from "@chorus/disk"
import { codexConnection, type ConnectionStep, openCodeConnection } from "@chorus/status"
import { Command } from "commander"
import { paint, printJson, type Target, withTarget } from "../output.ts"
import { agentFor, forgetIdentity, greet, type PresetOption, presetOption } from "./claude-identity.ts"
import { commandName } from "./lasting-copy.ts"
import { removeIfEmpty } from "../uninstall/empty-folder.ts"
import { mcpAddress } from "../server-address.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"

const KEY_NAME = "connect"
const PLANS = { codex: codexConnection, opencode: openCodeConnection }
/** Each program has an agent of its own, so each reads its key from a variable of its own. */
const KEY_VARIABLES = { codex: "CHORUS_CODEX_KEY", opencode: "CHORUS_OPENCODE_KEY" } as const

export type ProgramName = keyof typeof PLANS

/** `chorus connect codex|opencode`: the agent, its key, the MCP entry, the hooks and the instructions; the same again with --remove undone. */
export function connectProgramCommand(program: ProgramName): Command {
  return withTarget(new Command(program).description(`Put ${program} on the board: MCP, hooks, instructions, a key.`))
    .addOption(presetOption())
    .option("--remove", "undo it and leave no trace")
    .action(async (options: Target & PresetOption & { remove?: boolean }) => {
      if (options.remove === true) return await remove(program, options)
      // Before anything is made that would have to be taken back.
      assertInstalled(program)
      const server = await inWorkplace(options, async (workplace) => {
        const url = serverUrl(options, workplace)
        return { url, ...(await identityOf(program, url, workplace, options)) }
      })
      const steps: string[] = server.made === undefined ? [] : [server.made]
      for (const step of PLANS[program]({
        url: mcpAddress(server.url),
        keyVariable: KEY_VARIABLES[program],
      }))
        steps.push(await apply(step))
      tell(program, options, { steps, key: server.key })
    })
}

export function disconnectProgramCommand(program: ProgramName): Command {
  return withTarget(
    new Command(program).description(`Take ${program} off the board: MCP, hooks, instructions and key.`),
  ).action((options: Target) => remove(program, options))
}

export interface Disconnected {
  readonly done: readonly string[]
  readonly failures: readonly unknown[]
}

/** Takes back everything that connecting wrote; a step that fails does not keep the others from being taken. */
export async function disconnectProgram(program: ProgramName): Promise<Disconnected> {
  const done: string[] = []
  const failures: unknown[] = []
  for (const step of stepsOf(program)) {
    try {
      done.push(await undo(step))
    } catch (error) {
      failures.push(error)
    }
  }
  for (const folder of foldersOf(program)) removeIfEmpty(folder)
  return { done, failures }
}

/** Whether a file of the program's still has something of ours. */
export function isConnected(program: ProgramName): boolean {
  return stepsOf(program).some(
    (step) => step.kind === "file" && /chorus: begin|"chorus"/.test(readText(step.path) ?? ""),
  )
}

function stepsOf(program: ProgramName): readonly ConnectionStep[] {
  return PLANS[program]({ url: "", keyVariable: KEY_VARIABLES[program] })
}

/** The folders it writes into, inner ones first. */
function foldersOf(program: ProgramName): string[] {
  const folders = stepsOf(program).flatMap((step) => (step.kind === "file" ? [dirname(step.path)] : []))
  return [...new Set(folders)].toSorted((one, other) => other.length - one.length)
}

async function remove(program: ProgramName, options: Target): Promise<void> {
  const { done, failures } = await disconnectProgram(program)
  const revoked = await forgetIdentity(options, { name: agentName(program) }, KEY_NAME)
  if (failures.length > 0) throw failures[0]
  tell(program, options, { steps: revoked ? [...done, "revoked its key"] : done, key: undefined })
}

function tell(
  program: ProgramName,
  { json, data }: Target,
  { steps, key }: { steps: readonly string[]; key: string | undefined },
): void {
  if (json)
    return printJson({
      program,
      connected: key !== undefined,
      steps,
      keyVariable: KEY_VARIABLES[program],
      key: key ?? null,
    })
  for (const line of steps) process.stdout.write(`${paint("green", "✔")} ${line}\n`)
  if (key === undefined) return
  process.stdout.write(
    `\nPut the key where ${program} is started; it is shown only now:\n\n  export ${KEY_VARIABLES[program]}=${key}\n\nIts status on the board: start it with \`${commandName(data)} run ${program}\`.\n`,
  )
}

function serverUrl({ url }: Target, workplace: Workplace): string {
  const found = url ?? workplace.url
  if (found !== undefined) return found
  throw new ChorusError("server_not_running", "No server runs on this data.", {
    status: 409,
    next: "Start it with `npm start` or `chorus start`, then connect.",
  })
}

/** One agent per program and machine. A key that is in use already stays; otherwise connecting again makes a further one. */
async function identityOf(
  program: ProgramName,
  url: string,
  workplace: Workplace,
  { key: given, preset }: Target & PresetOption,
): Promise<{ readonly key: string; readonly made: string | undefined }> {
  // The page made an agent and shows its key: that one is to be connected, and it could not make another.
  if (given !== undefined && (await workplace.call("chorus_whoami", {})).type === "agent")
    return { key: given, made: undefined }
  const name = agentName(program)
  const { agent, made } = await agentFor(workplace, name, preset)
  const inUse = process.env[KEY_VARIABLES[program]]
  if (inUse !== undefined && (await greet({ url, key: inUse }).catch(() => undefined)) === name)
    return { key: inUse, made }
  const { key } = await workplace.call("chorus_create_key", { agentUuid: agent.uuid as AgentId, name: KEY_NAME })
  return { key, made }
}

function agentName(program: ProgramName): string {
  return `${program} on ${hostname()}`.slice(0, 80)
}

async function apply(step: ConnectionStep): Promise<string> {
  if (step.kind === "command") return runCommand(step.connect)
  await changeStep(step.path, (text) => step.connect(text))
  return `wrote ${step.path}`
}

async function undo(step: ConnectionStep): Promise<string> {
  if (step.kind === "command") {
    const [program = ""] = step.disconnect
    return isInstalled(program) ? runCommand(step.disconnect) : `${program} is no longer here to be told`
  }
  await changeStep(step.path, (text) => {
    const rest = step.disconnect(text)
    return rest?.trim() === "{}" ? undefined : rest
  })
  return `cleaned ${step.path}`
}

/** A file that only this made is readable as the others of the program are. */
function changeStep(path: string, change: (text: string | undefined) => string | undefined): Promise<void> {
  const mode = existsSync(path) ? undefined : 0o644
  return changeFile(path, change, { mode, notes: lockNotes(dirname(path)), noTrace: true })
}

/** Only what a plan runs has to be here; the files of a program can be written before it is. */
function assertInstalled(program: ProgramName): void {
  const missing = stepsOf(program).find((step) => step.kind === "command" && !isInstalled(step.connect[0] ?? ""))
  if (missing === undefined) return
  throw new ChorusError("connect_failed", `There is no ${program} on the PATH.`, {
    next: `Install ${program} and make sure that it is on PATH, then connect again. Nothing was changed.`,
  })
}

function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)))
}

function runCommand([program = "", ...args]: readonly string[]): string {
  try {
    execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" })
    return `${program} ${args.slice(0, 3).join(" ")}`
  } catch (error) {
    throw new ChorusError(
      "connect_failed",
      `${program} refused: ${error instanceof Error ? error.message : String(error)}`,
      {
        next: `Install ${program} and make sure that it is on PATH, then connect again.`,
        cause: error,
      },
    )
  }
}
