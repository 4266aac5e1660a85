import { existsSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { Bell } from "@chorus/core"
import {
  ChorusError,
  type Relayed,
  RelayedAnswer,
  RelayedAsk,
  RelayedLetter,
  RelayedState,
  type RelayItem,
  type TeamChange,
  type TeamConfig,
} from "@chorus/contracts"
import { isNoted, readJson, readText, replaceFile } from "@chorus/disk"
import {
  appendToInbox,
  claudeConfigDir,
  refuseAnothersInbox,
  requireMember,
  safeName,
  teamGone,
  teamNames,
  teamPaths,
} from "../files/index.ts"
import { MARK } from "../protocol/authority.ts"
import { Team } from "../team.ts"
import { watchFolder, type Watching } from "../watch.ts"
import { answerAsk, clearOldAsks, dropAsk, folderOf, openAsks } from "./ask.ts"
import { awayOn, hostMachine, type HostMachine, placeOn } from "./host-machine.ts"
import { stateOf, takeState } from "./replica.ts"

const RETRY_MS = 2000
const MOST = 100

export interface RelayOptions {
  readonly root?: string | undefined
  /** Puts items on their way to another machine; on return they are safe. The same item may come again. */
  send(to: string, items: readonly RelayItem[]): Promise<void>
  /** Whether what `send` threw may be otherwise next time. */
  passes(error: unknown): boolean
}

/**
 * Keeps a team whose members live on several machines the same on each. Every machine has the team's files. What comes
 * into an inbox here is passed on to the machine on which its owner lives; it counts as read here when it is safe on its
 * way there. Roster and tasks are changed by the machine that hosts the team alone, and it tells the others what they
 * are.
 */
export class TeamRelay {
  readonly #options: RelayOptions
  readonly #root: string
  readonly #bell = new Bell()
  readonly #watching: Watching
  readonly #told = new Map<string, string>()
  readonly #running: Promise<void>
  #work: Promise<unknown> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: RelayOptions) {
    this.#options = options
    this.#root = options.root ?? claudeConfigDir()
    clearOldAsks(this.#root)
    this.#watching = watchFolder(folderOf(this.#root, "asks"), () => this.nudge())
    this.#bell.ring()
    this.#running = this.#run()
  }

  /** Something may have changed. */
  nudge(): void {
    this.#bell.ring()
  }

  /** Does what another machine sent, once for each note. */
  carryOut(relayed: Relayed, note: string): Promise<void> {
    return this.#inTurn(() => this.#carryOut(relayed, note))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#watching.close()
    clearTimeout(this.#retry)
    this.#bell.ring()
    await this.#running
    await this.#work
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#bell.heard()
      if (this.#closed) return
      await this.#inTurn(() => this.#passOn()).catch(() => this.#later())
    }
  }

  #later(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.nudge(), RETRY_MS)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #passOn(): Promise<void> {
    const teams = teamNames(this.#root).map((name) => new Team(teamPaths(this.#root, name)))
    for (const team of teams) await this.#unlessDamaged(() => this.#passOnTeam(team))
    // After the letters: who says something and then leaves is heard first.
    for (const { id, to, team, change } of openAsks(this.#root)) {
      try {
        await this.#options.send(to, [{ relay: "ask", team, id, body: { ask: change } }])
      } catch (error) {
        if (this.#options.passes(error)) throw error
        answerAsk(this.#root, id, { error: faultOf(error) })
      }
      dropAsk(this.#root, { id, to, team, change })
    }
  }

  /** One team that cannot be read keeps no other waiting. */
  async #unlessDamaged(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#options.passes(error)) throw error
      this.#later()
    }
  }

  async #passOnTeam(team: Team): Promise<void> {
    if (!existsSync(team.paths.config)) return
    const config = await team.config()
    const host = hostMachine(team.paths)
    await this.#passOnLetters(team, config, host)
    if (host === undefined) await this.#tellState(team, config)
  }

  async #passOnLetters(team: Team, { members }: TeamConfig, host: HostMachine | undefined): Promise<void> {
    for (const member of members) {
      const to = awayOn(member, host)
      const waiting = to === undefined ? [] : (await team.unread(member.name)).slice(0, MOST)
      if (to === undefined || waiting.length === 0) continue
      const items = waiting.map(({ id, entry }) => ({
        relay: "letter" as const,
        team: team.name,
        agent: member.name,
        id,
        // A mark is of this machine's making and says nothing on another.
        body: { entry: { ...entry, [MARK]: undefined } },
      }))
      await this.#options.send(to, items)
      const sent = new Set(waiting.map(({ id }) => id))
      await team.take(member.name, ({ id }) => sent.has(id))
      if (waiting.length === MOST) this.nudge()
    }
  }

  /** Tells every machine with a member, and once more the one whose last has left. */
  async #tellState(team: Team, { members }: TeamConfig): Promise<void> {
    const known = machinesOf(team)
    if (known.length === 0) return
    const now = new Set(members.flatMap((member) => awayOn(member) ?? []))
    const body = await stateOf(team.paths, await team.ledByChorus())
    const text = JSON.stringify(body)
    for (const machine of known) {
      const about = JSON.stringify([team.name, machine])
      if (this.#told.get(about) !== text)
        await this.#options.send(machine, [{ relay: "state", team: team.name, id: "state", body }])
      this.#told.set(about, text)
    }
    if (now.size < known.length) noteMachines(team, [...now])
  }

  async #carryOut({ relay, from, to }: Relayed, note: string): Promise<void> {
    const team = new Team(teamPaths(this.#root, safeName("team", relay.team)))
    if (relay.relay === "letter") return this.#takeLetter(team, relay, from, note)
    if (relay.relay === "ask") return this.#answer(team, relay, from, note)
    if (relay.relay === "state") {
      if (await takeState(team.paths, RelayedState.parse(relay.body), from, to)) return
      await this.#passOnLetters(team, await team.config(), hostMachine(team.paths))
      return team.delete({ force: true })
    }
    const answer = RelayedAnswer.parse(relay.body)
    if (answer.state !== undefined) await takeState(team.paths, answer.state, from, to)
    answerAsk(this.#root, relay.id, { result: answer.result, error: answer.error })
  }

  async #takeLetter(team: Team, { agent = "", body }: RelayItem, from: string, note: string): Promise<void> {
    const { entry } = RelayedLetter.parse(body)
    if (!existsSync(team.paths.config)) throw teamGone(team.name)
    const config = await team.config()
    const host = hostMachine(team.paths)
    const owner = config.members.find(({ name }) => name === agent)
    if (host === undefined) requireMember(config, agent)
    if (owner !== undefined && awayOn(owner, host) !== undefined)
      throw refused(`${agent} does not live on this machine.`)
    refuseAnothersInbox(config, entry.from)
    const sender = config.members.find(({ name }) => name === entry.from)
    // Each machine speaks for those who live there; for persons, who are on no roster, the host may too.
    if (sender === undefined ? host !== undefined && host.machine !== from : awayOn(sender, host) !== from)
      throw refused(`${entry.from} does not live on the machine that sent this.`)
    await appendToInbox(team.paths, agent, entry, note)
  }

  async #answer(team: Team, { id, body }: RelayItem, from: string, note: string): Promise<void> {
    const answer = await this.#changed(team, RelayedAsk.parse(body).ask, from, `${note}.change`).then(
      async (result) => ({ result, state: await stateOf(team.paths, await team.ledByChorus()) }),
      (error: unknown) => {
        if (!(error instanceof ChorusError) || error.status >= 500) throw error
        return { error: faultOf(error) }
      },
    )
    this.nudge()
    await this.#options.send(from, [{ relay: "answer", team: team.name, id, body: answer }])
    rmSync(`${note}.change`, { force: true })
  }

  /** A change that a process before this one made and could not tell of is told of, and not made again. */
  async #changed(team: Team, change: TeamChange, from: string, note: string): Promise<unknown> {
    if (!existsSync(team.paths.config) || hostMachine(team.paths) !== undefined) throw teamGone(team.name)
    const made = isNoted(note) ? basename(readText(note) ?? "", ".json").slice(basename(note).length + 1) : undefined
    if (change.change === "join" && made !== undefined) return team.member(change.member.name)
    if (made !== undefined) return team.task(made).catch(() => undefined)
    return carriedOut(team, change, from, note)
  }
}

async function carriedOut(team: Team, change: TeamChange, from: string, note: string): Promise<unknown> {
  const fromThere = async (agent: string) => {
    if (awayOn(await team.member(agent)) !== from) throw refused(`${agent} does not live on the machine that asks.`)
    return agent
  }
  switch (change.change) {
    case "look":
      return undefined
    case "join": {
      const { isActive: _, ...member } = change.member
      noteMachines(team, [...new Set([...machinesOf(team), from])])
      return team.join({ ...member, tmuxPaneId: placeOn(from) }, note)
    }
    case "leave":
      return team.leave(await fromThere(change.name))
    case "createTask":
      return team.createTask(change.task, note)
    case "updateTask":
      return team.updateTask(change.id, change.patch, note)
    case "claimTask":
      return team.claimTask(change.id, await fromThere(change.agent), change.rules, note)
    case "claimNext":
      return team.claimNext(await fromThere(change.agent), change.rules, note)
    case "releaseTasksOf":
      return team.releaseTasksOf(await fromThere(change.agent))
  }
}

/** The machines that are told how the team is: each before it has a member, and until it knows that it has none. */
function machinesOf(team: Team): string[] {
  return (readJson(machinesPath(team)) as string[] | undefined) ?? []
}

function noteMachines(team: Team, machines: readonly string[]): void {
  replaceFile(machinesPath(team), JSON.stringify(machines))
}

function machinesPath(team: Team): string {
  return join(team.paths.own, "machines.json")
}

function refused(why: string): ChorusError {
  return new ChorusError("lives_elsewhere", why, { status: 403, next: "Send it from the machine it lives on." })
}

function faultOf(error: unknown): NonNullable<RelayedAnswer["error"]> {
  const fault = error instanceof ChorusError ? error : new ChorusError("relay_failed", String(error), { status: 500 })
  return { ...fault.toBody(), status: fault.status }
}
