import { ChorusError, TEAM_LEAD, type TeamMember } from "@chorus/contracts"
import { Bell } from "@chorus/core"
import type { Running } from "../backends/backend.ts"
import type { Received } from "../files/index.ts"
import { bodyOf } from "../protocol/body.ts"
import { requestShutdown } from "../protocol/send.ts"
import type { Team } from "../team.ts"
import { watchFolder, type Watching } from "../watch.ts"
import { type Spawn, startMember } from "./start-member.ts"

export type LeadEvent =
  | { readonly event: "message"; readonly message: Received; readonly kind: string }
  | { readonly event: "left"; readonly name: string; readonly how: "shutdown" | "died" | "removed" }

export interface RuntimeOptions {
  readonly onEvent?: ((event: LeadEvent) => void) | undefined
}

interface ShutdownOutcome {
  readonly approved: boolean
  readonly reason: string
}

const CLOSED: ShutdownOutcome = { approved: false, reason: "The lead closed before the member answered." }

interface Waiting {
  readonly member: string
  readonly resolve: (outcome: ShutdownOutcome) => void
}

/** The lead's side of a team that Chorus leads: starts members, hears them, and sees them out. */
export class TeamRuntime {
  readonly team: Team
  readonly #running = new Map<string, Running>()
  readonly #bell = new Bell()
  readonly #waiting = new Map<string, Waiting>()
  readonly #departures = new Map<string, Promise<void>>()
  readonly #options: RuntimeOptions
  readonly #watching: Watching
  readonly #listening: Promise<void>
  #closed = false

  constructor(team: Team, options: RuntimeOptions = {}) {
    this.team = team
    this.#options = options
    this.#watching = watchFolder(team.paths.inboxes, (name) => {
      if (name === undefined || name === `${TEAM_LEAD}.json`) this.#bell.ring()
    })
    this.#listening = this.#listen()
  }

  async spawn(spawn: Spawn): Promise<TeamMember> {
    const { member, running } = await startMember(this.team, spawn)
    this.#running.set(member.name, running)
    void running.ended.then(() => this.#departing(member.name, this.#ended(member.name, running)))
    return member
  }

  running(name: string): Running {
    const running = this.#running.get(name)
    if (running !== undefined) return running
    throw new ChorusError("not_running", `"${name}" was not started by this process.`, { status: 404 })
  }

  /** Asks a member to shut down and waits for its answer; the member goes when it agrees, and stays when it refuses. */
  async shutdown(name: string, reason = ""): Promise<ShutdownOutcome> {
    const running = this.#running.get(name)
    const { request_id } = await requestShutdown(this.team, { from: TEAM_LEAD, to: name, reason })
    if (this.#closed) return CLOSED
    const answer = new Promise<ShutdownOutcome>((resolve) => this.#waiting.set(request_id, { member: name, resolve }))
    if (running === undefined) return answer
    return Promise.race([answer, running.ended.then(() => this.#answerAfterDeath(name, request_id))])
  }

  /** Ends a member without asking and takes it off the roster. */
  async remove(name: string): Promise<void> {
    const running = this.#running.get(name)
    this.#running.delete(name)
    await running?.stop()
    if (await this.team.leave(name)) this.#tell({ event: "left", name, how: "removed" })
  }

  /** Ends everything this process started; the team itself stays on disk. */
  async close(): Promise<void> {
    this.#closed = true
    this.#watching.close()
    this.#bell.ring()
    await this.#listening
    for (const { resolve } of this.#waiting.values()) resolve(CLOSED)
    this.#waiting.clear()
    const running = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(running.map((one) => one.stop()))
  }

  async #listen(): Promise<void> {
    while (!this.#closed) {
      const messages = await this.#take()
      for (const message of messages) await this.#heard(message)
      if (messages.length === 0) await this.#bell.heard()
    }
  }

  async #take(): Promise<Received[]> {
    try {
      const unread = await this.team.unread(TEAM_LEAD)
      return unread.length === 0 ? [] : await this.team.take(TEAM_LEAD)
    } catch (error) {
      // A file that cannot be read now is looked at again with the next change; a team that is gone needs no lead.
      if ((error as { code?: unknown }).code === "team_gone") this.#closed = true
      return []
    }
  }

  async #heard(message: Received): Promise<void> {
    const body = bodyOf(message.entry.text)
    this.#tell({ event: "message", message, kind: body?.type ?? "message" })
    const { from } = message.entry
    if (
      from === TEAM_LEAD ||
      (body?.type !== "shutdown_approved" && body?.type !== "shutdown_rejected") ||
      body.from !== from
    )
      return
    if (body.type === "shutdown_approved") await this.#departing(from, this.#dismiss(from))
    this.#answer(
      from,
      body.requestId,
      body.type === "shutdown_approved" ? { approved: true, reason: "" } : { approved: false, reason: body.reason },
    )
  }

  async #dismiss(name: string): Promise<void> {
    const running = this.#running.get(name)
    this.#running.delete(name)
    await running?.stop()
    // A roster that cannot be written now must not end the lead; the doctor finds who is still on it.
    await this.team.leave(name).catch(() => false)
    this.#tell({ event: "left", name, how: "shutdown" })
  }

  /** A member that ended without saying goodbye leaves no ghost on the roster and no task that nobody can take. */
  async #ended(name: string, running: Running): Promise<void> {
    if (this.#running.get(name) !== running || this.#closed) return
    this.#bell.ring()
    await this.#settled()
    if (this.#running.get(name) !== running) return
    this.#running.delete(name)
    const left = await this.team.leave(name).catch(() => false)
    if (left) this.#tell({ event: "left", name, how: "died" })
  }

  /** Lets a goodbye that is already in the inbox be read before a member counts as dead. */
  async #settled(): Promise<void> {
    const unread = await this.team.unread(TEAM_LEAD).catch(() => [])
    for (const message of unread.length === 0 ? [] : await this.#take()) await this.#heard(message)
  }

  /** Whoever learns that a member is gone finds it off the roster, whichever sign of its end came first. */
  async #answerAfterDeath(name: string, requestId: string): Promise<ShutdownOutcome> {
    await this.#settled()
    await this.#departures.get(name)
    this.#waiting.delete(requestId)
    return { approved: true, reason: "The member has ended." }
  }

  async #departing(name: string, leaving: Promise<void>): Promise<void> {
    const all = Promise.all([this.#departures.get(name), leaving]).then(() => {
      if (this.#departures.get(name) === all) this.#departures.delete(name)
    })
    this.#departures.set(name, all)
    // Not for all: a goodbye may be read in the middle of noticing the end.
    await leaving
  }

  /** Only the member that was asked answers. */
  #answer(member: string, requestId: string, outcome: ShutdownOutcome): void {
    const waiting = this.#waiting.get(requestId)
    if (waiting?.member !== member) return
    this.#waiting.delete(requestId)
    waiting.resolve(outcome)
  }

  #tell(event: LeadEvent): void {
    this.#options.onEvent?.(event)
  }
}
