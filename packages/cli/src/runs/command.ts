import { createInterface } from "node:readline"
import { ChorusError, type IdeaId, type ProposalId, runs, type TaskId } from "@chorus/contracts"
import { formQuestions, isEnded } from "@chorus/core"
import { Command, InvalidArgumentError, Option } from "commander"
import { harmless, paint, printError, printJson, printTable, type Target, withTarget } from "../output.ts"
import { inWorkplace, type Workplace } from "../workplace.ts"
import { answerTo, askedBy, everyAsk, inOneLine, textOf, whichAsk } from "./asked.ts"
import { everyRun, inRun, WHICH } from "./named-run.ts"
import { entryPrinter, printRun, printRuns, timeOf, tokens } from "./printed-run.ts"

const LOOK_MS = 400
/** Its agent has seconds to end its turn and its work is kept then; a machine that takes longer than this is away. */
const STOP_MS = 30_000

interface BudgetFlags {
  readonly usd?: number
  readonly tokens?: number
  readonly turns?: number
  readonly minutes?: number
}

interface StartFlags extends Target, BudgetFlags {
  readonly program?: runs.RunProgram
  readonly work?: runs.RunWork
  readonly command?: string
  readonly model?: string
  readonly mode?: runs.RunMode
  readonly machine?: string
  readonly folder?: string
  readonly inPlace?: boolean
  readonly words?: string
}

export function runsCommand(): Command {
  return new Command("runs")
    .addCommand(startCommand())
    .addCommand(buildCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(stopCommand())
    .addCommand(interruptCommand())
    .addCommand(answerCommand())
    .addCommand(sendCommand())
    .addCommand(resumeCommand())
    .addCommand(attachCommand())
}

function startCommand(): Command {
  return withBudget(withTarget(new Command("start").description("Put an agent to work on a task or an idea.")))
    .argument("<task>", "the id of the task, or of an idea to be planned")
    .addOption(
      new Option("--program <name>", "which agent; as the project says otherwise").choices(runs.RunProgram.options),
    )
    .option(
      "--command <text>",
      "any other agent that speaks ACP: what to start, word for word as the machine allows it",
    )
    .addOption(new Option("--work <kind>", "what for").choices(runs.RunWork.options))
    .option("--model <name>", "the model, as the program calls it")
    .addOption(new Option("--mode <mode>", "how much it may do without asking").choices(runs.RunMode.options))
    .option("--machine <name>", "on which machine; any that can, if left out")
    .option("--folder <dir>", "which of the folders that the machine allows")
    .option("--in-place", "in the checkout itself instead of a worktree")
    .option("--words <text>", "said to the agent after the brief")
    .action(async (subject: string, options: StartFlags) => {
      const { command, work, model, mode, machine, folder, inPlace, words } = options
      const program = programOf(options)
      const input = { program, command, work, model, mode, machine, folder, inPlace, words, budget: budgetOf(options) }
      const row = await inWorkplace(options, async ({ call }) =>
        call("chorus_start_run", { ...(await subjectOf(call, subject)), ...input }),
      )
      printRun(row, options)
    })
}

/** Whoever says what to start has said which program. */
function programOf({ program, command }: StartFlags): runs.RunProgram | undefined {
  return program ?? (command === undefined ? undefined : "command")
}

/** A task, or else an idea, by its id. */
async function subjectOf(call: Workplace["call"], id: string): Promise<{ taskUuid: TaskId } | { ideaUuid: IdeaId }> {
  const taskUuid = id as TaskId
  try {
    await call("chorus_get_task", { taskUuid })
    return { taskUuid }
  } catch (error) {
    const ideaUuid = id as IdeaId
    const isIdea = await call("chorus_get_idea", { ideaUuid }).then(
      () => true,
      () => false,
    )
    if (isIdea) return { ideaUuid }
    throw error
  }
}

function buildCommand(): Command {
  return withBudget(withTarget(new Command("build").description("Build everything an approved proposal planned.")))
    .argument("<proposal>", "the proposal's id")
    .addOption(
      new Option("--program <name>", "which agent; as the project says otherwise").choices(runs.RunProgram.options),
    )
    .option(
      "--command <text>",
      "any other agent that speaks ACP: what to start, word for word as the machine allows it",
    )
    .option("--machine <name>", "on which machine; any that can, if left out")
    .option("--preview", "only show the order, places and budget")
    .action(async (proposal: string, options: StartFlags & { preview?: boolean }) => {
      const { command, machine, preview } = options
      const input = { proposalUuid: proposal as ProposalId, program: programOf(options), command, machine }
      await inWorkplace(options, async ({ call }) => {
        if (preview !== true) {
          const { runs: rows } = await call("chorus_build_proposal", { ...input, budget: budgetOf(options) })
          return printRuns(rows, options)
        }
        const plan = await call("chorus_preview_build", input)
        if (options.json) return printJson(plan)
        const waves = plan.waves.map((wave, at) => [String(at + 1), wave.map(({ title }) => title).join(", ")])
        printTable(["", `${plan.program}, ${plan.slots} at once`], waves)
        if (plan.obstacle !== null) process.stdout.write(`${harmless(plan.obstacle)}\n`)
      })
    })
}

function listCommand(): Command {
  return withTarget(new Command("list").description("List runs: live ones first, then newest."))
    .option("--live", "only those that have not ended")
    .option("--of <id>", "only those on this task, or on this idea and the tasks of its plans")
    .action(async ({ live, of, ...options }: Target & { live?: boolean; of?: string }) => {
      await inWorkplace(options, async ({ call }) => {
        const rows = await everyRun(call, { live, ...(of === undefined ? {} : await subjectOf(call, of)) })
        const waits = rows.some(({ state }) => state === "waiting")
        printRuns(rows, options, waits && options.json !== true ? await everyAsk(call) : [])
      })
    })
}

function showCommand(): Command {
  return withTarget(new Command("show").description("Show a run, and what its agent asks."))
    .argument("<run>", WHICH)
    .action(async (named: string, options: Target) => {
      const [row, asked] = await inRun(options, named, async (runUuid, { call }) => {
        const run = await call("chorus_get_run", { runUuid })
        return [run, await askedBy(call, run)] as const
      })
      if (options.json)
        return printJson({
          ...row,
          asked: asked.map(({ uuid, kind, title, options: choices, detail }) => ({
            uuid,
            kind,
            title,
            text: textOf(detail),
            options: choices,
            questions: formQuestions(detail),
          })),
        })
      const { usage, workMs, waitMs, ...rest } = row
      const facts = Object.entries(rest).filter(([, value]) => typeof value === "string" || typeof value === "number")
      printTable(
        ["", ""],
        [
          ...facts.map(([name, value]) => [name, String(value)]),
          ["time", timeOf({ ...rest, workMs, waitMs })],
          ["tokens", tokens(usage)],
          ...asked.flatMap(({ kind, title, options: choices, detail }) => {
            const questions = formQuestions(detail)
            const words = [...new Set([textOf(detail) ?? title, ...(questions.length === 0 ? [title] : [])])]
            return [
              [`asks (${kind})`, [...words, choices.join(" | ")].filter(Boolean).join("  ")],
              ...questions.map((question, at) => [`  ${at + 1}`, inOneLine(question)]),
            ]
          }),
        ],
      )
    })
}

function stopCommand(): Command {
  return withTarget(new Command("stop").description("Stop a run; its worktree and its task stay as they are."))
    .argument("[run]", WHICH)
    .option("--all", "every run that has not ended")
    .action(async (named: string | undefined, { all, ...options }: Target & { all?: boolean }) => {
      if ((named === undefined) !== (all === true))
        throw new ChorusError("invalid_input", "Say which run to stop, or --all.", {
          next: "`chorus runs list --live` shows those that have not ended.",
        })
      if (named === undefined) {
        const { stopped } = await inWorkplace(options, ({ call }) => call("chorus_stop_runs", {}))
        if (options.json) return printJson({ stopped })
        return void process.stdout.write(`${stopped === 1 ? "1 run is" : `${stopped} runs are`} told to stop.\n`)
      }
      const row = await inRun(options, named, async (runUuid, { call }) => {
        await call("chorus_stop_run", { runUuid })
        return ended(call, runUuid)
      })
      printRun(row, options)
      if (!isEnded(row.state) && options.json !== true)
        process.stdout.write("It stops as soon as its machine hears of it.\n")
    })
}

/** The run once its machine has ended it; as it stands where that takes too long. */
async function ended(call: Workplace["call"], runUuid: string): Promise<runs.RunRow> {
  const latest = Date.now() + STOP_MS
  for (;;) {
    const row = await call("chorus_get_run", { runUuid })
    if (isEnded(row.state) || Date.now() > latest) return row
    await new Promise((wake) => setTimeout(wake, LOOK_MS))
  }
}

function interruptCommand(): Command {
  return withTarget(
    new Command("interrupt").description(
      "End what the agent is doing now; it goes on with what was said, or waits for words.",
    ),
  )
    .argument("<run>", WHICH)
    .action(async (named: string, options: Target) =>
      printRun(await inRun(options, named, (runUuid, { call }) => call("chorus_interrupt_run", { runUuid })), options),
    )
}

function answerCommand(): Command {
  return withTarget(new Command("answer").description("Answer what a run's agent asks."))
    .argument("<run>", WHICH)
    .argument(
      "<words...>",
      "yes or no to a permission, with words to a no if you like; else the answer, to several questions each in its own quotes",
    )
    .addOption(new Option("--remember <reach>", "say yes to the same call again").choices(["run", "project"]))
    .option("--ask <uuid>", "which question, where it asked several")
    .action(async (named: string, words: string[], options: Target & { remember?: string; ask?: string }) => {
      const row = await inRun(options, named, async (runUuid, { call }) => {
        const run = await call("chorus_get_run", { runUuid })
        const asked = await askedBy(call, run)
        const [ask, ...more] = asked.filter(({ uuid }) => options.ask === undefined || uuid.startsWith(options.ask))
        if (ask === undefined || more.length > 0) throw whichAsk(asked)
        const answer = answerTo(ask, words, options.remember)
        await call("chorus_answer_attention", { attentionUuid: ask.uuid, answer })
        return call("chorus_get_run", { runUuid })
      })
      printRun(row, options)
      if (options.json !== true) process.stdout.write("Your answer was given to it.\n")
    })
}

function sendCommand(): Command {
  return withTarget(new Command("send").description("Say something to a run."))
    .argument("<run>", WHICH)
    .argument("<text...>")
    .action(async (named: string, words: string[], options: Target) => {
      const text = words.join(" ")
      const row = await inRun(options, named, (runUuid, { call }) => call("chorus_send_to_run", { runUuid, text }))
      printRun(row, options)
      if (options.json !== true) process.stdout.write(`${SENT[row.state] ?? "It was told that."}\n`)
    })
}

const SENT: Partial<Record<runs.RunState, string>> = {
  queued: "It hears that when it begins.",
  starting: "It hears that when it begins.",
}

function resumeCommand(): Command {
  return withBudget(withTarget(new Command("resume").description("Take up a run again that has ended.")))
    .argument("<run>", WHICH)
    .argument("[text...]", "what to say to it")
    .action(async (named: string, text: string[], options: Target & BudgetFlags) => {
      const more = { ...(text.length === 0 ? {} : { text: text.join(" ") }), budget: budgetOf(options) }
      const row = await inRun(options, named, (runUuid, { call }) => call("chorus_resume_run", { runUuid, ...more }))
      printRun(row, options)
    })
}

/** Limits of the run's own, beside those of its project. */
function withBudget(command: Command): Command {
  return command
    .option("--usd <amount>", "how much money it may use; Codex, Qwen Code and Gemini CLI tell no cost", amount)
    .option("--tokens <number>", "how many tokens", amount)
    .option("--turns <number>", "how many turns", amount)
    .option("--minutes <number>", "how long it may be at work", amount)
}

function amount(text: string): number {
  const value = Number(text)
  if (text.trim() !== "" && value >= 0) return value
  throw new InvalidArgumentError("Give a number.")
}

function budgetOf({ usd, tokens: most, turns, minutes }: BudgetFlags) {
  const budget = { usd, tokens: most, turns, minutes }
  return Object.values(budget).every((limit) => limit === undefined) ? undefined : budget
}

function attachCommand(): Command {
  return withTarget(new Command("attach").description("Watch a run live; each line you type is said to it."))
    .argument("<run>", WHICH)
    .action((named: string, options: Target) =>
      inRun(options, named, async (runUuid, workplace) => {
        const typed = createInterface({ input: process.stdin })
        const json = options.json === true
        const said: Promise<unknown>[] = []
        typed.on("line", (text) => {
          if (text.trim() === "") return
          said.push(
            workplace.call("chorus_send_to_run", { runUuid, text }).catch((error: unknown) => printError(error, json)),
          )
        })
        await follow(workplace, runUuid, json)
        typed.close()
        await Promise.all(said)
        // A file has no such handle; it ends by itself.
        if ("unref" in process.stdin) process.stdin.unref()
      }),
    )
}

/** Prints what comes until the run has ended and all of it is there. */
async function follow({ call }: Workplace, runUuid: string, json: boolean): Promise<void> {
  const printed = entryPrinter()
  let after = 0
  for (;;) {
    const { state } = await call("chorus_get_run", { runUuid })
    const { entries, revision, more } = await call("chorus_get_transcript", { runUuid, after })
    after = revision
    for (const entry of entries.toSorted((a, b) => a.turn - b.turn || a.place - b.place)) {
      if (json) process.stdout.write(`${JSON.stringify(entry)}\n`)
      else {
        const text = printed(entry)
        if (text !== "") process.stdout.write(paint(entry.kind === "message" ? "reset" : "dim", text))
      }
    }
    if (isEnded(state) && !more) return void (json || process.stdout.write(`\n${paint("bold", state)}\n`))
    if (!more) await new Promise((wake) => setTimeout(wake, LOOK_MS))
  }
}
