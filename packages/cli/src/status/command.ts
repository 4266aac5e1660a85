import { ChorusError, StatusAgent, type StatusRow } from "@chorus/contracts"
import {
  agentsHere,
  byUrgency,
  desktopChannel,
  ensureListener,
  filesWithWrappers,
  forgetTerminal,
  isAgent,
  LINE_FORMATS,
  type LineFormat,
  isListenerKnown,
  listenerCommand,
  notifySettings,
  processTable,
  promptLine,
  readRows,
  runReported,
  screenLines,
  type Shell,
  shellCode,
  SHELLS,
  shellUndo,
  shimFolder,
  socketPath,
  statusChecks,
  tellTerminal,
  type TerminalAct,
  writeShellFile,
  writeShims,
} from "@chorus/status"
import { Argument, Command, Option } from "commander"
import { lastingProgram } from "../connect/lasting-copy.ts"
import { dataDirectory, oneLine, paint, printJson } from "../output.ts"
import { removeStatus } from "./remove-status.ts"
import { agrees } from "./agreement.ts"
import { answerTo, isShownWhole } from "./answer.ts"
import { watchScreen } from "./watch-screen.ts"

interface StatusOptions {
  json?: boolean
  watch?: boolean
  line?: LineFormat
  socket?: string
}

/** `chorus status`: what every agent on this machine is doing. */
export function statusCommand(): Command {
  const command = new Command("status")
    .option("--watch", "live view; q or Ctrl-C ends it")
    .option("--json", "print JSON")
    .addOption(new Option("--line <format>", "one short line for a prompt or status bar").choices(LINE_FORMATS))
    .option("--socket <path>", "the listener's socket (default: $CHORUS_SOCK, else one of this installation's own)")
    .addHelpText(
      "after",
      "\nThese are the agents in terminals. One that Chorus started has none: `chorus runs list` says where it stands.",
    )
    .action(showStatus)
  command
    .command("listen")
    .description("Run the listener in the foreground.")
    .option("--socket <path>", "where to listen")
    .action(listen)
  command.command("forget <terminal>").description("Take a terminal off the list.").action(forget)
  command
    .command("jump [terminal]")
    .description("Bring a terminal to the front; without a name the one that needs you most.")
    .action((terminal: string | undefined, _options: object, from: Command) =>
      tell(terminal, from, () => ({ ask: "jump" }), "brought to the front"),
    )
  command
    .command("seen [terminal]")
    .description("Say that you have seen how its turn ended; without a name, of all.")
    .action(seen)
  command
    .command("answer <terminal>")
    .description("Grant or refuse what an agent there asks for, where its program takes an answer from elsewhere.")
    .addArgument(new Argument("<answer>").choices(["yes", "no"]))
    .action((terminal: string, answer: string, _options: object, from: Command) =>
      tell(terminal, from, (row) => answerTo(row, answer === "yes"), answer === "yes" ? "granted" : "refused"),
    )
  command
    .command("doctor")
    .description("Say in order why a status may be missing.")
    .option("--json", "print JSON")
    .action(doctor)
  command
    .command("notify")
    .description(
      "Notifications when an agent needs input or finishes, for all agents or for one; alone, whether they are on.",
    )
    .addArgument(new Argument("[switch]").choices(["on", "off", "test"]))
    .argument("[agent]", "claude, codex or opencode")
    .action(notify)
  command
    .command("report")
    .description("Whether launches of an agent report, and whether it is found when started without Chorus.")
    .addArgument(new Argument("<switch>").choices(["on", "off"]))
    .argument("<agent>", "claude, codex or opencode")
    .action((to: string, agent: string) => notifySettings().turn(`report:${agentNamed(agent)}`, to === "on"))
  return command
}

/** `chorus run`: one launch of an agent that reports its status. */
export function runCommand(): Command {
  return new Command("run")
    .argument("<agent>", "claude, codex or opencode")
    .argument("[args...]", "the agent's own arguments")
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText(
      "after",
      "\nThis starts the agent in your own terminal; what stands behind its name is the agent's, --help too.\n`chorus runs start TASK` has Chorus start one on a task.",
    )
    .action(async (agent: string, args: string[]) => {
      process.exitCode = await runReported({
        agent: agentNamed(agent),
        args,
        onUnreported: sayUnreported,
      })
    })
}

/** `chorus shell-init`: wrappers first on the PATH of this shell. */
export function shellInitCommand(): Command {
  return new Command("shell-init")
    .addArgument(new Argument("[shell]", "the shell that evaluates the output").choices(SHELLS))
    .option("--file", "print a line for your shell's start-up file instead, which starts no process")
    .option("--remove", "remove the wrappers and everything the listener keeps")
    .action(shellInit)
}

async function showStatus(options: StatusOptions): Promise<void> {
  const path = options.socket ?? socketPath()
  if (options.watch === true) return watchScreen(path)
  const rows = await rowsOrNone(path)
  if (options.json === true) return printJson(rows)
  if (options.line !== undefined) return void process.stdout.write(`${promptLine(rows, options.line)}\n`)
  const size = { columns: process.stdout.columns ?? 120, rows: Number.POSITIVE_INFINITY }
  process.stdout.write(`${screenLines(rows.toSorted(byUrgency), Date.now(), size, paint).join("\n")}\n`)
}

/** No listener, nothing left of one and no agent in any terminal: that is an answer and not an error. */
async function rowsOrNone(path: string): Promise<StatusRow[]> {
  if (!isListenerKnown(path) && (await agentsOfThisHome()).length === 0) return []
  await ensureListener(path)
  return readRows(path)
}

async function agentsOfThisHome() {
  return (await agentsHere(processTable())).filter(({ environment }) => environment["HOME"] === process.env["HOME"])
}

/** Does something about a terminal; where none is named, about the one that needs a person most. */
async function tell(
  terminal: string | undefined,
  command: Command,
  act: (row: StatusRow) => TerminalAct,
  done: string,
): Promise<void> {
  const path = command.optsWithGlobals<StatusOptions>().socket ?? socketPath()
  const row = await rowOf(path, terminal)
  const told = act(row)
  if (told.ask === "answer" && told.decision === "approve" && !(await isRead(row)))
    return void process.stdout.write(`${row.terminalId}: not answered\n`)
  await tellTerminal(path, row.terminalId, told)
  const what = oneLine(row.detail ?? row.title ?? row.agent)
  process.stdout.write(`${row.terminalId} (${what}): ${done}\n`)
}

/** What the table cut is read before it is granted; a program has read `asks`. */
async function isRead(row: StatusRow): Promise<boolean> {
  if (isShownWhole(row) || !process.stdin.isTTY) return true
  process.stdout.write(`${row.asks}\n`)
  return agrees("Allow all of this?")
}

async function rowOf(path: string, terminal: string | undefined): Promise<StatusRow> {
  const rows = (await rowsOrNone(path)).toSorted(byUrgency)
  const row = terminal === undefined ? rows[0] : rowNamed(rows, terminal)
  if (row !== undefined) return row
  throw new ChorusError("terminal_gone", `There is no terminal ${terminal ?? "with an agent"}.`, {
    next: "See `chorus status`.",
    status: 404,
  })
}

/** By its name, or by as much of its beginning as tells it from the others: the table cuts long ones. */
function rowNamed(rows: readonly StatusRow[], name: string): StatusRow | undefined {
  const beginning = name.replace(/…$/, "")
  const exact = rows.find(({ terminalId }) => terminalId === name)
  const alike = rows.filter(({ terminalId }) => terminalId.startsWith(beginning))
  if (exact !== undefined || alike.length <= 1) return exact ?? alike[0]
  const names = alike.map(({ terminalId }) => terminalId).join(", ")
  throw new ChorusError("ambiguous", `${name} fits ${alike.length} terminals: ${names}.`, {
    next: "Type more of the one you mean.",
    status: 409,
  })
}

async function seen(terminal: string | undefined, _options: object, command: Command): Promise<void> {
  if (terminal !== undefined) return tell(terminal, command, () => ({ ask: "seen" }), "seen")
  const path = command.optsWithGlobals<StatusOptions>().socket ?? socketPath()
  const unread = (await rowsOrNone(path)).filter((row) => row.unread)
  for (const { terminalId } of unread) await tellTerminal(path, terminalId, { ask: "seen" })
}

async function listen(_options: object, command: Command): Promise<void> {
  const { socket } = command.optsWithGlobals<StatusOptions>()
  const argv = await listenerCommand(socket ?? socketPath())
  process.execve?.(argv[0], argv)
}

async function forget(terminal: string, _options: object, command: Command): Promise<void> {
  const path = command.optsWithGlobals<StatusOptions>().socket ?? socketPath()
  const { terminalId } = await rowOf(path, terminal)
  await forgetTerminal(path, terminalId)
  process.stdout.write(`${terminalId}: off the list\n`)
}

async function doctor(_options: object, command: Command): Promise<void> {
  const checks = await statusChecks()
  if (checks.some((check) => !check.ok)) process.exitCode = 1
  if (command.optsWithGlobals<StatusOptions>().json === true) return printJson(checks)
  for (const check of checks) {
    process.stdout.write(`${check.ok ? paint("green", "✓") : paint("red", "✗")} ${check.name}: ${check.found}\n`)
    if (check.fix !== undefined) process.stdout.write(`  ${paint("dim", check.fix)}\n`)
  }
}

async function notify(to: string | undefined, agent: string | undefined): Promise<void> {
  const channel = desktopChannel()
  if (to !== "test") return turnNotifications(channel.name, to, agent === undefined ? undefined : agentNamed(agent))
  const delivered = await channel.deliver({
    terminalId: "test",
    kind: "finished",
    title: "Chorus",
    body: "This is how it looks when an agent calls you.",
  })
  if (!delivered)
    throw new ChorusError("not_delivered", "This system's notification service did not take the message.", {
      next: "Install notify-send (libnotify) on Linux, or allow notifications for your terminal on macOS.",
    })
}

async function turnNotifications(channel: string, to: string | undefined, agent: StatusAgent | undefined) {
  const settings = notifySettings()
  if (to !== undefined) await settings.turn(agent === undefined ? channel : `${channel}:${agent}`, to === "on")
  const differing = StatusAgent.options.filter((one) => settings.isOn(channel, one) !== settings.isOn(channel))
  for (const one of [agent, ...(to === undefined && agent === undefined ? differing : [])])
    process.stdout.write(
      `Notifications${one === undefined ? "" : ` about ${one}`} are ${settings.isOn(channel, one) ? "on" : "off"}.\n`,
    )
}

async function shellInit(shell: Shell | undefined, options: { file?: boolean; remove?: boolean }): Promise<void> {
  const folder = shimFolder()
  if (options.remove === true) {
    await removeStatus()
    for (const file of filesWithWrappers(process.env))
      process.stderr.write(
        `${file} still reads the wrappers: take the line with "shell-init" or "/shims-" out of it.\n`,
      )
    if (shell !== undefined) process.stdout.write(shellUndo(shell, folder))
    return
  }
  if (shell === undefined)
    throw new ChorusError("shell_missing", "Which shell is this for?", {
      next: `eval "$(chorus shell-init bash)", or zsh, or: chorus shell-init fish | source`,
    })
  writeShims(folder, [process.execPath, lastingProgram(dataDirectory())])
  process.stdout.write(options.file === true ? `${writeShellFile(shell, folder)}\n` : shellCode(shell, folder))
}

export function sayUnreported(reason: string): void {
  process.stderr.write(`chorus: no status for this launch: ${reason}\n`)
}

export function agentNamed(name: string) {
  if (isAgent(name)) return name
  throw new ChorusError("unknown_agent", `"${name}" is not an agent Chorus knows.`, {
    next: "Name claude, codex or opencode.",
  })
}
