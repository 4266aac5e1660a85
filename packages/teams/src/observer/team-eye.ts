import { statSync } from "node:fs"
import { join } from "node:path"
import {
  ChorusError,
  TEAM_LEAD,
  TeamConfig,
  type TeamFact,
  type TeamMember,
  type TeamMemberState,
  TeamProgress,
  type TeamTask,
} from "@chorus/contracts"
import {
  allInNow,
  entriesOf,
  eraOf,
  historyFolder,
  historySince,
  fileNameOf,
  isFileName,
  readTasks,
  type Received,
  tryReadJson,
} from "../files/index.ts"
import { decidedBy, MARK } from "../protocol/authority.ts"
import { kindOf } from "../protocol/body.ts"
import { livenessOf } from "@chorus/disk"
import { dropPaneNotes, hostedSince, hostOf, memberLiveness, notePanes } from "../runtime/host-note.ts"
import { progressOf } from "../runtime/progress.ts"
import { planDeciderOf, spawnNoteOf } from "../runtime/spawn-note.ts"
import { awayOn, hostMachine } from "../relay/host-machine.ts"
import type { Team } from "../team.ts"
import { isNews, watchFolder, type Watching } from "../watch.ts"
import { Deaths, tellLead } from "./deaths.ts"
import { MemberStates, type OpenRequest, type SettledRequest, type Weight } from "./member-states.ts"
import { MergedMembers } from "./merged-members.ts"
import { taskLinks } from "./task-links.ts"

/** A fact before the time and the team are put to it. */
type Bare = TeamFact extends infer F ? (F extends TeamFact ? Omit<F, "team" | "at"> : never) : never

const REMEMBERED = 20_000
const ASKS = new Set(["plan_approval_request", "permission_request"])
const AGAIN_MS = 20
/** Nothing tells of a process that died; this is how late it may be noticed. */
const LIVENESS_MS = 1_000
const PANE_LOOKS = 30
const PROGRESS_MS = 3_000

/** What was told of a member last, and when. */
interface Told {
  readonly text: string
  readonly progressAt: string | undefined
  readonly toldAt: number
}

/** Watches one team and tells what changes, each thing once. */
export class TeamEye {
  readonly team: Team
  readonly states = new MemberStates()
  readonly #tell: (fact: TeamFact) => void
  readonly #deaths: Deaths | undefined
  readonly #watching: Watching[]
  readonly #messages = new Map<string, Set<string>>()
  readonly #members = new Map<string, Told>()
  readonly #tasks = new Map<string, string>()
  readonly #stamps = new Map<string, string>()
  readonly #panes = new Map<string, number>()
  readonly #historyRead = new Map<string, number>()
  readonly #busy = new Set<string>()
  readonly #again = new Set<string>()
  readonly #merged = new MergedMembers()
  #head = ""
  #ledByChorus = false
  #leadPermits = false
  /** Who lives on another machine: what they ask for is asked, and answered, there. */
  #away: ReadonlySet<string> = new Set()
  #closed = false

  constructor(team: Team, tell: (fact: TeamFact) => void, { tellsLeads = false } = {}) {
    this.team = team
    this.#deaths = tellsLeads ? new Deaths(team) : undefined
    this.#tell = tell
    const { directory, inboxes, tasks } = team.paths
    this.#watching = [
      watchFolder(
        directory,
        (name) => (name === undefined || name === "config.json") && this.#look("config", () => this.#lookAtConfig()),
        LIVENESS_MS,
      ),
      watchFolder(inboxes, (name) =>
        name === undefined ? this.lookAtInboxes() : isNews(name) && this.#lookAtInbox(name.slice(0, -".json".length)),
      ),
      watchFolder(historyFolder(team.paths), (name) =>
        name === undefined ? this.#lookAtHistories() : this.#lookAtHistory(name.slice(0, -".jsonl".length)),
      ),
      watchFolder(
        tasks,
        (name) => (name === undefined || isNews(name)) && this.#look("tasks", () => this.#lookAtTasks()),
      ),
    ]
  }

  /** Looks at everything once; facts that are already known are not told again. */
  async lookAround(): Promise<void> {
    await this.#lookAtConfig()
    this.#lookAtHistories()
    this.lookAtInboxes()
    await this.#lookAtConfig()
    await this.#lookAtTasks()
  }

  lookAtInboxes(): void {
    for (const agent of agentsWithInbox(this.team)) this.#lookAtInbox(agent)
  }

  /** Whether a decision made here reaches the member as one: it runs under our host, or its lead is ours. */
  decidable(member: string): boolean {
    return this.#ledByChorus || hostOf(this.team.paths, member) !== undefined
  }

  requireRequest(requestId: string, member: string): OpenRequest {
    const request = this.states.request(requestId)
    if (request?.member === member) return request
    throw new ChorusError("no_such_request", `"${member}" is not waiting for an answer to ${requestId}.`, {
      status: 404,
      next: "It may be settled already; look at the team again.",
    })
  }

  /** The team is gone, and everybody with it. */
  end(): void {
    for (const name of this.#members.keys()) this.#sayLeft(name)
    dropPaneNotes(this.team.paths)
    this.close()
    this.#tell({ fact: "team_gone", team: this.team.name, at: this.team.timestamp() })
  }

  close(): void {
    this.#closed = true
    for (const watching of this.#watching) watching.close()
  }

  /** One look at a time for each thing; a change during a look leads to one more. */
  #look(what: string, work: () => Promise<void>): void {
    if (this.#closed) return
    if (this.#busy.has(what)) return void this.#again.add(what)
    this.#busy.add(what)
    void work()
      .catch(() => undefined)
      .finally(() => {
        this.#busy.delete(what)
        if (this.#again.delete(what)) this.#look(what, work)
      })
  }

  async #lookAtConfig(): Promise<void> {
    const read = tryReadJson(this.team.paths.config)
    if (read.state === "unfinished") return this.#lookLater("config", () => this.#lookAtConfig())
    if (!TeamConfig.safeParse(read.value).success) return
    const config = read.value as TeamConfig
    const ledByChorus = await this.team.ledByChorus()
    this.#ledByChorus = ledByChorus
    this.#leadPermits = await this.team.leadPermits()
    this.#away = new Set(config.members.filter((member) => awayOn(member) !== undefined).map(({ name }) => name))
    const head = JSON.stringify([eraOf(config), config.description, config.leadSessionId, ledByChorus])
    if (head !== this.#head) {
      this.#head = head
      this.#say({
        fact: "team",
        era: eraOf(config),
        ledByChorus,
        ...(config.description === undefined ? {} : { description: config.description }),
        ...(config.leadSessionId === undefined ? {} : { leadSessionId: config.leadSessionId }),
      })
    }
    await notePanes(
      this.team.paths,
      config.members.filter((member) => this.#mayBeFound(member)),
    )
    const deaths = config.members.filter((member) => this.#hasDied(member, config))
    for (const member of config.members) this.#sayMember(member, deaths.includes(member))
    const due = this.#deaths?.due(deaths.filter(({ name }) => !this.states.isLeaving(name))) ?? []
    if (due.length > 0) this.#look("deaths", () => tellLead(this.team, due))
    for (const name of this.#members.keys())
      if (!config.members.some((member) => member.name === name)) this.#sayLeft(name)
    const merged = this.#merged.news(this.team.paths, config.members)
    for (const name of merged) this.#say({ fact: "member_left", name, branch: null })
  }

  /**
   * Reads at once, without waiting for anything: Claude Code takes a message out again within a few dozen milliseconds.
   */
  #lookAtInbox(agent: string): void {
    if (this.#closed || !isFileName(agent) || !this.#isNew(this.team.paths.inbox(agent))) return
    const messages = readable(() => allInNow(this.team.paths, agent), [])
    if (messages === undefined) {
      this.#stamps.delete(this.team.paths.inbox(agent))
      setTimeout(() => this.#lookAtInbox(agent), AGAIN_MS).unref()
      return
    }
    this.#hear(agent, messages)
  }

  /** Messages our own members took may have been in the inbox for less than a moment; they are in the history. */
  #lookAtHistory(agent: string): void {
    if (this.#closed || !isFileName(agent)) return
    const from = this.#historyRead.get(agent) ?? 0
    const { messages, bytes } = readable(() => historySince(this.team.paths, agent, from), {
      messages: [],
      bytes: from,
    })
    this.#historyRead.set(agent, bytes)
    this.#hear(agent, messages)
  }

  #lookAtHistories(): void {
    for (const name of entriesOf(historyFolder(this.team.paths))) this.#lookAtHistory(name.slice(0, -".jsonl".length))
  }

  #hear(agent: string, messages: readonly Received[]): void {
    const known = this.#messages.get(agent) ?? new Set<string>()
    const fresh = messages.filter(({ id }) => !known.has(id))
    if (fresh.length === 0) return
    const to = this.#memberWith(agent)
    for (const message of fresh) {
      known.add(message.id)
      this.#sayMessage(to, message)
    }
    this.#messages.set(agent, known.size > REMEMBERED ? new Set([...known].slice(-REMEMBERED / 2)) : known)
    this.#look("config", () => this.#lookAtConfig())
  }

  /** Whose files have this name. A member that joined a moment ago is in the roster only. */
  #memberWith(fileName: string): string {
    const has = (name: string) => fileNameOf(name) === fileName
    const roster = TeamConfig.safeParse(tryReadJson(this.team.paths.config).value).data?.members ?? []
    return [...this.#members.keys()].find(has) ?? roster.find(({ name }) => has(name))?.name ?? fileName
  }

  async #lookAtTasks(): Promise<void> {
    const { tasks: folder } = this.team.paths
    const news = [
      folder,
      ...entriesOf(folder)
        .filter(isNews)
        .map((name) => join(folder, name)),
    ].filter((path) => this.#isNew(path))
    if (news.length === 0) return
    const tasks = await readTasks(this.team.paths)
    for (const task of tasks.values()) this.#sayTask(task)
    for (const taskId of this.#tasks.keys()) {
      if (tasks.has(taskId)) continue
      this.#tasks.delete(taskId)
      this.#say({ fact: "task_removed", taskId })
    }
  }

  /** Nobody waits for what was asked: whoever it is about has left, perhaps for another of that name. */
  #isPast(member: string, { entry }: Received): boolean {
    // Read anew, as it may have joined a moment ago.
    const { data } = TeamConfig.safeParse(tryReadJson(this.team.paths.config).value)
    if (data === undefined) return false
    const known = data.members.find(({ name }) => name === member)
    if (known === undefined) return true
    // Where the host of the team is another machine, its clock said when the member joined.
    return hostMachine(this.team.paths) === undefined && Date.parse(entry.timestamp) < known.joinedAt
  }

  #sayMessage(to: string, message: Received): void {
    const { entry, id } = message
    this.#say({
      fact: "message",
      id,
      from: entry.from,
      to,
      kind: kindOf(entry.text),
      text: entry.text,
      sentAt: entry.timestamp,
      ...(entry.summary === undefined ? {} : { summary: entry.summary }),
    })
    const kind = kindOf(entry.text)
    if (ASKS.has(kind) && (this.#away.has(entry.from) || this.#isPast(entry.from, message))) return
    // Whoever asked for it has died, and its successor asks anew.
    const since = kind === "permission_request" ? hostedSince(this.team.paths, entry.from) : undefined
    if (since !== undefined && Date.parse(entry.timestamp) < since) return
    if (kind === "shutdown_request" && this.#isPast(to, message)) return
    const { opened, settled } = this.states.hear(to, message, this.#weightOf(to, message))
    if (opened !== undefined) {
      const { request, member } = opened
      this.#say({
        fact: "request",
        ...opened,
        program: spawnNoteOf(this.team.paths, member)?.program,
        decidable: request !== "shutdown" && this.decidable(member),
      })
    }
    if (settled !== undefined) this.#saySettled(settled)
  }

  #saySettled(settled: SettledRequest): void {
    this.#say({ fact: "request_settled", ...settled })
  }

  /** The same rule by which a member decides whose answer it obeys. */
  #weightOf(to: string, message: Received): Weight {
    const marked = message.entry[MARK] !== undefined && this.team.isDecision(to, message)
    const byLead = message.entry.from === TEAM_LEAD
    return {
      plan: marked || (byLead && planDeciderOf(this.team.paths, to) === "lead"),
      permission: marked || (byLead && this.#leadPermits),
      person: marked ? { by: decidedBy(message.entry) } : undefined,
    }
  }

  /** A pane is there before the program in it runs; one that is not found soon cannot be looked at from here. */
  #mayBeFound({ name, tmuxPaneId = "" }: TeamMember): boolean {
    const pane = `${tmuxPaneId} ${name}`
    const looks = this.#panes.get(pane) ?? 0
    this.#panes.set(pane, looks + 1)
    return looks < PANE_LOOKS
  }

  #hasDied(member: TeamMember, config: TeamConfig): boolean {
    if (member.name !== TEAM_LEAD) return memberLiveness(this.team.paths, member, config) === "dead"
    return config.leadProcess !== undefined && livenessOf(config.leadProcess) === "dead"
  }

  #sayMember(member: TeamMember, dead: boolean): void {
    if (dead) for (const settled of this.states.died(member.name)) this.#saySettled(settled)
    const state: TeamMemberState = dead ? "dead" : this.states.stateOf(member)
    const branch = spawnNoteOf(this.team.paths, member.name)?.worktree?.branch
    const text = JSON.stringify([member, state, branch])
    const progress = TeamProgress.safeParse(readable(() => progressOf(this.team.paths, member.name), undefined)).data
    const before = this.#members.get(member.name)
    const now = this.team.clock.now()
    // An agent may say many lines a second; the next look tells the one that then is the last.
    const quiet = before?.progressAt === progress?.at || now - (before?.toldAt ?? 0) < PROGRESS_MS
    if (before?.text === text && quiet) return
    this.#members.set(member.name, { text, progressAt: progress?.at, toldAt: now })
    this.#say({
      fact: "member",
      member,
      state,
      lead: member.name === TEAM_LEAD,
      ...(progress === undefined ? {} : { progress }),
      ...(branch === undefined ? {} : { branch }),
    })
  }

  #sayLeft(name: string): void {
    this.#members.delete(name)
    for (const settled of this.states.left(name)) this.#saySettled(settled)
    this.#say({ fact: "member_left", name })
  }

  #sayTask(task: TeamTask): void {
    const text = JSON.stringify(task)
    if (this.#tasks.get(task.id) === text) return
    this.#tasks.set(task.id, text)
    this.#say({ fact: "task", task, links: taskLinks(task) })
  }

  /** Whether a file is another than at the last look; a look at regular times then costs next to nothing. */
  #isNew(path: string): boolean {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    const stamp = stat === undefined ? "" : `${stat.ino}-${stat.size}-${stat.mtimeNs}`
    if (this.#stamps.get(path) === stamp) return false
    this.#stamps.set(path, stamp)
    return true
  }

  #lookLater(what: string, work: () => Promise<void>): void {
    setTimeout(() => this.#look(what, work), AGAIN_MS).unref()
  }

  #say(fact: Bare): void {
    if (!this.#closed) this.#tell({ ...fact, team: this.team.name, at: this.team.timestamp() } as TeamFact)
  }
}

/** What the system does not let us read says nothing until it changes; it must not end whoever watches. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

function agentsWithInbox(team: Team): string[] {
  return entriesOf(team.paths.inboxes)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isFileName)
}
