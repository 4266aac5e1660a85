import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { ChorusError, type runs } from "@chorus/contracts"
import { isShim } from "@chorus/disk"

type Program = runs.RunProgram
type Environment = Readonly<Record<string, string>>

/** How a program is started, and what must be known to work with it. */
export interface Start {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  /** The program's own name for the mode, set once the session is there; undefined where its environment says it. */
  readonly modeId: string | undefined
}

interface Spec {
  readonly title: string
  /** What has to be on the PATH, or in the folder of programs that Chorus fetched. */
  readonly needs: readonly string[]
  /** Variables of the person's that belong to this program. */
  readonly variables: RegExp
  /** Its own folders at home, and the variable that names another one instead. */
  readonly home: readonly string[]
  readonly homeVariable?: string
  /** What it cannot do, for whoever chooses. */
  readonly lacks: readonly string[]
  readonly modes: Readonly<Record<runs.RunMode, string>>
  start(found: readonly string[], mode: runs.RunMode): Omit<Start, "modeId"> & { readonly modeId?: string }
}

/** Adapters come from npm; the program itself is the person's own. */
export const ADAPTERS: Partial<Record<Program, string>> = {
  claude: "@agentclientprotocol/claude-agent-acp@0.99.1",
  codex: "@agentclientprotocol/codex-acp@2.6.0",
}

/** Adapters want to know where their program is, which only the image knows. */
const IN_IMAGE = 'CLAUDE_CODE_EXECUTABLE=$(command -v claude) CODEX_PATH=$(command -v codex) exec "$@"'

const byNode = (script: string, ...args: string[]) => ({ command: process.execPath, args: [script, ...args] })

const OPENCODE_RULES = {
  ask: { bash: "ask", edit: "ask", task: "deny" },
  // A sub-agent of its that had to ask would wait for ever.
  edit: { bash: "ask", edit: "allow", task: "deny" },
  all: { bash: "allow", edit: "allow" },
} as const

const SPECS: Readonly<Record<Exclude<Program, "command">, Spec>> = {
  claude: {
    title: "Claude Code",
    needs: ["claude-agent-acp", "claude"],
    variables:
      /^(ANTHROPIC|CLAUDE)_|^IS_SANDBOX$|^DISABLE_(AUTOUPDATER|TELEMETRY|ERROR_REPORTING)$|^AWS_|^GOOGLE_CLOUD_/,
    lacks: [],
    home: [".claude"],
    homeVariable: "CLAUDE_CONFIG_DIR",
    modes: { ask: "default", edit: "acceptEdits", all: "bypassPermissions" },
    start: ([adapter = "", claude = ""]) => ({
      ...byNode(adapter),
      env: {
        CLAUDE_CODE_EXECUTABLE: claude,
        CLAUDE_AGENT_ACP_PROTOCOL: "v1",
        // A whole request more for each turn, to guess what nobody types in a run.
        CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
      },
    }),
  },
  codex: {
    title: "Codex",
    needs: ["codex-acp", "codex"],
    variables: /^(OPENAI|CODEX)_/,
    lacks: [
      "A model error looks like an answer; Chorus tells it by other signs.",
      "A refusal ends its turn; it then waits for what you say.",
      "It asks questions only in its own plan mode.",
      "It tells no cost: no budget in dollars stops it.",
    ],
    home: [".codex"],
    homeVariable: "CODEX_HOME",
    modes: { ask: "read-only", edit: "workspace-write", all: "agent-full-access" },
    start: ([adapter = "", codex = ""], mode) => ({
      ...byNode(adapter),
      env: { CODEX_PATH: codex, NO_BROWSER: "1", INITIAL_AGENT_MODE: SPECS.codex.modes[mode] },
    }),
  },
  opencode: {
    title: "OpenCode",
    needs: ["opencode"],
    variables: /^(OPENCODE|OPENAI|ANTHROPIC)_/,
    lacks: [
      "Sub-agents cannot ask; without the mode `all` it works without them.",
      "No steering within a turn.",
      "No questions.",
    ],
    home: [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
    modes: { ask: "", edit: "", all: "" },
    start: ([opencode = ""], mode) => ({
      command: opencode,
      args: ["acp"],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: OPENCODE_RULES[mode] }) },
    }),
  },
  qwen: {
    title: "Qwen Code",
    needs: ["qwen"],
    variables: /^(OPENAI|QWEN|DASHSCOPE)_/,
    lacks: [
      "Questions cannot be answered.",
      "It tells no cost: no budget in dollars stops it.",
      "It may take two gigabytes of memory.",
      "No steering within a turn.",
    ],
    home: [".qwen"],
    modes: { ask: "default", edit: "auto-edit", all: "yolo" },
    start: ([qwen = ""]) => ({ command: qwen, args: ["--acp"], env: {} }),
  },
  gemini: {
    title: "Gemini CLI",
    needs: ["gemini"],
    variables: /^(GEMINI|GOOGLE)_/,
    lacks: [
      "A run cannot be taken up again.",
      "No output of commands.",
      "It tells no cost: no budget in dollars stops it.",
      "No questions.",
      "No steering within a turn.",
    ],
    home: [".gemini"],
    modes: { ask: "default", edit: "autoEdit", all: "yolo" },
    start: ([gemini = ""]) => ({ command: gemini, args: ["--acp"], env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } }),
  },
}

export const PROGRAMS = Object.keys(SPECS) as Exclude<Program, "command">[]

/** What every program needs of the person's environment; nothing else of it reaches an agent. */
const COMMON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|XDG_[A-Z_]+|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/

/** The environment of an agent: what every program needs, what this one needs, and what the machine's policy adds. */
export function environmentFor(program: Program, given: NodeJS.ProcessEnv, further: readonly string[]): Environment {
  const own = program === "command" ? undefined : SPECS[program].variables
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value !== undefined && (COMMON.test(name) || own?.test(name) === true || further.includes(name))
        ? [[name, value]]
        : [],
    ),
  )
}

/** Where what a program needs is; throws what is missing. */
export function startOf(
  { program, command }: Pick<runs.LeasedRun, "program" | "command">,
  mode: runs.RunMode,
  places: Places,
): Start {
  if (program === "command") {
    const [name = "", ...args] = (command ?? "").split(/\s+/).filter(Boolean)
    if (places.ofImage === true) return { command: name, args, env: {}, modeId: undefined }
    const found = name.includes("/") ? [name].find(isProgram) : inPath(name, places)
    if (found === undefined) throw missing(program, name)
    return { command: found, args, env: {}, modeId: undefined }
  }
  const spec = SPECS[program]
  if (places.ofImage === true) {
    const { command: first, args, ...rest } = spec.start(spec.needs, mode)
    const words = first === process.execPath ? args : [first, ...args]
    return {
      modeId: spec.modes[mode] || undefined,
      ...rest,
      command: "/bin/sh",
      args: ["-c", IN_IMAGE, "sh", ...words],
    }
  }
  const found = spec.needs.map((name) => {
    const place = inPath(name, places)
    if (place === undefined) throw missing(program, name)
    return place
  })
  return { modeId: spec.modes[mode] === "" ? undefined : spec.modes[mode], ...spec.start(found, mode) }
}

export interface Places {
  /** Programs are those of an image, known there by name. */
  readonly ofImage?: boolean
  readonly path: string
  /** Where Chorus keeps adapters that it fetched. */
  readonly fetched: string
}

/** What of a program is not here, and what brings it; undefined where all of it is. */
export function missingOf(program: Exclude<Program, "command">, places: Places): string | undefined {
  const name = SPECS[program].needs.find((one) => inPath(one, places) === undefined)
  if (name === undefined) return undefined
  const { message, next } = missing(program, name)
  return `${message} ${next ?? ""}`.trim()
}

/** Programs that are here but for the adapter that Chorus talks to them through, and that adapter. */
export function adaptersWanted(places: Places): { readonly program: Program; readonly adapter: string }[] {
  return PROGRAMS.flatMap((program) => {
    const adapter = ADAPTERS[program]
    const [first = "", ...rest] = SPECS[program].needs
    const isAlone = inPath(first, places) === undefined && rest.every((name) => inPath(name, places) !== undefined)
    return adapter !== undefined && isAlone ? [{ program, adapter }] : []
  })
}

/** What a program cannot do, for whoever chooses. */
export function lacksOf(program: Program): readonly string[] {
  return program === "command" ? ["It has no modes that Chorus knows; it asks as it asks."] : SPECS[program].lacks
}

/** The program that says which version it is. */
export function versionedOf(program: Exclude<Program, "command">, places: Places): string | undefined {
  return inPath(SPECS[program].needs.at(-1) ?? "", places)
}

/** Where a program may write at home, because it keeps its sign-in and its conversations there. */
export function ownFolders(program: Program, env: Environment): string[] {
  if (program === "command") return []
  const { home, homeVariable } = SPECS[program]
  const given = homeVariable === undefined ? undefined : env[homeVariable]
  return given === undefined ? home.map((folder) => join(env["HOME"] ?? "/", folder)) : [given]
}

export function inPath(name: string, { path, fetched }: Places): string | undefined {
  // An adapter brings the program's name along too, but not the program.
  const own = name.endsWith("-acp") ? [join(fetched, "node_modules", ".bin")] : []
  return [...path.split(delimiter), ...own]
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((path) => isProgram(path) && !isShim(path))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function missing(program: Program, name: string): ChorusError {
  const adapter = ADAPTERS[program] !== undefined && name.endsWith("-acp")
  const next = adapter ? `Run \`chorus runner setup ${program}\` there.` : `Install ${name} there.`
  return new ChorusError("program_missing", `There is no ${name} on this machine.`, { status: 409, next })
}
