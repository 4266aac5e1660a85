import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type RunnerPolicy, type runs } from "@chorus/contracts"
import { afterFact, isEnded, QUEUED_RUN, type RunFact, type RunProgress } from "@chorus/core"
import { AcpError, ENDED, fieldsOf, textOf } from "./acp-connection.ts"
import { type AgentSession, type Asked, openSession } from "./agent-session.ts"
import { endedWithin, killGroup, memoryOf, RUN_MARK, RUNNER_MARK, sweep } from "./processes.ts"
import { admit } from "./policy.ts"
import { environmentFor, type Places, startOf } from "./programs.ts"
import { type Call, openReporter, type RunReport } from "./reporter.ts"
import { filesOf, type KeptRun, usageWith } from "./run-files.ts"
import { clean, evidenceOf, lastOf, oneLine, reasonOf, told } from "./run-words.ts"
import { cut, openTranscript } from "./transcript.ts"
import { checkpoint, factsOf, makeWorktree, type WorkFacts } from "./worktree.ts"

const QUIET_MS = 2000
const CANCEL_MS = 5000
const STDIN_MS = 3000
const TERM_MS = 2000
const WATCH_MS = 5000
const MOST_STDERR = 8000
const SECRET = /KEY|TOKEN|SECRET|PASSWORD/
/** These tell of the session, not of work that goes on. */
const IDLE_UPDATES = /^(available_commands|usage|session_info|current_mode|config_option)/

export interface RunOptions {
  readonly call: Call
  readonly kept: KeptRun
  /** The runner's own folder. */
  readonly directory: string
  /** Names this runner's processes. */
  readonly runner: string
  readonly policy: RunnerPolicy | undefined
  readonly places: Places
  readonly environment: NodeJS.ProcessEnv
  readonly mcpUrl: string
  /** Where web servers of this run may listen from. */
  readonly port: number
}

export interface SupervisedRun {
  readonly uuid: string
  /** Carries out what a person said; throws where the run is over. */
  order(order: runs.RunOrder): Promise<void>
  /** Resolves when nothing of it is left on this machine; never rejects. */
  readonly over: Promise<void>
  /** Ends the processes and leaves the run to the runner that comes next. */
  leave(): Promise<void>
}

/** Runs one agent on one task from its worktree to its report, whatever becomes of it. */
export function superviseRun(options: RunOptions): SupervisedRun {
  const { call, directory, policy } = options
  const { run } = options.kept
  const files = filesOf(directory, run.uuid)
  const started = Date.now()
  let kept = options.kept
  let progress: RunProgress = afterFact(QUEUED_RUN, { fact: "leased" })
  let child: ChildProcess | undefined
  let session: AgentSession | undefined
  let stderr = ""
  let lastSign = Date.now()
  /** The processes end, and whoever runs the run next tells of it. */
  let leaving = false
  let disowned = false
  const ended = Promise.withResolvers<void>()
  const asks = new Map<string, { readonly entry: string; readonly answered: boolean }>()
  let facts: WorkFacts | undefined
  const prompts: string[] = [...(kept.words ?? [])]
  let wake: () => void = () => undefined
  const environment = environmentFor(run.program, options.environment, policy?.environment ?? [])
  const own = Object.entries(environment).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []))
  const secrets = [run.key, ...own]
  const transcript = openTranscript({
    secrets,
    root: () => session?.id,
    now: () => new Date(),
    first: { place: kept.place, turn: kept.turn },
  })
  const reporter = openReporter({
    call,
    run,
    entries: () => transcript.changed(),
    onNotHeld: () => {
      disowned = true
      become({ fact: "stop" })
      become({ fact: "gone" })
    },
  })
  mkdirSync(files.folder, { recursive: true, mode: 0o700 })
  const frames = createWriteStream(join(files.folder, "frames.jsonl"), { flags: "a", mode: 0o600 })
  frames.on("error", () => undefined)
  files.write(kept)
  const watch = setInterval(guard, WATCH_MS)
  const over = work()

  async function work(): Promise<void> {
    try {
      await unlessEnded(start())
      while (!isEnded(progress.state)) await turn()
    } catch (error) {
      become({ fact: "failed", reason: reasonOf(error) })
      become({ fact: "gone" })
    }
    clearInterval(watch)
    await windDown()
    await finish()
  }

  async function start(): Promise<void> {
    tell({ state: "starting" })
    const { folder, mode } = admit(policy, run)
    const start = startOf(run, mode, options.places)
    const worktree =
      kept.worktree ??
      (await makeWorktree({
        runUuid: run.uuid,
        repository: folder,
        place: join(directory, "worktrees"),
        taskTitle: run.taskTitle,
        inPlace: run.inPlace,
        fetch: policy?.network === true,
        from: run.from,
      }))
    keep({ worktree })
    tell({ branch: worktree.branch, worktree: worktree.path, baseCommit: worktree.baseCommit })
    // Whoever stopped it meanwhile waits for no program, and none may start behind their back.
    if (progress.stopping || isEnded(progress.state)) return become({ fact: "gone" })
    const env = {
      ...environment,
      ...start.env,
      PORT: String(options.port),
      [RUN_MARK]: run.uuid,
      [RUNNER_MARK]: options.runner,
    }
    if (!existsSync(worktree.path)) throw new Error(`Its worktree ${worktree.path} is gone.`)
    child = spawn(start.command, start.args, { cwd: worktree.path, env, detached: true, stdio: "pipe" })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MOST_STDERR)))
    child.on("error", (error) => {
      stderr += error.message
      // One that never started does not end either.
      if (child?.pid === undefined) become({ fact: "gone", reason: error.message })
    })
    child.on("exit", () => {
      become({ fact: "gone", reason: session === undefined ? lastOf(stderr) : undefined })
      wake()
    })
    if (child.stdout === null || child.stdin === null) throw new Error("The program has no pipes.")
    session = await openSession({
      from: child.stdout,
      to: child.stdin,
      program: run.program,
      cwd: worktree.path,
      mcp: { url: options.mcpUrl, key: run.key },
      sessionId: kept.sessionId ?? run.sessionId,
      modeId: start.modeId,
      model: run.model,
      onLine: (direction, line) => {
        const room = frames.write(`${JSON.stringify({ at: Date.now(), [direction]: line })}\n`)
        if (direction === "out") return undefined
        lastSign = Date.now()
        return room ? reporter.room() : new Promise((go) => frames.once("drain", () => go()))
      },
      onUpdate: update,
      onAsk: ask,
      onSettled: settled,
      callOf: transcript.callOf,
    })
    keep({ sessionId: session.id })
    tell({ sessionId: session.id })
    become({ fact: "ready" })
    prompts.unshift(run.prompt)
  }

  /** One prompt until the agent stops, or the quiet after the last one. */
  async function turn(): Promise<void> {
    const words = prompts.shift()
    if (words === undefined) return rest()
    keep({ words: [...prompts] })
    await keepTree(`turn/${kept.turn}-before`)
    const number = transcript.turn()
    transcript.say("user", words)
    keep({ turn: number })
    become({ fact: "prompted" })
    tell({ turns: number })
    if (session === undefined) return
    try {
      const end = await unlessEnded(session.prompt(words))
      if (end === undefined) return
      addUsage(end.usage)
      become({ fact: "turn-ended", stopReason: end.stopReason, failure: end.failure })
    } catch (error) {
      // A process that goes closes its pipes first; that it is gone is told by its end.
      if (error instanceof AcpError && error.message === ENDED && child !== undefined)
        await endedWithin(child, STDIN_MS)
      const code = error instanceof AcpError ? error.code : 0
      become({ fact: "prompt-refused", code, message: reasonOf(error) })
    }
    transcript.closeCalls()
    reporter.grew()
    await keepTree(`turn/${number}`)
  }

  /** Until it has been quiet for a while, somebody says something, or it is over. */
  async function rest(): Promise<void> {
    const left = lastSign + QUIET_MS - Date.now()
    if (left <= 0) become({ fact: "quiet" })
    if (isEnded(progress.state)) return
    await new Promise<void>((go) => {
      wake = go
      setTimeout(go, left > 0 ? left : QUIET_MS)
    })
  }

  function update(sessionId: string, told: Readonly<Record<string, unknown>>): void {
    const kind = textOf(told["sessionUpdate"]) ?? ""
    if (!IDLE_UPDATES.test(kind)) lastSign = Date.now()
    if (kind === "subagent_update") {
      const state = fieldsOf(told["state"])["state"]
      if (state !== undefined) become({ fact: "child", id: textOf(told["sessionId"]) ?? "", running: state !== "idle" })
    }
    if (kind === "usage_update") {
      const { amount } = fieldsOf(told["cost"])
      if (typeof amount === "number") keep({ usage: { ...kept.usage, costUsd: amount } })
    }
    transcript.update(sessionId, told)
    reporter.grew()
  }

  function ask(asked: Asked): void {
    become({ fact: "asked", id: asked.requestId })
    const title = oneLine(asked.title).slice(0, 300) || "The agent asks"
    const entry = transcript.say("ask", asked.title, { title, status: "open", data: { kind: asked.kind } })
    asks.set(asked.requestId, { entry, answered: false })
    const detail =
      JSON.stringify(asked.detail).length > 100_000 ? { cut: cut(JSON.stringify(asked.detail), 20_000) } : asked.detail
    tell({ asks: [{ requestId: keyOf(asked.requestId), kind: asked.kind, title, detail }] })
  }

  /** Taken back by the agent, or over with its turn; an answered one has told so itself. */
  function settled(requestId: string): void {
    become({ fact: "settled", id: requestId })
    const asked = asks.get(requestId)
    if (asked === undefined || asked.answered) return
    transcript.change(asked.entry, { status: "over" })
    tell({ settled: [keyOf(requestId)] })
  }

  /** A program counts its requests anew in every process. */
  function keyOf(requestId: string): string {
    return `${started}-${requestId}`
  }

  /** Every fact goes through the one machine; what it makes of it is told. */
  function become(fact: RunFact): void {
    const before = progress
    progress = afterFact(progress, fact)
    if (progress.state !== before.state && !isEnded(progress.state))
      tell({ state: told(progress.state), reason: progress.reason })
    if (!isEnded(progress.state)) return
    ended.resolve()
    wake()
  }

  /** What the work gives, unless the run is over before it does. */
  function unlessEnded<T>(work: Promise<T>): Promise<T | undefined> {
    work.catch(() => undefined)
    return Promise.race([work, ended.promise.then(() => undefined)])
  }

  /** Kept first: whatever ends the run before its next turn, they are said when it is taken up again. */
  function sayNext(words: string): void {
    prompts.push(words)
    keep({ words: [...prompts] })
  }

  function tell(report: RunReport): void {
    reporter.tell(report)
  }

  function keep(more: Partial<KeptRun>): void {
    kept = { ...kept, place: transcript.place(), ...more }
    files.write(kept)
  }

  async function keepTree(name: string): Promise<void> {
    if (kept.worktree === undefined) return
    const commit = await checkpoint(kept.worktree, run.uuid, name).catch(() => undefined)
    if (commit !== undefined) facts = await factsOf(kept.worktree, commit).catch(() => facts)
    if (facts !== undefined) tell({ branch: facts.branch, ...(/^turn\/\d+$/.test(name) ? { tree: facts.tree } : {}) })
  }

  function addUsage(used: Partial<runs.RunUsage>): void {
    keep({ usage: usageWith(kept.usage, used) })
    tell({ usage: kept.usage })
  }

  /** The machine's own limits. */
  function guard(): void {
    if (policy === undefined || isEnded(progress.state)) return
    const minutes = (Date.now() - started) / 60_000
    const megabytes = memoryOf(RUN_MARK, run.uuid)
    const reason =
      minutes > policy.minutes
        ? `It ran longer than the ${policy.minutes} minutes this machine allows.`
        : megabytes > policy.megabytes
          ? `It took ${megabytes} MB of memory; this machine allows ${policy.megabytes}.`
          : undefined
    if (reason === undefined) return
    session?.cancel()
    become({ fact: "failed", reason })
  }

  /** In the order that lets each program end as it can, and then without asking. */
  async function windDown(): Promise<void> {
    if (child !== undefined) {
      await session?.close()
      child.stdin?.end()
      if (!(await endedWithin(child, STDIN_MS))) {
        killGroup(child.pid, "SIGTERM")
        await endedWithin(child, TERM_MS)
      }
      killGroup(child.pid, "SIGKILL")
    }
    await sweep(RUN_MARK, run.uuid)
    transcript.closeCalls()
  }

  async function finish(): Promise<void> {
    frames.end()
    await keepTree("end")
    if (leaving) return
    if (disowned) return files.write({ ...kept, over: true })
    const end: RunReport = {
      state: told(progress.state),
      reason: progress.reason,
      usage: kept.usage,
      lastWords: clean(transcript.lastWords()).slice(0, 50_000),
      ...(facts === undefined ? {} : { evidence: evidenceOf(facts, kept.worktree) }),
    }
    files.write({ ...kept, end, over: false })
    await reporter.last(end)
    files.write({ ...kept, over: true })
  }

  async function stop(): Promise<void> {
    become({ fact: "stop" })
    session?.cancel()
    if (!progress.prompting) return become({ fact: "gone" })
    setTimeout(() => become({ fact: "gone" }), CANCEL_MS).unref()
  }

  return {
    uuid: run.uuid,
    over,
    async order(order) {
      if (isEnded(progress.state))
        throw new ChorusError("run_over", "This run is over.", { status: 409, next: "Take it up again." })
      if (order.order === "stop") return stop()
      if (order.order === "interrupt") return session?.cancel()
      if (order.order === "answer") return answer(order)
      if (order.order === "set") return choose(order)
      const steered = progress.prompting && (await session?.steer(order.text)) === true
      if (steered) transcript.say("user", order.text, { status: "steered" })
      else sayNext(order.text)
      if (!steered && progress.prompting)
        transcript.say("note", `${order.by} said this for the next turn: ${order.text}`)
      reporter.grew()
      wake()
    },
    async leave() {
      leaving = true
      reporter.abandon()
      become({ fact: "stop" })
      become({ fact: "gone" })
      await over
    },
  }

  /** Model and mode of the turns to come, the mode as far as the machine allows. */
  async function choose({ model, mode, by }: runs.RunOrder & { order: "set" }): Promise<void> {
    const { modeId } = startOf(run, admit(policy, { ...run, mode: mode ?? run.mode }).mode, options.places)
    const wanted = { modeId: mode && modeId, model: model ?? null }
    const fault = (await session?.set(wanted).catch(reasonOf)) ?? ""
    transcript.say("note", `${by} chose ${[model, mode].filter(Boolean).join(", ")}. ${fault}`.trim())
    reporter.grew()
  }

  function answer({ requestId, decision, text, data, by }: runs.RunOrder & { order: "answer" }): void {
    const [open, asked] = [...asks].find(([key]) => keyOf(key) === requestId) ?? []
    if (open === undefined || asked === undefined || asked.answered) return
    asks.set(open, { ...asked, answered: true })
    transcript.change(asked.entry, { status: decision ?? "answered", text: `${by}: ${text ?? decision ?? ""}` })
    reporter.grew()
    session?.answer(open, { decision, text, data })
    if (decision === "deny" && text !== undefined && text.trim() !== "") sayNext(text)
  }
}
