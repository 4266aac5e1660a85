import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { madeFiles } from "./plugin-layout.ts"

const PLUGIN = join(import.meta.dirname, "..", "..", "..", "plugin")
// Claude Code 2.1.41 drops every hook of a plugin that names an event it does not know.
const EVENTS_OF_FEBRUARY = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PermissionRequest",
  "Setup",
  "TeammateIdle",
  "TaskCompleted",
]

/** What the hook program says itself, and reads nowhere. */
const SAYS = /^(\S+\) |else )?(result|printf)\b|&& printf -v more/
/** Each line of it that looks into a text which is not its own, and what for. */
const LOOKS = [
  // As a server of Claude Code's own it answers a call by its id, also where Chorus does not.
  String.raw`ID_FIRST='^\{("jsonrpc":"2\.0",)?"id":("[A-Za-z0-9_-]+"|[0-9]+),'`,
  String.raw`ID_LAST=',"id":("[A-Za-z0-9_-]+"|[0-9]+)\}$'`,
  String.raw`METHOD='"method":"([A-Za-z/_]+)"'`,
  String.raw`REVISION='"protocolVersion":"([0-9-]+)"'`,
  // What nobody waits for is kept apart from what is told at once; what it is the server says.
  "UserPromptSubmit) if [[ $PROGRAM != claude && $EVENT == *chorus:task:* ]]; then keep_or_tell; else remind; fi ;;",
  "elif [[ $EVENT == *DONE* || $EVENT == *UNFINISHED* ]]; then keep_or_tell_quietly",
  "[[ $call =~ $ID_FIRST || $call =~ $ID_LAST ]] || continue",
  "[[ $call =~ $METHOD ]] && method=${BASH_REMATCH[1]} || method=",
  "[[ $call =~ $REVISION ]]",
  // The end of a session whose start nobody answered is told in the words of that start.
  String.raw`local start='"hook_event_name":"SessionStart"' end='"hook_event_name":"SessionEnd","reason":"crashed"'`,
  String.raw`[[ $WILL == "$EVENT" || $WILL == *"$NL"* ]] && WILL=`,
  // It gives no file away that the event does not name.
  String.raw`[[ $watched == *.jsonl && $EVENT == *"\"$watched\""* ]] || watched=`,
  // What its program does stands in a file that nobody else here reads.
  `*'"status":"waiting"'*) HAS_WAITED=1 WENT_ON=0 ;;`,
  `*'"status":"'*) WENT_ON=$((WENT_ON + HAS_WAITED)) ;;`,
  String.raw`[[ -n $BRING && $path == *.jsonl && $1 == *"\"$path\""* ]] || return 0`,
  String.raw`[[ $path == *.jsonl && $1 == *"\"$path\""* ]] || return 0`,
  String.raw`[[ $names =~ $NAMES && $path == *.jsonl && $1 == *"\"$path\""* ]] || return 0`,
  // Of a transcript, which may be long, the lines that count go: whose it is, and what its model used.
  String.raw`grep -lE "\"agentId\":\"($names)\"|<chorus session=..($names)" "` +
    '${path%.jsonl}"/subagents/agent-*.jsonl |',
  String.raw`grep -noE '"(id":"msg_[A-Za-z0-9_-]+|model":"[^"]+|(input|output|cache_read_input|cache_creation_input)_tokens":[0-9]+)' "$1" | tail -c 900000`,
  // The form that the server promises of its answers.
  String.raw`if [[ $RESPONSE != chorus"$NL"* || $RESPONSE != *"$NL$NL"* ]]; then`,
  // February's program tells its hooks no session but in the event.
  "[[ ${file##*/}" + String.raw` == "$lead" || $will == *"\"session_id\":\"$lead\""* ]] || continue`,
]

interface HooksFile {
  readonly hooks: Record<
    string,
    { matcher?: string; hooks: { type: string; command?: string; server?: string; tool?: string }[] }[]
  >
}

const hooksOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, "hooks", "hooks.json"), "utf8")) as HooksFile).hooks

describe("the two plugins", () => {
  it("are as this room makes them; if not, run `npm run build`", () => {
    for (const { path, text, mode } of madeFiles()) {
      expect(existsSync(path), `${path} is missing`).toBe(true)
      expect(readFileSync(path, "utf8"), `${path} is stale`).toBe(text)
      expect(statSync(path).mode & 0o111, path).toBe(mode & 0o111)
    }
  })

  it("have nothing in those folders that this room does not make", () => {
    const made = new Set(madeFiles().map(({ path }) => path))
    const folders = ["bin", "hooks", "legacy/bin", "legacy/hooks", "legacy/agents", "legacy/commands", "legacy/skills"]
    const found = folders.flatMap((folder) =>
      readdirSync(join(PLUGIN, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    expect(found.filter((path) => !made.has(path))).toEqual([])
  })

  it("hear of the same events", () => {
    const later = ["StopFailure", "Elicitation", "ElicitationResult"]
    expect(Object.keys(hooksOf(join(PLUGIN, "legacy")))).toEqual(
      Object.keys(hooksOf(PLUGIN)).filter((event) => !later.includes(event)),
    )
  })

  it("keep the old one to what February knew", () => {
    for (const [event, groups] of Object.entries(hooksOf(join(PLUGIN, "legacy")))) {
      expect(EVENTS_OF_FEBRUARY).toContain(event)
      expect(groups.flatMap((group) => group.hooks).map((hook) => hook.type)).toEqual(
        groups.flatMap((group) => group.hooks).map(() => "command"),
      )
    }
  })

  it("have no hook for an ordinary tool call", () => {
    const theirs = /^(EnterPlanMode|ExitPlanMode|SendMessage|Agent|Task\|Agent|AskUserQuestion\|ExitPlanMode)$/
    for (const folder of [PLUGIN, join(PLUGIN, "legacy")])
      for (const event of ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
        for (const { matcher = "" } of hooksOf(folder)[event] ?? []) expect(matcher).toMatch(theirs)
  })

  it("start no process where a spawn waits for it", () => {
    const spawns = ["PreToolUse", "PostToolUse", "SubagentStart"]
      .flatMap((event) => hooksOf(PLUGIN)[event] ?? [])
      .filter((group) => group.matcher === "Agent" || group.matcher === undefined)
    expect(spawns).toHaveLength(3)
    for (const { hooks } of spawns)
      expect(hooks).toMatchObject([{ type: "mcp_tool", server: "plugin:chorus:hooks", tool: "chorus_hook" }])
  })
})

describe("the hook program", () => {
  const program = readFileSync(join(PLUGIN, "bin", "chorus-hook"), "utf8")

  it("looks into what it is told nowhere but here: the rest it hands on, and what it does it is told in plain lines", () => {
    const asks = /\b(jq|grep|sed|awk)\b|"\w+\\?":|\$(EVENT|RESPONSE|call|will)\b.*([=!]=|=~)|[=!]= \*"\\"/
    const lines = program.split("\n").map((line) => line.trim())
    const found = lines.filter((line) => asks.test(line) && !SAYS.test(line) && !line.startsWith("#"))
    expect(found).toEqual(LOOKS)
  })

  it("is told every event by its name", () => {
    for (const folder of [PLUGIN, join(PLUGIN, "legacy")])
      for (const [event, groups] of Object.entries(hooksOf(folder)))
        for (const { matcher = "", hooks } of groups)
          for (const { command } of hooks)
            if (command !== undefined) expect([event, matcher]).toContain(command.split(" ").at(-1))
  })
})
