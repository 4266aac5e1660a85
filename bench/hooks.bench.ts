import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runAgent, type ScratchHome, scratchHome, temporaryDirectory, waitFor } from "@chorus/testing"
import { encode } from "gpt-tokenizer"
import { type Board, openBoard, spawnTool, type Version } from "../packages/hooks/test/board.ts"
import { type Figure, percentile } from "./figure.ts"
import { notingPrograms, type Started } from "./started-programs.ts"

const ROUNDS = 12
const PASSES = 4
/** Of an ordinary tool, without the plugin and with it in turn. */
const TURNS = 150

type Design = "none" | "ours" | "curl"
/** What a sub-agent has to call for its task where no hook does it. */
const BY_HAND = [
  "chorus_session_checkin_task",
  "chorus_update_task",
  "chorus_report_work",
  "chorus_session_checkout_task",
  "chorus_submit_for_verify",
]
const DESIGNS: readonly Design[] = ["none", "ours", "curl"]

interface Times {
  /** From the lead's call to the sub-agent's first request. */
  readonly spawn: number[]
  /** From the sub-agent's last word to the lead's next request. */
  readonly end: number[]
}

/** The designs take turns, so that a busy minute of the machine falls on all of them; every call of every pass counts. */
type Passes = Record<Design, Times[]>

/** What hooks cost inside the real Claude Code: without any, ours, and one shell script with curl for each event, side by side. */
export async function bench(): Promise<Figure[]> {
  await using board = await openBoard()
  await using bare = scratchHome({ model: board.model })
  await using other = temporaryDirectory("curl-design-")
  writeCurlDesign(other.path)
  const passes: Passes = { none: [], ours: [], curl: [] }
  const prompts: string[] = []
  const tracked: Tracked = { tasks: 0, handedIn: 0, calls: 0 }
  for (let pass = 0; pass < PASSES; pass++) {
    for (const design of DESIGNS) {
      const uuids = await board.addTasks(
        ...Array.from({ length: ROUNDS }, (_, round) => ({ title: `${design} ${pass} ${round}` })),
      )
      const times = noTimes()
      passes[design].push(times)
      script(board, uuids, times, design === "ours" ? prompts : [])
      await go(board, { home: design === "ours" ? board.home : bare, args: argumentsOf(design, other.path) })
      if (design === "ours") await follow(board, uuids, tracked)
    }
  }
  const tools = await ordinaryCalls(board, bare)
  const programs = await startedPrograms({ board, bare, curl: other.path })
  return [...costs(passes), ...tools, ...programs, ...calls(tracked), ...tokens(prompts)]
}

/**
 * Two sessions, one without the plugin, take turns call by call: whatever else the machine does falls on both alike.
 * The plugin has no hook here, so that a difference would be noise: both are shown, and one has to stay beside the other.
 */
async function ordinaryCalls(board: Board, bare: ScratchHome): Promise<Figure[]> {
  const times: Record<"none" | "ours", number[]> = { none: [], ours: [] }
  const isThere = { none: Promise.withResolvers<void>(), ours: Promise.withResolvers<void>() }
  /** Ends with the turn of whoever called last; the next one begins then. */
  let turn: Promise<unknown> = Promise.all([isThere.none.promise, isThere.ours.promise])
  const began = { none: 0, ours: 0 }
  const over = { none: () => {}, ours: () => {} }
  board.model.script(async ({ firstPrompt, tools, turns }) => {
    const who = firstPrompt.includes("with ours") ? "ours" : "none"
    if (tools.length === 0) return { text: "Nothing." }
    if (turns === 0) isThere[who].resolve()
    else times[who].push(performance.now() - began[who])
    over[who]()
    if (turns === TURNS) return { text: "Over." }
    const [before, mine] = [turn, Promise.withResolvers<void>()]
    turn = mine.promise
    over[who] = mine.resolve
    await before
    began[who] = performance.now()
    return { tools: [{ name: "Bash", input: { command: "true", description: "nothing" } }] }
  })
  await Promise.all([
    go(board, { home: bare, prompt: "Go with none." }),
    go(board, { home: board.home, prompt: "Go with ours." }),
  ])
  const p95 = percentile(times.none, 0.95)
  const figure = (name: string, value: number): Figure => ({ name: `hooks ${name}`, value, unit: "ms" })
  return [
    figure("none: an ordinary tool call, p50", percentile(times.none, 0.5)),
    figure("ours: an ordinary tool call, p50", percentile(times.ours, 0.5)),
    figure("none: an ordinary tool call, p95", p95),
    { ...figure("ours: an ordinary tool call, p95", percentile(times.ours, 0.95)), budget: { atMost: p95 + 15 } },
  ]
}

const argumentsOf = (design: Design, curl: string): string[] => (design === "curl" ? ["--plugin-dir", curl] : [])

interface Going {
  readonly home: ScratchHome
  readonly prompt?: string
  readonly args?: string[]
  readonly env?: Record<string, string>
  readonly version?: Version
}

async function go(
  board: Board,
  { home, prompt = "Go.", args = [], env = {}, version = "2.1.325" }: Going,
): Promise<void> {
  const settings = { ENABLE_TOOL_SEARCH: "false", CHORUS_URL: board.url, CHORUS_API_KEY: board.key, ...env }
  const { code, stderr } = await runAgent({
    agent: "claude-code",
    version,
    home,
    args: ["-p", prompt, "--permission-mode", "bypassPermissions", ...args],
    env: settings,
    timeout: 120_000,
  })
  if (code !== 0) throw new Error(`claude ended with ${code}: ${stderr}`)
}

/** Counted in runs of their own: to note each start takes time. */
async function startedPrograms(designs: { board: Board; bare: ScratchHome; curl: string }): Promise<Figure[]> {
  const { board, bare, curl } = designs
  await using february = await openBoard({ version: "2.1.41" })
  const { args, env } = february.load("2.1.41")
  const none = await startedPerTask(board, { home: bare }, false)
  const ours = await startedPerTask(board, { home: board.home }, true)
  const old = await startedPerTask(february, { home: february.home, args, env, version: "2.1.41" }, true)
  const other = await startedPerTask(board, { home: bare, args: argumentsOf("curl", curl) }, false)
  const figure = (name: string, value: number, atMost?: number): Figure => ({
    name,
    value,
    unit: "programs",
    ...(atMost === undefined ? {} : { budget: { atMost } }),
  })
  return [
    figure("hooks ours: hook programs started for a task", ours.hooks, 1),
    figure("hooks ours: hook programs started for a task, 2.1.41", old.hooks, 4),
    figure("hooks ours: what these start for a task", ours.others - none.others, 15),
    figure("hooks curl: hook programs started for a task", other.hooks),
    figure("hooks curl: what these start for a task", other.others - none.others),
  ]
}

/** A session without a task is what each has besides. What is left running behind a hook of ours is over when it has counted. */
async function startedPerTask(board: Board, going: Going, isTracked: boolean): Promise<Started> {
  const used = async (taskUuid: string) =>
    (await board.call<{ total: { inputTokens: number } }>("chorus_get_usage", { taskUuid })).total.inputTokens > 0
  const started = async (tasks: number): Promise<Started> => {
    await using folder = temporaryDirectory("started-")
    const programs = notingPrograms(folder.path)
    const titles = Array.from({ length: tasks }, (_, at) => ({ title: `counted ${at}` }))
    const uuids = tasks === 0 ? [] : await board.addTasks(...titles)
    script(board, uuids, noTimes(), [], spawnTool(going.version ?? "2.1.325"))
    const PATH = `${programs.path}:${going.home.environment["PATH"] ?? ""}`
    await go(board, { ...going, env: { ...going.env, PATH } })
    if (isTracked)
      await waitFor(async () => (await Promise.all(uuids.map(used))).every(Boolean), 60_000, "what was used")
    return programs.started()
  }
  const [some, none] = [await started(ROUNDS), await started(0)]
  return { hooks: (some.hooks - none.hooks) / ROUNDS, others: (some.others - none.others) / ROUNDS }
}

/** What became of the tasks without a word from their sub-agents. */
interface Tracked {
  tasks: number
  handedIn: number
  /** Tool calls that sub-agents made; their model was asked once more for each. */
  calls: number
}

async function follow(board: Board, uuids: readonly string[], tracked: Tracked): Promise<void> {
  const { requests } = board.model
  tracked.tasks += uuids.length
  tracked.calls = requests.filter(
    (request) => request.firstPrompt.includes("<chorus session=") && request.turns > 0,
  ).length
  for (const uuid of uuids) if ((await board.task(uuid)).status === "to_verify") tracked.handedIn++
}

function calls({ tasks, handedIn, calls: made }: Tracked): Figure[] {
  return [
    {
      name: "hooks ours: tracking calls of a sub-agent per task",
      value: made / tasks,
      unit: "calls",
      budget: { atMost: 0 },
    },
    {
      name: "hooks ours: tasks begun and handed in all the same",
      value: (handedIn / tasks) * 100,
      unit: "%",
      budget: { atLeast: 100 },
    },
    { name: "by hand: check in, start, report, check out, submit", value: BY_HAND.length, unit: "calls" },
  ]
}

function script(board: Board, uuids: readonly string[], times: Times, prompts: string[], tool = "Agent"): void {
  let since = 0
  board.model.script((request) => {
    const now = performance.now()
    if (request.firstPrompt.startsWith("Chorus task")) {
      times.spawn.push(now - since)
      prompts.push(request.firstPrompt)
      since = performance.now()
      return { text: "DONE: built." }
    }
    if (request.turns > 0) times.end.push(now - since)
    since = performance.now()
    const uuid = uuids[request.turns]
    if (uuid === undefined) return { text: "Over." }
    return {
      tools: [
        {
          name: tool,
          input: {
            description: "build",
            prompt: `Chorus task: ${uuid}\nBuild it.`,
            subagent_type: "general-purpose",
            run_in_background: false,
          },
        },
      ],
    }
  })
}

function costs(passes: Passes): Figure[] {
  const all = (design: Design, part: keyof Times, share: number) =>
    percentile(
      passes[design].flatMap((times) => times[part]),
      share,
    )
  const shown = DESIGNS.flatMap((design) =>
    (["spawn", "end"] as const).flatMap((part) =>
      [50, 95].map((share): Figure => ({
        name: `hooks ${design}: ${part} p${share}`,
        value: all(design, part, share / 100),
        unit: "ms",
      })),
    ),
  )
  const added = (design: Design, part: keyof Times) => all(design, part, 0.5) - all("none", part, 0.5)
  const total = (design: Design) => added(design, "spawn") + added(design, "end")
  return [
    ...shown,
    {
      name: "hooks ours: added to a spawn with its start, p50",
      value: added("ours", "spawn"),
      unit: "ms",
      budget: { atMost: 60 },
    },
    {
      name: "hooks ours: added to an end with its report, p50",
      value: added("ours", "end"),
      unit: "ms",
      budget: { atMost: 80 },
    },
    { name: "hooks curl: added to a spawn with its start, p50", value: added("curl", "spawn"), unit: "ms" },
    { name: "hooks curl: added to an end with its report, p50", value: added("curl", "end"), unit: "ms" },
    {
      name: "hooks curl design / ours, start and end",
      value: total("curl") / Math.max(1, total("ours")),
      unit: "times",
      budget: { atLeast: 5 },
    },
  ]
}

/** Everything that is not the brief itself is what tracking costs a sub-agent. */
function tokens(prompts: readonly string[]): Figure[] {
  const added = prompts.map((prompt) => prompt.slice(prompt.indexOf("<chorus session=")))
  const brief = added.map((text) => text.slice(text.indexOf("Task "), text.indexOf("You are checked in")))
  const mean = (texts: readonly string[]) =>
    texts.reduce((sum, text) => sum + encode(text).length, 0) / Math.max(1, texts.length)
  return [
    { name: "hooks ours: tokens added to a spawn, brief and all", value: mean(added), unit: "tokens" },
    {
      name: "hooks ours: tokens of these that are not the brief",
      value: mean(added) - mean(brief),
      unit: "tokens",
      budget: { atMost: 250 },
    },
  ]
}

/** One script for each event: parse with jq, initialize, initialized and call with curl, answer with jq. */
function writeCurlDesign(folder: string): void {
  const command = '"${CLAUDE_PLUGIN_ROOT}"/hook.sh'
  const hooks = Object.fromEntries(
    ["PreToolUse", "SubagentStart", "SubagentStop"].map((event) => [
      event,
      [{ ...(event === "PreToolUse" ? { matcher: "Agent" } : {}), hooks: [{ type: "command", command }] }],
    ]),
  )
  mkdirSync(join(folder, ".claude-plugin"))
  mkdirSync(join(folder, "hooks"))
  writeFileSync(
    join(folder, ".claude-plugin", "plugin.json"),
    JSON.stringify({ name: "curl-design", version: "0.0.1", description: "For comparison." }),
  )
  writeFileSync(join(folder, "hooks", "hooks.json"), JSON.stringify({ hooks }))
  writeFileSync(join(folder, "hook.sh"), CURL_DESIGN)
  chmodSync(join(folder, "hook.sh"), 0o755)
}

const CURL_DESIGN = `#!/usr/bin/env bash
event=$(cat)
name=$(printf %s "$event" | jq -r .hook_event_name)
state="\${TMPDIR:-/tmp}/curl-design"
mkdir -p "$state"
call() {
  post() { curl -sS -X POST "$CHORUS_URL/api/mcp" -H "Authorization: Bearer $CHORUS_API_KEY" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d "$1"; }
  post '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"hook","version":"1"}}}' >/dev/null
  post '{"jsonrpc":"2.0","method":"notifications/initialized"}' >/dev/null
  post "$(jq -nc --arg n "$1" --argjson a "$2" '{jsonrpc:"2.0",id:2,method:"tools/call",params:{name:$n,arguments:$a}}')" | sed -n 's/^data: //p' | head -n 1 | jq -r '.result.content[]|.text'
}
case $name in
  PreToolUse) printf %s "$event" | jq -c '{name: .tool_input.description, type: .tool_input.subagent_type}' >"$state/pending" ;;
  SubagentStart)
    id=$(call chorus_create_session "$(jq -nc --arg n "$(jq -r .name "$state/pending")" '{name:$n}')" | jq -r .uuid)
    printf %s "$id" >"$state/$(printf %s "$event" | jq -r .agent_id)"
    jq -nc --arg c "Your Chorus session is $id." '{hookSpecificOutput:{hookEventName:"SubagentStart",additionalContext:$c}}' ;;
  SubagentStop)
    id=$(cat "$state/$(printf %s "$event" | jq -r .agent_id)")
    call chorus_get_session "{\\"sessionUuid\\":\\"$id\\"}" >/dev/null
    call chorus_close_session "{\\"sessionUuid\\":\\"$id\\"}" >/dev/null ;;
esac
exit 0
`

function noTimes(): Times {
  return { spawn: [], end: [] }
}
