import { execFile } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { delimiter, dirname } from "node:path"
import { promisify } from "node:util"
import type { StatusAgent } from "@chorus/contracts"
import { codexArguments } from "../codex/hook-flags.ts"
import { claudeBoardChecks, claudeHookChecks, codexBoardChecks } from "./board-check.ts"
import { isExecutable, type StatusPrograms, statusPrograms } from "../launch/programs.ts"
import { findRealProgram } from "../launch/real-program.ts"
import { shimFolder } from "../launch/shims.ts"
import { placeOf } from "../launch/terminal-identity.ts"
import { isOlder } from "../launch/version.ts"
import { isAnswered, isShim, isTooLong } from "@chorus/disk"
import { ping, readRows } from "../listener/listener-client.ts"
import { PROTOCOL } from "../listener/listener.ts"
import { socketPath } from "../listener/socket-path.ts"
import { notifySettings } from "../notify/notify-settings.ts"
import { resumeStore, stateFolder } from "../resume/resume-store.ts"
import { agentsHere } from "../watch/agents-here.ts"
import { processTable } from "../watch/process-table.ts"
import { filesWithWrappers, sharedNameChecks, startUpChecks } from "./shell-check.ts"

export interface StatusCheck {
  name: string
  ok: boolean
  /** What was found. */
  found: string
  /** What to do when it is not as it should be. */
  fix?: string
}

const AGENTS: readonly StatusAgent[] = ["claude", "codex", "opencode"]
const START_LISTENER = "`chorus status` starts it; it asks the agents that run what they do."

/** The oldest versions whose signals were seen to work. */
const OLDEST: Record<StatusAgent, string> = { claude: "2.1.41", codex: "0.124.0", opencode: "1.18.0" }

/**
 * Why a status may be missing or false, in the order in which things go wrong: shell, version, trust, programs, memory,
 * socket, silence.
 */
export async function statusChecks(
  env: NodeJS.ProcessEnv = process.env,
  agents: readonly StatusAgent[] = AGENTS,
  programs = statusPrograms(),
): Promise<StatusCheck[]> {
  const perAgent = await Promise.all(agents.map((agent) => agentChecks(agent, env)))
  return [
    pathCheck(env),
    ...startUpChecks(env),
    ...(await sharedNameChecks(env)),
    ...perAgent.flat(),
    ...programChecks(programs),
    ...switchChecks(env),
    ...resumeChecks(env),
    ...(await socketChecks(env)),
  ]
}

function pathCheck(env: NodeJS.ProcessEnv): StatusCheck {
  const folder = shimFolder()
  const folders = (env["PATH"] ?? "").split(delimiter)
  const first = folders.findIndex((entry) => AGENTS.some((agent) => isExecutable(`${entry}/${agent}`)))
  if (first !== -1 && folders[first] === folder) {
    const lost = AGENTS.filter((agent) => !isExecutable(`${folder}/${agent}`))
    if (lost.length === 0) return { name: "wrappers", ok: true, found: `${folder} is first on PATH` }
    const again = "chorus shell-init bash --file (or zsh, fish) writes them anew"
    return { name: "wrappers", ok: false, found: `${lost.join(", ")} missing from ${folder}`, fix: again }
  }
  const fix = 'eval "$(chorus shell-init bash)" (or zsh, fish), or start one agent with `chorus run claude`'
  if (folders.includes(folder))
    return { name: "wrappers", ok: false, found: "the wrappers are on PATH, but not first", fix }
  const unused = "this shell does not use the wrappers"
  const [file] = filesWithWrappers(env)
  const otherwise =
    file === undefined
      ? "an agent started in it reports when started with `chorus run`"
      : `${file} puts them into every new one`
  return { name: "wrappers", ok: true, found: `${unused}; ${otherwise}` }
}

async function agentChecks(agent: StatusAgent, env: NodeJS.ProcessEnv): Promise<StatusCheck[]> {
  const program = programOf(agent, env)
  const board = agent === "claude" ? claudeBoardChecks(env) : []
  if (program === undefined) return [{ name: agent, ok: true, found: "not installed" }, ...board]
  const version = await versionOf(program, env)
  const known = version !== undefined && !isOlder(version, OLDEST[agent])
  const checks: StatusCheck[] = [
    known
      ? { name: agent, ok: true, found: `${version} at ${program}` }
      : {
          name: agent,
          ok: false,
          found: `${version ?? "no version"} at ${program}`,
          fix: `Update ${agent} to ${OLDEST[agent]} or newer.`,
        },
  ]
  if (!notifySettings(stateFolder(env)).isReported(agent))
    checks.push({
      name: `${agent} reports`,
      ok: true,
      found: `switched off; \`chorus status report on ${agent}\` switches it on`,
    })
  if (agent === "claude") checks.push(...claudeHookChecks(env))
  checks.push(...board)
  if (agent === "claude" && board.length === 0)
    checks.push({ name: "claude board", ok: true, found: "not connected", fix: "chorus connect claude" })
  if (agent === "codex") checks.push(await codexTrustCheck(program, env), ...codexBoardChecks(env))
  if (agent === "opencode" && env["OPENCODE_CONFIG_CONTENT"] !== undefined)
    checks.push(openCodeCheck(env["OPENCODE_CONFIG_CONTENT"]))
  return checks
}

/**
 * Codex skips hooks it does not trust without a word; it can be asked which features it has, and ours is given per
 * launch.
 */
async function codexTrustCheck(program: string, env: NodeJS.ProcessEnv): Promise<StatusCheck> {
  const flags = codexArguments([], statusPrograms().emitter) ?? []
  try {
    const stdout = await said(program, ["features", "list", ...flags], env)
    if (/^hooks\s+.*\bfalse\s*$/m.test(stdout))
      return {
        name: "codex hooks",
        ok: false,
        found: "switched off in Codex's configuration",
        fix: "Remove `hooks = false` from [features] in ~/.codex/config.toml.",
      }
    return { name: "codex hooks", ok: true, found: "on; trusted for each launch on the command line" }
  } catch (error) {
    return {
      name: "codex hooks",
      ok: false,
      found: `Codex refuses the hook flags: ${error instanceof Error ? error.message.split("\n")[0] : ""}`,
      fix: "Update Chorus; this Codex reads hooks in another form.",
    }
  }
}

function openCodeCheck(content: string): StatusCheck {
  try {
    JSON.parse(content)
    return { name: "opencode config", ok: true, found: "OPENCODE_CONFIG_CONTENT is set and gets our plugin added" }
  } catch {
    return {
      name: "opencode config",
      ok: false,
      found: "OPENCODE_CONFIG_CONTENT is not JSON",
      fix: "Mend or unset OPENCODE_CONFIG_CONTENT.",
    }
  }
}

function programChecks({ emitter, launcher, opencodePlugin }: StatusPrograms): StatusCheck[] {
  const missing = [emitter, opencodePlugin].filter((path) => !existsSync(path))
  if (missing.length > 0)
    return [{ name: "programs", ok: false, found: `missing: ${missing.join(", ")}`, fix: "Install Chorus again." }]
  if (!isExecutable(emitter))
    return [{ name: "programs", ok: false, found: `${emitter} cannot be run`, fix: `chmod +x ${dirname(emitter)}/*` }]
  if (launcher !== undefined) return [{ name: "programs", ok: true, found: "hooks run with Perl" }]
  const found =
    "there is no Perl: a hook takes about 30 ms instead of 4, what Codex tells its terminal is not read, and a terminal left in disorder stays so"
  return [{ name: "programs", ok: false, found, fix: "Install Perl as /usr/bin/perl." }]
}

async function socketChecks(env: NodeJS.ProcessEnv): Promise<StatusCheck[]> {
  const path = socketPath(env)
  if (isTooLong(path))
    return [
      {
        name: "socket",
        ok: false,
        found: `${path} is too long for a Unix socket, so no agent can report`,
        fix: "Set CHORUS_SOCK to a shorter path, or unset it.",
      },
    ]
  const usual = socketPath({ ...env, CHORUS_SOCK: undefined })
  if (usual !== path && !(await isAnswered(path)) && (await isAnswered(usual)))
    return [
      {
        name: "listener",
        ok: false,
        found: `CHORUS_SOCK names ${path}, where nobody listens; the listener of this installation is at ${usual}`,
        fix: "`unset CHORUS_SOCK`, also where it is set for every shell; agents started with it report elsewhere.",
      },
    ]
  if (!existsSync(path)) return [await withoutListener(path, env)]
  const mode = statSync(path).mode & 0o777
  if (mode !== 0o600)
    return [
      {
        name: "socket",
        ok: false,
        found: `${path} has mode ${mode.toString(8)}`,
        fix: "End the listener and start it again; another program changed its socket.",
      },
    ]
  if (!(await isAnswered(path)))
    return [{ name: "listener", ok: false, found: `it was killed and left ${path} behind`, fix: START_LISTENER }]
  const pong = await ping(path)
  if (pong === undefined)
    return [
      {
        name: "listener",
        ok: false,
        found: `something holds ${path} but does not answer`,
        fix: "It may be stopped (SIGSTOP) or not ours; end it, then start an agent again.",
      },
    ]
  if (pong.protocol !== PROTOCOL)
    return [
      {
        name: "listener",
        ok: false,
        found: `process ${pong.pid} speaks protocol ${pong.protocol}, this is ${PROTOCOL}`,
        fix: `End process ${pong.pid}; the next agent starts the right one.`,
      },
    ]
  const rows = await readRows(path)
  const { terminalId } = await placeOf(env)
  const checks: StatusCheck[] = [
    {
      name: "listener",
      ok: true,
      found: `process ${pong.pid} knows ${rows.length} terminal${rows.length === 1 ? "" : "s"}`,
    },
  ]
  const row = rows.find((known) => known.terminalId === terminalId)
  return [
    ...checks,
    row === undefined
      ? { name: "this terminal", ok: true, found: `${terminalId}: nothing heard yet` }
      : { name: "this terminal", ok: true, found: `${row.agent} ${row.state}, said by ${row.source}` },
  ]
}

/** Nobody has to listen while no agent reports. */
async function withoutListener(path: string, env: NodeJS.ProcessEnv): Promise<StatusCheck> {
  const agents = await agentsHere(processTable())
  const here = agents.filter(({ environment, reportsTo }) => environment["HOME"] === env["HOME"] && reportsTo === path)
  if (here.length === 0)
    return { name: "listener", ok: true, found: `not running; it starts with the next agent (${path})` }
  const found = `not running, though ${here.length === 1 ? "an agent in a terminal reports" : `${here.length} agents in terminals report`} to it`
  return { name: "listener", ok: false, found, fix: START_LISTENER }
}

/** What was switched off reports again where nobody can read that any more. */
function switchChecks(env: NodeJS.ProcessEnv): StatusCheck[] {
  const damaged = notifySettings(stateFolder(env)).damagedFile()
  if (damaged === undefined) return []
  const found = `${damaged} cannot be read, so every agent reports and nobody is called`
  return [
    { name: "switches", ok: false, found, fix: "Mend it, or delete it and switch anew: chorus status notify on." },
  ]
}

/** What `chorus resume` would stumble over. */
function resumeChecks(env: NodeJS.ProcessEnv): StatusCheck[] {
  const store = resumeStore(stateFolder(env))
  const damaged = store.damagedFile()
  if (damaged !== undefined)
    return [
      {
        name: "resume",
        ok: false,
        found: `${damaged} cannot be read, so no session is remembered`,
        fix: "Mend it, or begin anew: chorus resume --on claude (or codex, opencode).",
      },
    ]
  const on = AGENTS.filter((agent) => store.isOn(agent))
  if (on.length === 0) return [{ name: "resume", ok: true, found: "off: no session is remembered" }]
  const lost = store.list().filter(({ folder }) => folder !== null && !existsSync(folder))
  return [
    { name: "resume", ok: true, found: `on for ${on.join(", ")}` },
    ...lost.map(({ terminalId, folder }) => ({
      name: "resume",
      ok: false,
      found: `the last session of ${terminalId} was in ${folder}, which is gone`,
      fix: `chorus status forget ${terminalId}`,
    })),
  ]
}

function programOf(agent: StatusAgent, env: NodeJS.ProcessEnv): string | undefined {
  try {
    const program = findRealProgram(agent, env["PATH"])
    return isShim(program) ? undefined : program
  } catch {
    return undefined
  }
}

async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    return /\d+\.\d+\.\d+/.exec(await said(program, ["--version"], env))?.[0]
  } catch {
    return undefined
  }
}

/** What an agent answers; it reports to nobody, so that no listener takes it for one at work in this terminal. */
async function said(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const asked = { ...env, CHORUS_AGENT: "doctor", CHORUS_TERMINAL_ID: "doctor", CHORUS_SOCK: "/dev/null" }
  return (await promisify(execFile)(program, [...args], { env: asked, timeout: 20_000 })).stdout
}
