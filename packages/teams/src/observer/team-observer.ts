import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { ChorusError, TEAM_LEAD, TeamDecision, type TeamDelivery, type TeamFact } from "@chorus/contracts"
import { claudeConfigDir, personName, requireMember, teamNames, teamPaths } from "../files/index.ts"
import { answerPermission, answerPlan, refuseProtocolText, requestShutdown } from "../protocol/send.ts"
import { isDeadAndOurs, seeOutDead } from "../runtime/dead-member.ts"
import { WORDLESS } from "../runtime/driver.ts"
import { Team } from "../team.ts"
import { watchFolder, type Watching } from "../watch.ts"
import { TeamEye } from "./team-eye.ts"

export interface ObserverOptions {
  readonly root?: string | undefined
  /** Only these teams; all of the machine when left out. */
  readonly teams?: readonly string[] | undefined
  readonly onFact: (fact: TeamFact) => void
  /** Tells a lead in its inbox that a member has died, once, however many look. */
  readonly tellsLeads?: boolean | undefined
}

/** Watches the teams of this machine, whoever made them, and carries a person's decisions into their files. */
export class TeamObserver {
  readonly #options: ObserverOptions
  readonly #root: string
  readonly #eyes = new Map<string, TeamEye>()
  readonly #watching: Watching
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: ObserverOptions) {
    this.#options = options
    this.#root = options.root ?? claudeConfigDir()
    const lookQuietly = () => void this.look().catch(() => undefined)
    this.#watching = watchFolder(join(this.#root, "teams"), lookQuietly)
    lookQuietly()
  }

  /** Resolves when everything that is there now has been told. */
  look(): Promise<void> {
    const looked = this.#looking.then(() => this.#lookNow())
    // One look that failed must not be the last.
    this.#looking = looked.catch(() => undefined)
    return looked
  }

  /**
   * Writes what a person decided to where the member reads it; on return it is there. The caller has authenticated the person.
   * With a note, a file named by the decision's mark, it gets there once; ask `isNoted` before trying it again.
   */
  async decide(given: TeamDecision, note?: string): Promise<TeamDelivery> {
    const decision = TeamDecision.parse(given)
    await this.look()
    const eye = this.#eyes.get(decision.team)
    if (eye === undefined)
      throw new ChorusError("team_gone", `There is no team "${decision.team}" on this machine.`, { status: 404 })
    const to = decision.decision === "message" ? decision.to : decision.member
    const entryId = await carryOut(eye, decision, note)
    return { team: decision.team, to, entryId, at: eye.team.timestamp() }
  }

  close(): void {
    this.#closed = true
    this.#watching.close()
    for (const eye of this.#eyes.values()) eye.close()
    this.#eyes.clear()
  }

  async #lookNow(): Promise<void> {
    if (this.#closed) return
    const wanted = this.#options.teams
    const names = teamNames(this.#root).filter(
      (name) => (wanted === undefined || wanted.includes(name)) && existsSync(teamPaths(this.#root, name).config),
    )
    for (const [name, eye] of this.#eyes) {
      if (names.includes(name)) continue
      this.#eyes.delete(name)
      eye.end()
    }
    for (const name of names) {
      if (this.#eyes.has(name)) continue
      const { tellsLeads } = this.#options
      const eye = new TeamEye(new Team(teamPaths(this.#root, name)), (fact) => this.#tell(fact), { tellsLeads })
      this.#eyes.set(name, eye)
    }
    await Promise.all([...this.#eyes.values()].map((eye) => eye.lookAround().catch(() => undefined)))
  }

  #tell(fact: TeamFact): void {
    if (!this.#closed) this.#options.onFact(fact)
  }
}

async function carryOut(eye: TeamEye, decision: TeamDecision, note?: string): Promise<string> {
  const { team } = eye
  const config = await team.config()
  const person = personName(
    decision.by,
    config.members.map((member) => member.name),
  )
  if (decision.decision === "message") {
    requireMember(config, decision.to)
    refuseProtocolText(decision.text)
    return team.deliver({ from: person, to: decision.to, text: decision.text, summary: decision.summary, note })
  }
  const asked = config.members.find(({ name }) => name === decision.member)
  // Nobody is left to be asked; said again, because nobody heard that it was done, it is done already.
  if (decision.decision === "shutdown" && (asked === undefined || (await isDeadAndOurs(team, asked)))) {
    if (asked !== undefined) await seeOutDead(team, asked.name)
    return note === undefined ? randomUUID() : basename(note)
  }
  requireMember(config, decision.member)
  const ours = await team.ledByChorus()
  if (!eye.decidable(decision.member)) {
    throw new ChorusError(
      "lead_decides",
      `"${decision.member}" obeys its own lead, a Claude Code session; its lead decides.`,
      { status: 409, next: "Write to the lead, or decide in its window." },
    )
  }
  const options = { from: ours ? TEAM_LEAD : person, decided: decision.by, note }
  if (decision.decision === "shutdown")
    return (await requestShutdown(team, { ...options, to: decision.member, reason: decision.reason })).request_id
  const request = eye.requireRequest(decision.requestId, decision.member)
  if (decision.decision === "plan") return answerPlan(team, decision.member, decision, options)
  const { requestId } = decision
  const verdict = decision.approved
    ? { requestId, approved: true as const, updatedInput: decision.updatedInput ?? request.input ?? {} }
    : { requestId, approved: false as const, reason: decision.reason ?? WORDLESS }
  return answerPermission(team, decision.member, verdict, options)
}
