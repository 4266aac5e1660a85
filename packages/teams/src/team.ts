import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import {
  ChorusError,
  TEAM_LEAD,
  type TeamChange,
  type TeamConfig,
  type TeamEra,
  type TeamMember,
} from "@chorus/contracts"
import { replaceFile } from "@chorus/disk"
import {
  addMember,
  allIn,
  appendToInbox,
  claimNext,
  type ClaimRules,
  claimTask,
  claudeConfigDir,
  createConfig,
  createTask,
  eraOf,
  teamFileFault,
  getTask,
  historyOf,
  idOf,
  listTasks,
  type NewMember,
  type NewTask,
  openInbox,
  patchMember,
  readConfig,
  type Received,
  refuseLinks,
  releaseTasksOf,
  removeMember,
  removeTeam,
  refuseAnothersInbox,
  requireMember,
  safeName,
  takeFromInbox,
  type TaskPatch,
  teamPaths,
  type TeamPaths,
  unreadIn,
  updateTask,
} from "./files/index.ts"
import { forgetProcesses } from "./runtime/host-note.ts"
import { dropProgress } from "./runtime/progress.ts"
import { dropSpawnNote } from "./runtime/spawn-note.ts"
import { inboxEntry } from "./protocol/entry.ts"
import { type Authority, decidedBy, MARK, marked, openAuthority } from "./protocol/authority.ts"
import { refuseOtherReader } from "./reader.ts"
import { askHost } from "./relay/ask.ts"
import { hostMachine } from "./relay/host-machine.ts"

export interface Clock {
  now(): number
}

const systemClock: Clock = { now: () => Date.now() }

export interface TeamPlace {
  /** The Claude Code configuration folder; `CLAUDE_CONFIG_DIR` or `~/.claude` when left out. */
  readonly root?: string | undefined
  readonly clock?: Clock | undefined
}

export interface NewTeam {
  readonly name: string
  readonly description?: string | undefined
  readonly leadSessionId?: string | undefined
  readonly model?: string | undefined
  readonly cwd?: string | undefined
  /** Each member that is started in a repository gets a checkout of its own. */
  readonly worktrees?: boolean | undefined
}

/** A letter before it is put into the form of the team's era. */
export interface Letter {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly summary?: string | undefined
  /** Whether the entry shows the sender's colour. */
  readonly colored?: boolean | undefined
  /** Marks the letter as a person's decision; a name says whose. */
  readonly decided?: boolean | string | undefined
  readonly timestamp?: string | undefined
  /** A file named by the letter's mark, for a letter that must arrive once though whoever sends it may be killed. */
  readonly note?: string | undefined
}

/** Makes a named team with Chorus as its lead. */
export async function createTeam(team: NewTeam, place: TeamPlace = {}): Promise<Team> {
  const paths = pathsOf(team.name, place)
  const now = (place.clock ?? systemClock).now()
  const leadSessionId = team.leadSessionId ?? randomUUID()
  const config: TeamConfig = {
    name: team.name,
    ...(team.description === undefined ? {} : { description: team.description }),
    createdAt: now,
    leadAgentId: `${TEAM_LEAD}@${team.name}`,
    leadSessionId,
    members: [
      {
        agentId: `${TEAM_LEAD}@${team.name}`,
        name: TEAM_LEAD,
        agentType: TEAM_LEAD,
        ...(team.model === undefined ? {} : { model: team.model }),
        joinedAt: now,
        tmuxPaneId: "",
        cwd: team.cwd ?? process.cwd(),
        subscriptions: [],
      },
    ],
  }
  try {
    await createConfig(paths, config)
    writeLeadMark(paths, leadSessionId)
    if (team.worktrees === true) writeFileSync(worktreesMark(paths), "", { mode: 0o600 })
    mkdirSync(paths.tasks, { recursive: true, mode: 0o700 })
    mkdirSync(paths.inboxes, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw teamFileFault(error, paths.directory)
  }
  return new Team(paths, place.clock ?? systemClock)
}

/** Opens a team that is there, whoever made it. */
export async function openTeam(name: string, place: TeamPlace = {}): Promise<Team> {
  const team = new Team(pathsOf(name, place), place.clock ?? systemClock)
  await team.config()
  return team
}

/**
 * Opens a team that another machine hosts: its files are here too from then on, and the companion keeps them the same.
 */
export async function openTeamOn(machine: string, name: string, place: TeamPlace = {}): Promise<Team> {
  const { root } = pathsOf(name, place)
  await askHost(root, { to: machine, team: name, change: { change: "look" } })
  return openTeam(name, place)
}

/** Removes what is kept of a team that another program took away; false when there is nothing. */
export function forgetTeam(name: string, place: TeamPlace = {}): boolean {
  const paths = pathsOf(safeName("team", name), place)
  if (existsSync(paths.config) || !existsSync(paths.own)) return false
  refuseLinks(paths.own)
  rmSync(paths.own, { recursive: true, force: true })
  return true
}

/** One team on this machine. Every method reads the files anew: other programs change them too. */
export class Team {
  readonly paths: TeamPaths
  readonly clock: Clock
  #authority: Authority | undefined

  constructor(paths: TeamPaths, clock: Clock = systemClock) {
    this.paths = paths
    this.clock = clock
  }

  get name(): string {
    return this.paths.team
  }

  get authority(): Authority {
    this.#authority ??= openAuthority(this.paths.root)
    return this.#authority
  }

  config(): Promise<TeamConfig> {
    return readConfig(this.paths)
  }

  async era(): Promise<TeamEra> {
    return eraOf(await this.config())
  }

  async member(name: string): Promise<TeamMember> {
    return requireMember(await this.config(), name)
  }

  /** True when Chorus made this team and is its lead. The lead of a team that Claude Code made is never spoken for. */
  async ledByChorus(): Promise<boolean> {
    return isOurs(this.paths, await this.config())
  }

  /** Whether the members are to have checkouts of their own. */
  get worktrees(): boolean {
    return existsSync(worktreesMark(this.paths))
  }

  /** Puts a letter into the recipient's inbox; on return it is there. Returns the id under which it will be read. */
  async deliver(letter: Letter): Promise<string> {
    const { to, text, decided = false } = letter
    const config = await this.config()
    const sender = config.members.find((member) => member.name === letter.from)
    for (const name of [letter.from, letter.to])
      if (!config.members.some((member) => member.name === name)) safeName("agent", name)
    for (const name of [letter.from, letter.to]) refuseAnothersInbox(config, name)
    this.#refuseFalseLead(letter.from, config)
    const entry = inboxEntry(
      eraOf(config),
      {
        from: letter.from,
        text: letter.text,
        summary: letter.summary,
        timestamp: letter.timestamp ?? this.timestamp(),
        color: letter.colored === false ? undefined : sender?.color,
        // The key is opened only for a decision: whoever may not read it may still speak.
        extra: decided === false ? undefined : marked(this.authority, { team: this.name, member: to, text }, decided),
      },
      letter.note === undefined ? randomUUID() : basename(letter.note),
    )
    await appendToInbox(this.paths, letter.to, entry, letter.note)
    return idOf(entry)
  }

  /** Refuses a name under which one would get what is for a member of another name. */
  async assertOwnInbox(name: string): Promise<void> {
    refuseAnothersInbox(await this.config(), name)
  }

  /** Refuses, for whoever would take messages under a name, to keep them from their reader. */
  async assertReader(name: string): Promise<void> {
    const config = await this.config()
    refuseOtherReader(this.paths, config, name, isOurs(this.paths, config))
  }

  unread(agent: string): Promise<Received[]> {
    return unreadIn(this.paths, agent)
  }

  inbox(agent: string): Promise<Received[]> {
    return allIn(this.paths, agent)
  }

  history(agent: string): Received[] {
    return historyOf(this.paths, agent)
  }

  async take(agent: string, wanted?: (message: Received) => boolean): Promise<Received[]> {
    return takeFromInbox(this.paths, agent, await this.era(), wanted)
  }

  /** True for a message that carries a person's mark, made for this very recipient and text. */
  isDecision(member: string, message: Received): boolean {
    const by = decidedBy(message.entry)
    return this.authority.verify({ team: this.name, member, text: message.entry.text, by }, message.entry[MARK])
  }

  /** Whether an answer to a permission in the lead's name counts: where Claude Code leads, its lead decides. */
  async leadPermits(): Promise<boolean> {
    return !(hostMachine(this.paths)?.ledByChorus ?? (await this.ledByChorus()))
  }

  /**
   * Puts a member on the roster. What still lay in an inbox of that name was for somebody who is gone; it goes to the
   * history.
   */
  async join(member: NewMember, note?: string): Promise<TeamMember> {
    const joined = await this.#changed({ change: "join", member }, () =>
      addMember(this.paths, member, this.clock.now(), note),
    )
    forgetProcesses(this.paths, joined.name)
    dropProgress(this.paths, joined.name)
    dropSpawnNote(this.paths, joined.name)
    await openInbox(this.paths, joined.name)
    await this.take(joined.name, ({ entry }) => !(Date.parse(entry.timestamp) >= joined.joinedAt))
    return joined
  }

  /** Leaves the roster and gives back unfinished tasks. */
  async leave(name: string): Promise<boolean> {
    if (name === TEAM_LEAD)
      throw new ChorusError("lead_stays", "The lead cannot leave its team.", { next: "Delete the team instead." })
    const left = await this.#changed({ change: "leave", name }, async () => {
      const removed = await removeMember(this.paths, name)
      if (removed) await releaseTasksOf(this.paths, name)
      return removed
    })
    if (left) forgetProcesses(this.paths, name)
    return left
  }

  patchMember(name: string, patch: Partial<TeamMember>): Promise<void> {
    return patchMember(this.paths, name, patch)
  }

  /**
   * Removes the team, its tasks and what we kept about it. Members that are still there make it refuse, unless forced.
   */
  async delete(options: { force?: boolean } = {}): Promise<void> {
    const config = await this.config()
    const others = config.members.filter((member) => member.name !== TEAM_LEAD)
    if (options.force !== true && !(await this.ledByChorus())) {
      throw new ChorusError(
        "not_the_lead",
        `The lead of the team "${this.name}" is not here; it removes the team in the end.`,
        { status: 403, next: "End the lead's session, or pass --force when it is gone." },
      )
    }
    if (options.force !== true && others.length > 0) {
      throw new ChorusError(
        "team_not_empty",
        `${others.map((member) => member.name).join(", ")} ${others.length === 1 ? "is" : "are"} still in the team.`,
        { status: 409, next: "Shut the members down first (`chorus team shutdown`), or pass --force." },
      )
    }
    await removeTeam(this.paths)
  }

  createTask(task: NewTask, note?: string) {
    return this.#changed({ change: "createTask", task }, () => createTask(this.paths, task, note))
  }

  updateTask(id: string, patch: TaskPatch, note?: string) {
    return this.#changed({ change: "updateTask", id, patch }, () => updateTask(this.paths, id, patch, note))
  }

  /** Only members take tasks. */
  async claimTask(id: string, agent: string, rules?: ClaimRules, note?: string) {
    await this.member(agent)
    return this.#changed({ change: "claimTask", id, agent, rules }, () => claimTask(this.paths, id, agent, rules, note))
  }

  async claimNext(agent: string, rules?: ClaimRules, note?: string) {
    await this.member(agent)
    return this.#changed({ change: "claimNext", agent, rules }, () => claimNext(this.paths, agent, rules, note))
  }

  releaseTasksOf(agent: string) {
    return this.#changed({ change: "releaseTasksOf", agent }, () => releaseTasksOf(this.paths, agent))
  }

  tasks() {
    return listTasks(this.paths)
  }

  task(id: string) {
    return getTask(this.paths, id)
  }

  timestamp(): string {
    return new Date(this.clock.now()).toISOString()
  }

  /** Makes a change here, or lets the machine that hosts the team make it. */
  async #changed<T>(change: TeamChange, here: () => Promise<T>): Promise<T> {
    const host = hostMachine(this.paths)
    if (host === undefined) return here()
    return (await askHost(this.paths.root, { to: host.machine, team: this.name, change })) as T
  }

  #refuseFalseLead(from: string, config: TeamConfig): void {
    if (from !== TEAM_LEAD || isOurs(this.paths, config)) return
    throw new ChorusError(
      "not_the_lead",
      `The lead of "${this.name}" is ${hostMachine(this.paths) === undefined ? "a Claude Code session" : "on another machine"}; nobody else writes in its name.`,
      { status: 403, next: "Send under your own name; join the team first to have one." },
    )
  }
}

function pathsOf(name: string, place: TeamPlace): TeamPaths {
  return teamPaths(place.root ?? claudeConfigDir(), name)
}

function writeLeadMark(paths: TeamPaths, leadSessionId: string): void {
  const path = leadMarkPath(paths)
  replaceFile(path, leadSessionId, { mode: 0o600 })
}

/** A team without a mark of ours is somebody else's, also when it names no session. */
function isOurs(paths: TeamPaths, config: TeamConfig): boolean {
  const mark = readLeadMark(paths)
  return mark !== undefined && mark === config.leadSessionId
}

function readLeadMark(paths: TeamPaths): string | undefined {
  try {
    return readFileSync(leadMarkPath(paths), "utf8")
  } catch {
    return undefined
  }
}

function worktreesMark(paths: TeamPaths): string {
  return join(paths.own, "worktrees")
}

function leadMarkPath(paths: TeamPaths): string {
  return join(paths.own, "lead")
}
