import { join } from "node:path"
import type { StatusAgent } from "@chorus/contracts"
import { type Terminal, type ToolCall, waitFor } from "@chorus/testing"
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
  readonly ready: RegExp
  readonly working: RegExp
  readonly asks: RegExp
  readonly yes: string
  run(command: string): ToolCall
  /** A command that it may not run without being allowed to. */
  ask(command: string): ToolCall
  /** An edit of a file that does not hold the text to be replaced. */
  edit(file: string): ToolCall
}

const run = (name: string) => (command: string) => ({ name, input: { command, description: "A command" } })
const TRIES = ["request_max_retries", "stream_max_retries"].flatMap((key) => [
  "-c",
  `model_providers.scripted.${key}=20`,
])

const DIALECTS: Record<StatusAgent, Dialect> = {
  claude: {
    args: ["--permission-mode", "default"],
    ready: /for shortcuts|manual mode on|❯/,
    working: /esc to interrupt/,
    asks: /Do you want to/,
    yes: "Enter",
    run: run("Bash"),
    ask: run("Bash"),
    edit: (file) => ({ name: "Edit", input: { file_path: file, old_string: "not there", new_string: "there" } }),
  },
  codex: {
    args: ["-s", "workspace-write", "-a", "on-request", ...TRIES],
    ready: /Ask Codex|›/,
    working: /esc to interrupt/,
    asks: /May I\?[\s\S]*(Yes|proceed)/,
    yes: "y",
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
    ready: /Ask anything/,
    working: /esc (again to )?interrupt/,
    asks: /Permission required/,
    yes: "Enter",
    run: run("bash"),
    ask: run("bash"),
    edit: (file) => ({ name: "edit", input: { filePath: file, oldString: "not there", newString: "there" } }),
  },
}

/** What asked about everything was called otherwise before. */
export function dialectOf(agent: StatusAgent, version: string): Dialect {
  const asksAboutAll = agent === "claude" && !["2.1.41", "2.1.197"].includes(version)
  return asksAboutAll ? { ...DIALECTS.claude, args: ["--permission-mode", "manual"] } : DIALECTS[agent]
}

const doing = (...turns: unknown[]) => `DO: ${JSON.stringify(turns)}`

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
        return { error: { status: 500, type: "api_error", message: "scripted outage" } }
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
      bench.model.script(() =>
        ++tries === 1 ? { error: { status: 500, type: "api_error", message: "scripted outage" } } : { text: "Back." },
      )
      await terminal.submit("fail once")
      await waitFor(() => tries > 1, 60_000, "a second try")
    },
  },
  {
    name: "the model refuses",
    async happen(bench, terminal) {
      bench.model.script(() => ({ error: { status: 400, type: "invalid_request_error", message: "scripted refusal" } }))
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
      const terminal = await bench.open(...say.args)
      await terminal.waitForText(say.ready)
      bench.model.script(() => ({ hang: true }))
      await terminal.submit("think for ever")
      await bench.waitForStates(/running$/)
      process.kill(await bench.agentPid(), "SIGKILL")
      await terminal.waitForExit()
    },
  },
]

async function interrupt(bench: Workbench, terminal: Terminal, say: Dialect): Promise<void> {
  await bench.waitForStates(/running$/)
  await answer(terminal, "Escape", say.working)
}
