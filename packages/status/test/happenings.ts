import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { StatusAgent } from "@chorus/contracts"
import { type Terminal, type ToolCall, type Turn, waitFor } from "@chorus/testing"
import { answer, type Workbench } from "./workbench.ts"

/** What can happen in a turn, by the names that docs/outcomes.md has for it. */
export interface Happening {
  readonly name: string
  /** Makes it happen in an open terminal; its outcome is what the row then settles on. */
  happen(bench: Workbench, terminal: Terminal, say: Dialect): Promise<void>
}

/** How an agent program is told to do something, and what it shows while it does. */
export interface Dialect {
  readonly args: readonly string[]
  /** With which it also starts the MCP server whose tool always fails, where no file says so. */
  readonly faulty: readonly string[]
  readonly ready: RegExp
  readonly working: RegExp
  readonly asks: RegExp
  readonly yes: string
  /** Says No to what it asks and, where it takes that, what to do instead. */
  no(terminal: Terminal, words: string): Promise<void>
  /** What ends the program from where one writes. */
  readonly leave: string
  /** Gives up on a model that does not answer after a try or two. */
  readonly soonTired: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  /** Puts into a home what lets that tool be called, and forbids the command `forbidden`. */
  furnish(home: { path: string; project: string }): void
  readonly fail: ToolCall
  /** The turns in which a sub-agent gets a prompt and is waited for. */
  delegate(prompt: string): unknown[]
  run(command: string): ToolCall
  /** A command that it may not run without being allowed to. */
  ask(command: string): ToolCall
  /** An edit of a file that does not hold the text to be replaced. */
  edit(file: string): ToolCall
}

const run = (name: string) => (command: string) => ({ name, input: { command, description: "A command" } })
const TRIES = (most: number) =>
  ["request_max_retries", "stream_max_retries"].flatMap((key) => ["-c", `model_providers.scripted.${key}=${most}`])

const [NODE, SCRIPT] = [process.execPath, fileURLToPath(new URL("./faulty-server.ts", import.meta.url))]

const TOML = `{command=${JSON.stringify(NODE)},args=[${JSON.stringify(SCRIPT)}],default_tools_approval_mode="approve"}`
/** What Claude Code is told of it at its start. */
const FAULTY = ["--mcp-config", JSON.stringify({ mcpServers: { faulty: { command: NODE, args: [SCRIPT] } } })]

const PART = (prompt: string) => ({
  description: "A part",
  prompt,
  subagent_type: "general-purpose",
  run_in_background: false,
})

const DIALECTS: Record<StatusAgent, Dialect> = {
  claude: {
    args: ["--permission-mode", "default"],
    faulty: FAULTY,
    ready: /for shortcuts|manual mode on|❯/,
    working: /esc to interrupt/,
    asks: /Do you want to/,
    yes: "Enter",
    async no(terminal, words) {
      // The last thing it offers is No, where one writes at once, or after Tab.
      await answer(terminal, "Up", /❯ 1\. Yes/)
      const bare = /❯ \d\. No$/m
      if (bare.test(await terminal.screen())) await answer(terminal, "Tab", bare)
      await terminal.submit(words)
    },
    leave: "/exit",
    soonTired: { env: { CLAUDE_CODE_MAX_RETRIES: "1" } },
    furnish: ({ project }) =>
      write(join(project, ".claude", "settings.json"), {
        permissions: { allow: ["mcp__faulty__fail"], deny: ["Bash(forbidden:*)"] },
      }),
    fail: { name: "mcp__faulty__fail", input: {} },
    delegate: (prompt) => [[{ name: "Agent", input: PART(prompt) }]],
    run: run("Bash"),
    ask: run("Bash"),
    edit: (file) => ({ name: "Edit", input: { file_path: file, old_string: "not there", new_string: "there" } }),
  },
  codex: {
    args: ["-s", "workspace-write", "-a", "on-request", ...TRIES(20)],
    faulty: ["-c", `mcp_servers.faulty=${TOML}`],
    ready: /Ask Codex|›/,
    working: /esc to interrupt/,
    asks: /May I\?[\s\S]*(Yes|proceed)/,
    yes: "y",
    no: (terminal) => terminal.key("Escape"),
    leave: "/quit",
    soonTired: { args: TRIES(1) },
    furnish({ path }) {
      mkdirSync(join(path, ".codex", "rules"), { recursive: true })
      const rule = 'prefix_rule(pattern=["forbidden"], decision="forbidden")\n'
      writeFileSync(join(path, ".codex", "rules", "default.rules"), rule)
    },
    fail: { name: "fail", namespace: "mcp__faulty", input: {} },
    delegate: (message) => [
      [
        {
          name: "spawn_agent",
          namespace: "collaboration",
          input: { message, task_name: "part", fork_turns: "none" },
        },
      ],
      [{ name: "wait_agent", namespace: "collaboration", input: { timeout_ms: 20_000 } }],
    ],
    run: (cmd) => ({ name: "exec_command", input: { cmd } }),
    ask: (cmd) => ({
      name: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "May I?" },
    }),
    edit: (file) => ({
      name: "exec_command",
      input: {
        cmd: `apply_patch <<'END'\n*** Begin Patch\n*** Update File: ${file}\n@@\n-not there\n+there\n*** End Patch\nEND`,
      },
    }),
  },
  opencode: {
    args: [],
    faulty: [],
    ready: /Ask anything/,
    working: /esc (again to )?interrupt/,
    asks: /Permission required/,
    yes: "Enter",
    no: (terminal) => terminal.key("Escape"),
    leave: "/exit",
    soonTired: {},
    furnish({ path }) {
      const file = join(path, ".config", "opencode", "opencode.json")
      const config = JSON.parse(readFileSync(file, "utf8")) as object
      write(file, { ...config, mcp: { faulty: { type: "local", command: [NODE, SCRIPT] } } })
    },
    fail: { name: "faulty_fail", input: {} },
    delegate: (prompt) => [[{ name: "task", input: { description: "A part", prompt, subagent_type: "general" } }]],
    run: run("bash"),
    ask: run("bash"),
    edit: (file) => ({ name: "edit", input: { filePath: file, oldString: "not there", newString: "there" } }),
  },
}

/** What asked about everything was called otherwise before. */
export function dialectOf(agent: StatusAgent, version: string): Dialect {
  if (agent !== "claude") return DIALECTS[agent]
  const { claude } = DIALECTS
  if (version === "2.1.41")
    return {
      ...claude,
      delegate: (prompt) => [[{ name: "Task", input: PART(prompt) }]],
    }
  return version === "2.1.197" ? claude : { ...claude, args: ["--permission-mode", "manual"] }
}

const doing = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

const OUTAGE = { status: 500, type: "api_error", message: "scripted outage" }
const REFUSAL = { status: 400, type: "invalid_request_error", message: "scripted refusal" }

export const HAPPENINGS: readonly Happening[] = [
  {
    name: "nothing goes wrong",
    happen: (_bench, terminal, say) => terminal.submit(doing([say.run("ls")])),
  },
  {
    name: "a command fails",
    happen: (_bench, terminal, say) => terminal.submit(doing([say.run("cat not-there.txt")])),
  },
  {
    name: "an edit cannot be applied",
    happen: (bench, terminal, say) => terminal.submit(doing([say.edit(join(bench.home.project, "kept.txt"))])),
  },
  {
    name: "a permission is granted",
    async happen(_bench, terminal, say) {
      await terminal.submit(doing([say.ask("touch granted")]))
      await answer(terminal, say.yes, say.asks)
    },
  },
  {
    name: "a permission is refused",
    async happen(_bench, terminal, say) {
      await terminal.submit(doing([say.ask("touch refused")]))
      await answer(terminal, "Escape", say.asks)
    },
  },
  {
    name: "a permission is refused with words",
    async happen(_bench, terminal, say) {
      await terminal.submit(doing([say.ask("touch refused")]))
      await terminal.waitForText(say.asks)
      await say.no(terminal, "rather not")
    },
  },
  {
    name: "a rule refuses a command",
    happen: (_bench, terminal, say) => terminal.submit(doing([say.run("forbidden now")])),
  },
  {
    name: "a tool of an MCP server fails",
    happen: (_bench, terminal, say) => terminal.submit(doing([say.fail])),
  },
  {
    name: "a tool of a sub-agent fails",
    happen: (_bench, terminal, say) => delegate(terminal, say, [say.run("cat not-there.txt")]),
  },
  {
    name: "a sub-agent fails",
    happen: (_bench, terminal, say) => delegate(terminal, say, { error: REFUSAL }),
  },
  {
    name: "Esc before the first word",
    async happen(bench, terminal, say) {
      bench.model.script(() => ({ hang: true }))
      await terminal.submit("think for ever")
      await interrupt(bench, terminal, say)
    },
  },
  {
    name: "Esc while a tool runs",
    async happen(bench, terminal, say) {
      bench.model.script((request) =>
        request.sincePrompt === 0 ? { tools: [say.run("ls; sleep 60")] } : { text: "x" },
      )
      await terminal.submit("run something long")
      await waitFor(
        () => bench.row()?.detail?.includes("sleep 60"),
        60_000,
        () => JSON.stringify(bench.row()),
      )
      await interrupt(bench, terminal, say)
    },
  },
  {
    name: "Esc while the model is tried again",
    async happen(bench, terminal, say) {
      let tries = 0
      bench.model.script(() => {
        tries++
        return { error: OUTAGE }
      })
      await terminal.submit("fail and fail")
      await waitFor(() => tries > 1, 60_000, "a second try")
      await interrupt(bench, terminal, say)
    },
  },
  {
    name: "the model fails once and then answers",
    async happen(bench, terminal) {
      let tries = 0
      bench.model.script(() => (++tries === 1 ? { error: OUTAGE } : { text: "Back." }))
      await terminal.submit("fail once")
      await waitFor(() => tries > 1, 60_000, "a second try")
    },
  },
  {
    name: "the model refuses",
    async happen(bench, terminal) {
      bench.model.script(() => ({ error: REFUSAL }))
      await terminal.submit("fail now")
    },
  },
  {
    name: "killed after its turn",
    async happen(bench, terminal) {
      bench.model.script(() => ({ text: "Said." }))
      await terminal.submit("say something")
      await bench.waitForStates(/running finished:0$/)
      process.kill(await bench.agentPid(), "SIGKILL")
      await terminal.waitForExit()
    },
  },
  {
    name: "killed in its turn",
    async happen(bench, _terminal, say) {
      const terminal = await opened(bench, say)
      bench.model.script(() => ({ hang: true }))
      await terminal.submit("think for ever")
      await bench.waitForStates(/running$/)
      process.kill(await bench.agentPid(), "SIGKILL")
      await terminal.waitForExit()
    },
  },
  {
    name: "crashed after its turn",
    async happen(bench, _terminal, say) {
      const terminal = await opened(bench, say)
      await terminal.submit("say something")
      await bench.waitForStates(/running finished:0$/)
      process.kill(await bench.agentPid(), "SIGABRT")
      await terminal.waitForExit()
    },
  },
  {
    name: "left after its turn",
    async happen(bench, _terminal, say) {
      const terminal = await opened(bench, say)
      await terminal.submit("say something")
      await bench.waitForStates(/running finished:0$/)
      await terminal.submit(say.leave)
      await terminal.waitForExit()
    },
  },
  {
    name: "the model stays away",
    async happen(bench, _terminal, say) {
      const terminal = await opened(bench, say, say.soonTired)
      bench.model.script(() => ({ error: OUTAGE }))
      await terminal.submit("fail and fail")
      await bench.waitForStates(/running$/)
    },
  },
  {
    name: "the answer breaks off",
    async happen(bench, _terminal, say) {
      const terminal = await opened(bench, say, say.soonTired)
      bench.model.script(() => ({ text: "Half of an", drop: true }))
      await terminal.submit("say half")
      await bench.waitForStates(/running$/)
    },
  },
]

async function opened(bench: Workbench, say: Dialect, { args = [], env = {} }: Dialect["soonTired"] = {}) {
  Object.assign(bench.env, env)
  const terminal = await bench.open(...say.faulty, ...say.args, ...args)
  await terminal.waitForText(say.ready)
  await bench.waitForStates(/idle$/)
  return terminal
}

/** A sub-agent does that. */
async function delegate(terminal: Terminal, say: Dialect, part: ToolCall[] | Turn): Promise<void> {
  await terminal.submit(doing(...say.delegate(doing(part))))
}

function write(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}

async function interrupt(bench: Workbench, terminal: Terminal, say: Dialect): Promise<void> {
  await bench.waitForStates(/running$/)
  await answer(terminal, "Escape", say.working)
}
