import { existsSync, statSync } from "node:fs"
import { basename } from "node:path"
import { ChorusError, type PlanApprovalResponse, TEAM_LEAD, TeamPermissionMode, type TeamTask } from "@chorus/contracts"
import { Bell, toolWords } from "@chorus/core"
import type { z } from "zod"
import { openBlockers, type Received, teamGone } from "../files/index.ts"
import { bodyOf, bodyOfKind, protocolKindIn } from "../protocol/body.ts"
import { submitPlan } from "../protocol/plan.ts"
import { answerShutdown, notifyIdle, type PermissionAsk, requestPermission } from "../protocol/send.ts"
import { sentMark, sentSince } from "../protocol/sent-journal.ts"
import type { Team } from "../team.ts"
import { isNews, watchFolder, type Watching } from "../watch.ts"
import { type Driver, type PermissionAnswer, type ShutdownAnswer, type Turn, WORDLESS } from "./driver.ts"
import { framed } from "./framing.ts"
import { hostOf, removeHostNote, writeHostNote } from "./host-note.ts"
import { type PlanDecider } from "./spawn-note.ts"
import { noteProgress, type Progress, progressOf, type Sign, withSign } from "./progress.ts"

export interface MemberOptions {
  readonly team: Team
  readonly name: string
  readonly driver: Driver
  /** Starts read-only and stays so until a plan was approved. */
  readonly planModeRequired?: boolean | undefined
  readonly mode?: TeamPermissionMode | undefined
  /** Whose word on a plan counts; a person's always does, and permissions are theirs alone. */
  readonly planDecider?: PlanDecider | undefined
  /** Goes on where it was when it ended, instead of starting anew. */
  readonly resumed?: boolean | undefined
  /** Takes itself off the roster at the end; a lead that spawned it as its own pane does that itself. */
  readonly leaves?: boolean | undefined
  readonly onEvent?: ((event: MemberEvent) => void) | undefined
}

export type MemberEvent = {
  event:
    | "turn"
    | "idle"
    | "plan_submitted"
    | "plan_refused"
    | "plan_approved"
    | "shutdown_refused"
    | "shutdown"
    | "failed"
    | "team_gone"
    | "says"
  text?: string
}

type PlanAnswer = z.infer<typeof PlanApprovalResponse>

/** Runs one member: waits for messages, gives them to the driver turn by turn, and speaks the protocol around it. */
export class MemberHost {
  /** Resolves when the member has ended, for whatever reason; `failure` says when it was not a good one. */
  readonly ended: Promise<void>
  failure: unknown
  readonly #options: MemberOptions
  readonly #bell = new Bell()
  readonly #abort = new AbortController()
  readonly #watching: readonly Watching[]
  #progress: Progress
  /** The tasks that nobody could take at the last look, and those that have become free since the member was told. */
  #heldUp: readonly string[] = []
  #freed: readonly TeamTask[] = []
  #tasksChanged = true
  #tasksStamp: bigint | undefined
  #closed = false

  constructor(options: MemberOptions) {
    const host = hostOf(options.team.paths, options.name)
    if (host !== undefined && host.pid !== process.pid) {
      throw new ChorusError("already_hosted", `"${options.name}" already runs, in process ${host.pid}.`, {
        status: 409,
        next: "Shut that one down first, or join under another name.",
      })
    }
    this.#options = options
    const { costUsd, tokens, ...before } = progressOf(options.team.paths, options.name) ?? {}
    this.#progress = {
      mode: options.planModeRequired === true ? "plan" : (options.mode ?? "default"),
      ...(options.resumed === true ? before : {}),
      at: options.team.timestamp(),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(tokens === undefined ? {} : { tokens }),
    }
    const { inboxes, tasks } = options.team.paths
    const inbox = basename(options.team.paths.inbox(options.name))
    this.#watching = [
      watchFolder(inboxes, (name) => {
        if (name === undefined || name === inbox) this.#bell.ring()
      }),
      watchFolder(tasks, (name) => this.#tasksMayHaveChanged(name)),
    ]
    writeHostNote(options.team.paths, options.name)
    this.ended = this.#run()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#abort.abort()
    this.#bell.ring()
    await this.ended
  }

  async #run(): Promise<void> {
    try {
      while (!this.#closed) {
        const messages = await this.#next()
        await this.#lookAtTasks()
        if (messages.length > 0) {
          if ((await this.#handle(messages)) === "end") break
        } else if (this.#freed.length > 0) await this.#turn([], this.#offer())
        else await this.#bell.heard()
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#closed = true
      for (const watching of this.#watching) watching.close()
      removeHostNote(this.#options.team.paths, this.#options.name)
      await this.#options.driver.close?.()?.catch(() => undefined)
      // Stopped in the middle of a turn, it would stay on the roster as one that works.
      await this.#options.team.patchMember(this.#options.name, { isActive: false }).catch(() => undefined)
    }
  }

  /** Messages stay unread until they were dealt with: a host that dies in a turn gets them again. */
  async #next(): Promise<Received[]> {
    const { team, name } = this.#options
    const unread = await team.unread(name)
    if (unread.length === 0 && !existsSync(team.paths.config)) throw teamGone(team.name)
    return unread.filter(({ entry }) => bodyOf(entry.text)?.type !== "permission_response")
  }

  async #handle(messages: Received[]): Promise<"go on" | "end"> {
    // From anybody but the lead or a person it is only words, for the agent to make of them what it will.
    const shutdown = messages.find(
      (message) =>
        bodyOfKind(message.entry.text, "shutdown_request") !== undefined &&
        (message.entry.from === TEAM_LEAD || this.#options.team.isDecision(this.#options.name, message)),
    )
    const verdicts = messages.filter(({ entry }) => bodyOfKind(entry.text, "plan_approval_response") !== undefined)
    const words = messages.filter((message) => message !== shutdown && !verdicts.includes(message))
    if (words.length > 0) await this.#turn(words, framed(words))
    // Of several on one plan the one that approves it counts, as with the original.
    for (const verdict of verdicts.toSorted((one, other) => Number(approves(other)) - Number(approves(one))))
      await this.#planVerdict(verdict)
    if (shutdown === undefined) return "go on"
    return this.#shutdown(shutdown)
  }

  async #turn(messages: Received[], text: string): Promise<void> {
    const { team, name, driver } = this.#options
    const mark = sentMark(team.paths, name)
    this.#tell("turn")
    // It was idle for as long as it may have been: to be at work begins now.
    this.#note({ ...this.#progress, at: team.timestamp() })
    await team.patchMember(name, { isActive: true })
    let result = ""
    let reason = "available"
    try {
      result = await driver.turn(this.#turnOf(text, messages))
    } catch (error) {
      if (this.#closed) return
      reason = "failed"
      result = error instanceof Error ? error.message : String(error)
      this.#tell("failed", result)
      this.#note(withSign(this.#progress, { line: `failed: ${result.split("\n")[0]}` }, team.timestamp()))
    }
    if (reason === "available" && result.trim() !== "") this.#note({ ...this.#progress, said: result.trim() })
    const isPlan = this.#mode === "plan" && this.#progress.plan === undefined
    if (driver.answersInWords === true && !isPlan && reason === "available") await this.#reply(messages, result)
    if (this.#mode === "plan" && reason === "available") await this.#plan(result, mark)
    // Last, so that a host that dies before its answer is out takes the turn again: twice said is better than never.
    await this.#settle(messages)
    await team.patchMember(name, { isActive: false })
    await notifyIdle(team, name, { summary: peerSummary(team, name, mark), result, reason })
    this.#tell("idle", result)
  }

  get #mode(): TeamPermissionMode {
    return this.#progress.mode ?? "default"
  }

  #turnOf(text: string, messages: readonly Received[]): Turn {
    return {
      text,
      messages,
      mode: this.#mode,
      signal: this.#abort.signal,
      heard: (sign) => this.#heard(sign),
      permission: (ask) => this.#permission(ask),
    }
  }

  #heard(sign: Sign): void {
    const before = this.#progress.line
    this.#note(withSign(this.#progress, sign, this.#options.team.timestamp()))
    if (this.#progress.line !== undefined && this.#progress.line !== before) this.#tell("says", this.#progress.line)
  }

  #note(progress: Progress): void {
    this.#progress = progress
    noteProgress(this.#options.team.paths, this.#options.name, progress)
  }

  /** Some systems tell nothing of what happens in a folder; its own time of change then does. */
  #tasksMayHaveChanged(name: string | undefined): void {
    const stamp = statSync(this.#options.team.paths.tasks, { bigint: true, throwIfNoEntry: false })?.mtimeNs
    if (name === undefined ? stamp === this.#tasksStamp : !isNews(name)) return
    this.#tasksStamp = stamp
    this.#tasksChanged = true
    this.#bell.ring()
  }

  /** Finds the tasks that could not be taken at the last look and can be now; not for who has no tools to take them. */
  async #lookAtTasks(): Promise<void> {
    const { team, driver } = this.#options
    if (!this.#tasksChanged || driver.answersInWords === true) return
    this.#tasksChanged = false
    const tasks = new Map((await team.tasks()).map((task) => [task.id, task]))
    const free = [...tasks.values()].filter(
      (task) => task.status === "pending" && task.owner === undefined && openBlockers(tasks, task).length === 0,
    )
    const before = new Set([...this.#heldUp, ...this.#freed.map(({ id }) => id)])
    this.#freed = this.#mode === "plan" ? [] : free.filter(({ id }) => before.has(id))
    this.#heldUp = [...tasks.keys()].filter((id) => !free.some((task) => task.id === id))
  }

  #offer(): string {
    const names = this.#freed.map(({ id, subject }) => `#${id} ${JSON.stringify(subject)}`)
    this.#freed = []
    return `Free to take now: ${names.join(", ")}. Take what is for you with TaskUpdate; somebody else may be faster.`
  }

  async #reply(messages: readonly Received[], text: string): Promise<void> {
    const { team, name } = this.#options
    const roster = (await team.config()).members.map((member) => member.name)
    const to = messages.map(({ entry }) => entry.from).findLast((from) => roster.includes(from)) ?? TEAM_LEAD
    if (text.trim() !== "" && to !== name)
      await team.deliver({ from: name, to, text: protocolKindIn(text) === undefined ? text : JSON.stringify(text) })
  }

  /**
   * What was handed in during this turn, by the agent itself or now as its last words, is what a verdict must be about.
   * While a plan waits last words are no other: they may be an answer to somebody.
   */
  async #plan(lastWords: string, mark: number): Promise<void> {
    const { team, name, driver } = this.#options
    const handedIn = () => sentSince(team.paths, name, mark).findLast((note) => note.kind === "plan_approval_request")
    const inWords = this.#progress.plan === undefined && driver.plansByToolAlone !== true && lastWords.trim() !== ""
    if (inWords && handedIn() === undefined) await submitPlan(team, name, lastWords)
    const plan = handedIn()
    if (plan === undefined) return
    this.#note({ ...this.#progress, plan: plan.requestId })
    this.#tell("plan_submitted", plan.requestId)
  }

  async #planVerdict(message: Received): Promise<void> {
    const verdict = bodyOfKind(message.entry.text, "plan_approval_response") as PlanAnswer
    const counts = verdict.requestId === this.#progress.plan && this.#mayDecidePlan(message)
    if (!counts) {
      await this.#settle([message])
      return
    }
    const { plan: _, ...progress } = this.#progress
    this.#note(progress)
    if (!verdict.approved) {
      this.#tell("plan_refused", verdict.feedback ?? "")
      return this.#turn(
        [message],
        `Your plan was refused. ${verdict.feedback ?? ""}\n\nYou are still in plan mode. Change the plan and ${this.#options.driver.planTool === undefined ? "give the whole new plan as your answer" : `hand in the whole new one with ${this.#options.driver.planTool}`}.`,
      )
    }
    this.#note({ ...progress, mode: TeamPermissionMode.safeParse(verdict.permissionMode).data ?? "default" })
    this.#tell("plan_approved", this.#mode)
    return this.#turn([message], "Your plan was approved. Carry it out now.")
  }

  /** A decision comes from a person (marked), or from the lead itself where that is enough. Words of a peer never count. */
  #mayDecidePlan(message: Received): boolean {
    const { team, name, planDecider } = this.#options
    if (team.isDecision(name, message)) return true
    return planDecider !== "person" && message.entry.from === TEAM_LEAD
  }

  async #permission(ask: PermissionAsk): Promise<PermissionAnswer> {
    const { team, name } = this.#options
    const answer = await awaitPermission(team, name, await requestPermission(team, name, ask), this.#abort.signal)
    if (!answer.allowed) this.#heard({ line: `refused: ${toolWords(ask.toolName, ask.input).split("\n")[0]}` })
    return answer
  }

  async #shutdown(message: Received): Promise<"go on" | "end"> {
    const { team, name, leaves } = this.#options
    const request = bodyOfKind(message.entry.text, "shutdown_request")
    const requestId = request?.requestId ?? ""
    const mark = sentMark(team.paths, name)
    const answer = await this.#decideShutdown(message, request?.reason ?? "")
    const said = sentSince(team.paths, name, mark).find(
      (note) => note.requestId === requestId && note.kind.startsWith("shutdown_"),
    )
    if (said === undefined) await answerShutdown(team, name, requestId, answer)
    await this.#settle([message])
    if (said?.kind === "shutdown_rejected" || !answer.approve) {
      this.#tell("shutdown_refused", answer.approve ? "" : answer.reason)
      return "go on"
    }
    if (leaves !== false) await team.leave(name)
    this.#tell("shutdown")
    return "end"
  }

  async #decideShutdown(message: Received, reason: string): Promise<ShutdownAnswer> {
    const { driver } = this.#options
    if (driver.decidesInTurn !== true) return (await driver.shutdown?.(reason)) ?? { approve: true }
    try {
      await driver.turn(this.#turnOf(framed([message]), [message]))
    } catch {
      // An agent that can no longer take a turn cannot refuse either.
    }
    return { approve: true }
  }

  async #settle(messages: readonly Received[]): Promise<void> {
    const ids = new Set(messages.map((message) => message.id))
    await this.#options.team.take(this.#options.name, (message) => ids.has(message.id))
  }

  #failed(error: unknown): void {
    if ((error as { code?: unknown }).code === "team_gone") return this.#tell("team_gone")
    this.failure = error
    this.#tell("failed", error instanceof Error ? error.message : String(error))
  }

  #tell(event: MemberEvent["event"], text?: string): void {
    this.#options.onEvent?.({ event, ...(text === undefined ? {} : { text }) })
  }
}

function approves({ entry }: Received): boolean {
  return bodyOfKind(entry.text, "plan_approval_response")?.approved === true
}

/** Waits for a person's answer to a permission request. Answers without a person's mark count only where Claude Code leads. */
export async function awaitPermission(
  team: Team,
  name: string,
  requestId: string,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const bell = new Bell()
  const watching = watchFolder(team.paths.inboxes, (file) => {
    if (file === undefined || file === basename(team.paths.inbox(name))) bell.ring()
  })
  const stop = () => bell.ring()
  signal.addEventListener("abort", stop)
  try {
    const leadPermits = await team.leadPermits()
    for (;;) {
      const answers = await team.take(
        name,
        (message) => bodyOfKind(message.entry.text, "permission_response")?.request_id === requestId,
      )
      const answer = answers.find(
        (message) => team.isDecision(name, message) || (leadPermits && message.entry.from === TEAM_LEAD),
      )
      if (answer !== undefined) return permissionAnswer(answer)
      if (signal.aborted) return { allowed: false, reason: "The member was stopped before anybody answered." }
      await bell.heard()
    }
  } finally {
    signal.removeEventListener("abort", stop)
    watching.close()
  }
}

function permissionAnswer(message: Received): PermissionAnswer {
  const body = bodyOfKind(message.entry.text, "permission_response")
  if (body?.subtype === "success") return { allowed: true, input: body.response?.updated_input ?? {} }
  return { allowed: false, reason: body?.error ?? WORDLESS }
}

/** `[to bob] greeting`: the lead sees that peers talked, without the words. */
function peerSummary(team: Team, name: string, mark: number): string | undefined {
  const peer = sentSince(team.paths, name, mark).findLast((note) => note.kind === "message" && note.to !== TEAM_LEAD)
  return peer === undefined ? undefined : `[to ${peer.to}] ${peer.summary ?? ""}`.trimEnd()
}
