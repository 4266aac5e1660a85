import type { ChildProcess } from "node:child_process"
import type { RunnerPolicy, runs } from "@chorus/contracts"
import { afterFact, Bell, isEnded, QUEUED_RUN, type RunFact, type RunProgress } from "@chorus/core"
import { AcpError, ENDED, fieldsOf, textOf } from "./acp-connection.ts"
import { type AgentSession, isWithoutTools, isWorkToldBy, openSession } from "./agent-session.ts"
import { openAsks } from "./asks.ts"
import { openCgroup } from "./cgroup.ts"
import { isOfImage } from "./enclosure.ts"
import { openFrames } from "./frames.ts"
import { openGuard } from "./guard.ts"
import { closeWorkshop, endProgram, launch, type LaunchOptions, openWorkshop, type Workshop } from "./launch.ts"
import { endedAndHeard, endedWithin, RUN_MARK, RUNNER_MARK } from "./processes.ts"
import { admit } from "./policy.ts"
import { environmentFor, startOf } from "./programs.ts"
import { redaction, secretsIn } from "./redaction.ts"
import { openReporter, type RunReport } from "./reporter.ts"
import { countedAnew, filesOf, type KeptRun, spentBy, usageWith } from "./run-files.ts"
import { assertEnd, clean, evidenceOf, justEnded, lastOf, reasonOf, told } from "./run-words.ts"
import { openTrees } from "./shown-work.ts"
import { cut, openTranscript } from "./transcript.ts"
import { openWordsAhead } from "./words-ahead.ts"
import type { Workbench } from "./workbench.ts"

const QUIET_MS = 2000
const CANCEL_MS = 5000
const CLOSING_MS = 3000
const MOST_STDERR = 8000
const LONGEST_NOTE = 16_000

export interface RunOptions extends Workbench {
  readonly kept: KeptRun
  /** What to say to an agent that has heard the brief already. */
  readonly again?: string | undefined
  readonly policy: RunnerPolicy | undefined
  readonly mcpUrl: (work: runs.RunWork) => string
  /** Where web servers of this run may listen from. */
  readonly port: number
}

export interface SupervisedRun {
  readonly uuid: string
  /** Carries out what a person said; throws where the run is over, save that words are kept for when it goes on. */
  order(order: runs.RunOrder, mark: string): Promise<void>
  /** Resolves when nothing of it is left on this machine; never rejects. */
  readonly over: Promise<void>
  /** Ends the processes and leaves the run to the runner that comes next. */
  leave(): Promise<void>
}

/** Runs one agent on one task from its worktree to its report, whatever becomes of it. */
export function superviseRun(options: RunOptions): SupervisedRun {
  const { call, data, directory, policy, places } = options
  const { run } = options.kept
  const files = filesOf(directory, run.uuid)
  let kept = options.kept
  let progress: RunProgress = afterFact(QUEUED_RUN, { fact: "leased" })
  let child: ChildProcess | undefined
  /** Resolves when it has ended, and that is known here. */
  let gone: Promise<void> | undefined
  let session: AgentSession | undefined
  let workshop: Workshop | undefined
  let firstTree: Promise<void> | undefined
  /** The tree is as the last turn left it: nobody had time to change it since that was kept. */
  let untouched = false
  let stderr = ""
  let lastSign = Date.now()
  /** The processes end, and whoever runs the run next tells of it. */
  let leaving = false
  let disowned = false
  const ended = Promise.withResolvers<void>()
  /** A person ends this turn: what they say next is for another. */
  let interrupted = false
  const bell = new Bell()
  const environment = {
    ...environmentFor(run.program, options.environment, policy?.environment ?? []),
    PORT: String(options.port),
    [RUN_MARK]: run.uuid,
    [RUNNER_MARK]: options.runner,
  }
  const redact = redaction([run.key, ...secretsIn(environment)])
  const transcript = openTranscript({
    redact,
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
  const { tell } = reporter
  const frames = openFrames(files.folder)
  files.write(kept)
  const isEnding = () => progress.stopping || isEnded(progress.state)
  const isOurs = () => !leaving && !disowned
  const trees = openTrees({ call, run, worktree: () => kept.worktree, transcript, tell, isOurs })
  const ahead = openWordsAhead({
    earlier: kept.words ?? [],
    transcript,
    session: () => session,
    mayHear: () => progress.prompting && !interrupted && !isEnding(),
    isBusy: () => progress.prompting || isEnding(),
    keep: (words) => keep({ words }),
  })
  const asks = openAsks({ transcript, session: () => session, tell, sayNext: ahead.add })
  const cgroup = openCgroup(options.cgroup, run.uuid)
  const guard = policy && openGuard(policy, run.uuid, breakOff, () => progress.state === "waiting")
  const launching: LaunchOptions = {
    run,
    directory,
    data,
    folder: files.folder,
    policy,
    places,
    env: environment,
    note,
    waits: (reason) => tell({ reason }),
    over: isEnding,
  }
  const over = work()

  async function work(): Promise<void> {
    try {
      await unlessEnded(start())
      while (!isEnded(progress.state)) await turn()
    } catch (error) {
      await lastBreath(error)
      become({ fact: "failed", reason: reasonOf(error) })
      become({ fact: "gone" })
    }
    guard?.end()
    await session?.close()
    await endProgram(child, cgroup, run.uuid)
    transcript.closeCalls()
    await finish()
  }

  async function start(): Promise<void> {
    tell({ state: "starting" })
    const opened = await openWorkshop(kept.worktree, launching)
    // Whoever stopped it meanwhile waits for no program, and none may start behind their back.
    if (opened === undefined || launching.over()) {
      await closeWorkshop(opened)
      return become({ fact: "gone" })
    }
    workshop = opened
    const { worktree, start } = workshop
    keep({ worktree })
    tell({ branch: worktree.branch, worktree: worktree.path, baseCommit: worktree.baseCommit, reason: null })
    // Both take their time, and neither needs the other.
    firstTree = trees.keep(`turn/${kept.turn}-before`)
    child = launch(workshop, cgroup, launching)
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MOST_STDERR)))
    child.on("error", (error) => {
      stderr += error.message
      // One that never started does not end either.
      if (child?.pid === undefined) become({ fact: "gone", reason: error.message })
    })
    gone = endedAndHeard(child).then(() => {
      become({ fact: "gone", reason: session === undefined ? lastOf(stderr) : undefined })
      bell.ring()
    })
    if (child.stdout === null || child.stdin === null) throw new Error("The program has no pipes.")
    session = await openSession({
      from: child.stdout,
      to: child.stdin,
      program: run.program,
      cwd: worktree.path,
      mcp: { url: options.mcpUrl(run.work ?? "build"), key: run.key },
      sessionId: kept.sessionId ?? run.sessionId,
      // Then there is the whole brief to begin with.
      orAnew: options.again !== undefined && run.sessionId === null,
      modeId: start.modeId,
      model: run.model,
      onLine: (direction, line) => {
        const room = frames.add(direction, redact(line))
        if (direction === "out") return undefined
        guard?.heard(line.length)
        lastSign = Date.now()
        return room ?? reporter.room()
      },
      signIn,
      onUpdate: update,
      onAsk(asked) {
        become({ fact: "asked", id: asked.requestId })
        asks.ask(redact(asked))
      },
      onSettled(requestId) {
        become({ fact: "settled", id: requestId })
        asks.settled(requestId)
      },
      callOf: transcript.callOf,
    })
    keep({ sessionId: session.id, ...(session.isNew ? countedAnew(kept) : {}) })
    tell({ sessionId: session.id })
    become({ fact: "ready" })
    // What people said before it stopped is heard at once with what it goes on with, in the order it was said in.
    const parts = run.parts ?? [run.prompt]
    ahead.begin(session.isNew || options.again === undefined ? parts : [options.again], session.isNew)
  }

  /** One prompt until the agent stops, or the quiet after the last one. */
  async function turn(): Promise<void> {
    const words = ahead.next()
    if (words === undefined) return rest()
    interrupted = false
    keep({ words: ahead.all(), prompted: true })
    if (!untouched) await (firstTree ?? trees.keep(`turn/${kept.turn}-before`))
    firstTree = undefined
    const number = transcript.turn()
    for (const text of words) transcript.say("user", text)
    keep({ turn: number })
    become({ fact: "prompted" })
    tell({ turns: number })
    if (session === undefined) return
    try {
      const end = await unlessEnded(session.prompt(words.join("\n\n")))
      if (end === undefined) return
      keep({ usage: usageWith(kept.usage, end.usage) })
      tell({ usage: kept.usage })
      become({ fact: "turn-ended", stopReason: end.stopReason, failure: end.failure })
    } catch (error) {
      await lastBreath(error)
      const code = error instanceof AcpError ? error.code : 0
      become({ fact: "prompt-refused", code, message: reasonOf(error) })
    }
    transcript.closeCalls()
    reporter.grew()
    await trees.keep(`turn/${number}`)
    untouched = true
  }

  /** A process that goes closes its pipes first; that it is gone, and what it said last, is told by its end. */
  async function lastBreath(error: unknown): Promise<void> {
    if (!(error instanceof AcpError) || error.message !== ENDED || child === undefined) return
    if (await endedWithin(child, CLOSING_MS)) await gone
  }

  /** Until it has been quiet for a while, somebody says something, or it is over. */
  async function rest(): Promise<void> {
    untouched = false
    const left = lastSign + QUIET_MS - Date.now()
    if (left <= 0 && !ahead.isSaying()) become({ fact: "quiet" })
    if (isEnded(progress.state)) return
    await bell.heard(left > 0 ? left : QUIET_MS)
  }

  function update(sessionId: string, told: Readonly<Record<string, unknown>>): void {
    const kind = textOf(told["sessionUpdate"]) ?? ""
    if (isWorkToldBy(kind)) lastSign = Date.now()
    const { state } = kind === "subagent_update" ? fieldsOf(told["state"]) : {}
    if (state !== undefined) become({ fact: "child", id: textOf(told["sessionId"]) ?? "", running: state !== "idle" })
    if (kind === "usage_update") spend(fieldsOf(told["cost"])["amount"])
    transcript.update(sessionId, told)
    if (isWithoutTools(told))
      note("Chorus", "The program does not reach Chorus's tools and works without them.", "failed")
    reporter.grew()
    if (kind !== "tool_call_update") return
    trees.nudge()
    void ahead.say().then(() => reporter.grew())
  }

  /** The program opens no conversation before somebody has signed in to it; it is asked again when they say something. */
  async function signIn(refused: AcpError): Promise<void> {
    become({ fact: "prompt-refused", code: refused.code, message: reasonOf(refused) })
    const said = ahead.all().length
    while (ahead.all().length === said && !isEnding()) await bell.heard(QUIET_MS)
    if (isEnding()) throw refused
  }

  /** What is gone is judged while the turn goes on, not too late. */
  function spend(counted: unknown): void {
    // Nothing is spent before a conversation is there, and only then it is known whose count that is.
    const spent = session === undefined ? undefined : spentBy(kept, counted)
    if (spent === undefined) return
    keep(spent)
    tell({ usage: kept.usage })
  }

  function note(title: string, text: string, status: string): (text: string, status: string) => void {
    const entry = transcript.say("note", cut(clean(text), LONGEST_NOTE), { title, status })
    reporter.grew()
    return (then, now) => {
      transcript.change(entry, { text: cut(clean(then), LONGEST_NOTE), status: now })
      reporter.grew()
    }
  }

  /** Every fact goes through the one machine; what it makes of it is told. */
  function become(fact: RunFact): void {
    const before = progress
    progress = afterFact(progress, fact)
    if (progress.state !== before.state && !isEnded(progress.state))
      tell({ state: told(progress.state), reason: progress.reason })
    if (!isEnded(progress.state)) return
    ended.resolve()
    bell.ring()
  }

  /** What the work gives, unless the run is over before it does. */
  function unlessEnded<T>(work: Promise<T>): Promise<T | undefined> {
    work.catch(() => undefined)
    return Promise.race([work, ended.promise.then(() => undefined)])
  }

  function keep(more: Partial<KeptRun>): void {
    kept = { ...kept, place: transcript.place(), ...more }
    files.write(kept)
  }

  /** A limit of the machine's own was broken. */
  function breakOff(reason: string): void {
    session?.cancel()
    become({ fact: "failed", reason })
  }

  async function finish(): Promise<void> {
    frames.end()
    await trees.keep("end")
    const facts = await trees.facts()
    await closeWorkshop(workshop)
    if (leaving) return
    if (disowned) return keep({ over: true })
    const end: RunReport = {
      state: told(progress.state),
      reason: redact(progress.reason),
      usage: kept.usage,
      lastWords: clean(transcript.lastWords()).slice(0, 50_000),
      ...(kept.heard === undefined ? {} : { heard: kept.heard }),
      ...(facts === undefined ? {} : { evidence: evidenceOf(facts, kept.worktree, transcript.commands()) }),
    }
    keep({ end })
    await reporter.last(end)
    keep({ over: true })
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
    async order(order, mark) {
      if (kept.heard === mark) return
      // One that ended by itself is taken up again by the server with words that come now.
      if (progress.state === "finished" && order.order === "send") throw justEnded()
      // Words that come while it is stopped or breaks off are kept for when somebody takes it up again.
      if (isEnded(progress.state) && order.order !== "send") return assertEnd(order)
      if (order.order === "stop") {
        if (!progress.stopping) transcript.say("note", `${order.by} stopped it.`)
        return stop()
      }
      if (order.order === "interrupt") {
        keep({ heard: mark })
        interrupted = true
        transcript.say("note", `${order.by} interrupted it.`)
        reporter.grew()
        return session?.cancel()
      }
      if (order.order === "answer") {
        asks.answer(order)
        return reporter.grew()
      }
      if (order.order === "set") return choose(order)
      kept = { ...kept, heard: mark }
      await ahead.hear(order.by, order.text)
      reporter.grew()
      bell.ring()
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
    const { mode: most } = admit(policy, { ...run, mode: mode ?? run.mode })
    const { modeId } = startOf(run, most, { ...places, ofImage: isOfImage(policy) })
    const wanted = { modeId: mode && modeId, model: model ?? null }
    const fault = (await session?.set(wanted).catch(reasonOf)) ?? ""
    transcript.say("note", `${by} chose ${[model, mode].filter(Boolean).join(", ")}. ${fault}`.trim())
    reporter.grew()
  }
}
