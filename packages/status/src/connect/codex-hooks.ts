import { ChorusError } from "@chorus/contracts"
import { shellQuote, snakeCase, trustedHash } from "../codex/hook-flags.ts"
import { isRecord } from "../line/index.ts"

/** What stands in every command of ours, so that they are known among the person's. */
const MARK = "CHORUS_HOOK_PROGRAM=codex"
const SPAWN = "(collaboration)?spawn_agent"
/** SessionEnd may take no more than three seconds. */
const EVENTS: readonly { event: string; matcher?: string; timeout: number }[] = [
  { event: "SessionStart", timeout: 10 },
  { event: "UserPromptSubmit", timeout: 10 },
  { event: "PreToolUse", matcher: SPAWN, timeout: 10 },
  { event: "PostToolUse", matcher: SPAWN, timeout: 10 },
  { event: "SubagentStart", timeout: 10 },
  { event: "SubagentStop", timeout: 10 },
  { event: "Stop", timeout: 10 },
  { event: "SessionEnd", timeout: 3 },
]

type Groups = Record<string, unknown[]>

/** Codex's hooks.json with ours behind the person's, once. */
export function withBoardHooks(path: string, current: string | undefined, url: string, program: string): string {
  const { file, groups } = read(path, withoutBoardHooks(path, current))
  for (const { event, matcher, timeout } of EVENTS) {
    const command = `exec env ${MARK} CHORUS_URL=${shellQuote(url)} ${shellQuote(program)} ${event}`
    groups[event] = [
      ...(groups[event] ?? []),
      { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command, timeout }] },
    ]
  }
  return `${JSON.stringify({ ...file, hooks: groups }, null, 2)}\n`
}

/** The same without ours; nothing where nothing else was in it. */
export function withoutBoardHooks(path: string, current: string | undefined): string | undefined {
  if (current === undefined) return undefined
  const { file, groups } = read(path, current)
  const theirs = Object.entries(groups).flatMap(([event, list]) => {
    const rest = list.filter((group) => !isOurs(group))
    return rest.length === 0 ? [] : [[event, rest] as const]
  })
  const { hooks: _all, ...others } = file
  const left = theirs.length === 0 ? others : { ...others, hooks: Object.fromEntries(theirs) }
  return Object.keys(left).length === 0 ? undefined : `${JSON.stringify(left, null, 2)}\n`
}

/**
 * Codex runs a hook only where its configuration trusts exactly that handler, named by file, event and place, as the person does
 * in its "Hooks need review". Connecting is that consent for ours; nobody else's hook becomes trusted.
 */
export function withTrust(path: string, current: string | undefined, hooksPath: string, hooks: string): string {
  const config = withoutTrust(current ?? "", hooksPath, hooks)
  if (
    /^\s*hooks\s*[.=]/m.test(config.split(/^\[/m, 1)[0] ?? "") ||
    /^\s*state\s*[.=]/m.test(sectionOf(config, "hooks"))
  ) {
    throw new ChorusError("config_unreadable", `${path} names its hooks in a form that is not changed here.`, {
      next: 'Start Codex and choose "Trust all" when it asks about the hooks of Chorus.',
    })
  }
  const tables = trusted(hooksPath, hooks).map(
    ({ key, hash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(hash)}\n`,
  )
  return `${config === "" ? "" : `${config.replace(/\n*$/, "\n")}\n`}${tables.join("\n")}`
}

/** Takes the trust in our handlers back, as they stand in this hooks.json. */
export function withoutTrust(current: string, hooksPath: string, hooks: string | undefined): string {
  const ours = new Set(trusted(hooksPath, hooks).map(({ key }) => `[hooks.state.${JSON.stringify(key)}]`))
  let inOurs = false
  const kept = current.split("\n").filter((line) => {
    if (line.startsWith("[")) inOurs = ours.has(line.trim())
    return !inOurs
  })
  return ours.size === 0 ? current : kept.join("\n")
}

/** Our hooks as they stand in a hooks.json, and which of them this configuration does not let Codex run. */
export function boardTrust(
  hooksPath: string,
  hooks: string,
  config: string,
): { program: string | undefined; all: string[]; untrusted: string[]; off: string[] } {
  const { groups } = read(hooksPath, hooks)
  const ours = Object.entries(groups).flatMap(([event, list]) =>
    list.flatMap((group, at) =>
      isOurs(group) ? [{ event, ...handlerOf(group), key: `${hooksPath}:${snakeCase(event)}:${at}:0` }] : [],
    ),
  )
  const state = (key: string) => stateOf(config, key)
  return {
    program: ours[0] === undefined ? undefined : programIn(ours[0].command),
    all: ours.map(({ event }) => event),
    untrusted: ours
      .filter(
        ({ event, command, timeout, matcher, key }) =>
          !state(key).includes(trustedHash(event, command, timeout, matcher)),
      )
      .map(({ event }) => event),
    off: ours.filter(({ key }) => /\benabled\s*=\s*false\b/.test(state(key))).map(({ event }) => event),
  }
}

/** The program a command of ours runs, without its quotes; behind it stands the event. */
function programIn(command: string): string | undefined {
  const quoted = /((?:'[^']*'|\\')+) \w+$/.exec(command)?.[1]
  return quoted?.slice(1, -1).replaceAll(`'\\''`, "'")
}

/** What the configuration says about one handler, as a table or on one line, however its name is quoted. */
function stateOf(config: string, key: string): string {
  const start = [JSON.stringify(key), `'${key}'`].map((quoted) => config.indexOf(quoted)).find((at) => at !== -1)
  if (start === undefined) return ""
  const [first = "", ...rest] = config.slice(start).split("\n")
  if (first.includes("{")) return first
  const end = rest.findIndex((line) => line.trimStart().startsWith("["))
  return rest.slice(0, end === -1 ? undefined : end).join("\n")
}

function handlerOf(group: unknown): { command: string; timeout: number | undefined; matcher: string | undefined } {
  const handlers = isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []
  const first: unknown = handlers[0]
  return {
    command: commandOf(group),
    timeout: isRecord(first) && typeof first["timeout"] === "number" ? first["timeout"] : undefined,
    matcher: isRecord(group) && typeof group["matcher"] === "string" ? group["matcher"] : undefined,
  }
}

function trusted(hooksPath: string, hooks: string | undefined): { key: string; hash: string }[] {
  if (hooks === undefined) return []
  const { groups } = read(hooksPath, hooks)
  return EVENTS.flatMap(({ event, matcher, timeout }) =>
    (groups[event] ?? []).flatMap((group, at) =>
      isOurs(group)
        ? [
            {
              key: `${hooksPath}:${snakeCase(event)}:${at}:0`,
              hash: trustedHash(event, commandOf(group), timeout, matcher),
            },
          ]
        : [],
    ),
  )
}

function read(path: string, text: string | undefined): { file: Record<string, unknown>; groups: Groups } {
  const file = text === undefined || text.trim() === "" ? {} : parse(text)
  const hooks = isRecord(file) ? (file["hooks"] ?? {}) : undefined
  if (!isRecord(file) || !isRecord(hooks) || !Object.values(hooks).every(Array.isArray)) {
    throw new ChorusError("config_unreadable", `${path} is not a file of hooks, so it was left as it is.`, {
      next: "Mend it or move it away, then connect again.",
    })
  }
  return { file, groups: { ...hooks } as Groups }
}

function isOurs(group: unknown): boolean {
  return commandOf(group).includes(MARK)
}

function commandOf(group: unknown): string {
  const handlers = isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : []
  const first: unknown = handlers[0]
  return isRecord(first) && typeof first["command"] === "string" ? first["command"] : ""
}

function sectionOf(config: string, name: string): string {
  const lines = config.split("\n")
  const start = lines.findIndex((line) => line.trim() === `[${name}]`)
  if (start === -1) return ""
  const end = lines.findIndex((line, at) => at > start && line.startsWith("["))
  return lines.slice(start + 1, end === -1 ? undefined : end).join("\n")
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
