import { teamFields, teamWords, wordsIn } from "@chorus/core"
import type { EventOf, OutputOf, TeamMemberState, teamRoom } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type Team = OutputOf<typeof teamRoom.getTeam>
export type TeamList = OutputOf<typeof teamRoom.listTeams>
export type Member = teamRoom.TeamMemberRow
export type Message = teamRoom.TeamMessageRow

export const MEMBER_TONE: Record<TeamMemberState, Tone> = {
  working: "progress",
  idle: "todo",
  needsInput: "waiting",
  leaving: "todo",
  dead: "failed",
  unknown: "todo",
}

export const MEMBER_LABEL: Record<TeamMemberState, TextKey> = {
  working: "teams.state.working",
  idle: "teams.state.idle",
  needsInput: "teams.state.needsInput",
  leaving: "teams.state.leaving",
  dead: "teams.state.dead",
  unknown: "teams.state.unknown",
}

/** The page's hues for the colours members are given. */
const HUES: Readonly<Record<string, number>> = {
  orange: 0,
  yellow: 1,
  green: 2,
  cyan: 4,
  blue: 5,
  purple: 6,
  pink: 7,
  red: 0,
}

export function hueOfMember({ color }: Pick<Member, "color">): number | undefined {
  return color === null ? undefined : HUES[color]
}

/** Keeps one team's room in step with the log. */
export function followTeam(teamUuid: string): Follow<Team> {
  return {
    apply(answer, event) {
      if (event.entityType === "team_order") return event.patch.teamUuid === teamUuid ? undefined : answer
      if (event.entityType !== "team" || event.entityUuid !== teamUuid) return answer
      return changed(answer, event)
    },
  }
}

const teamRows = followRows<TeamList>({ entity: "team", rows: "teams" })

export const followTeams: Follow<TeamList> = {
  apply(answer, event) {
    if (event.entityType !== "team") return answer
    const { member, goneAt } = event.patch
    if (member !== undefined)
      return {
        ...answer,
        teams: answer.teams.map((team) =>
          team.uuid === event.entityUuid ? { ...team, members: withMember(team.members, member) } : team,
        ),
      }
    // One that comes back appears once more.
    if (event.action === "created" && answer.teams.some(({ uuid }) => uuid === event.entityUuid))
      return {
        ...answer,
        teams: answer.teams.map((team) => (team.uuid === event.entityUuid ? { ...team, ...event.patch } : team)),
      }
    return goneAt === undefined ? answer : teamRows.apply(answer, event)
  },
}

/** What a message says to a person: structured ones by their summary, the rest as written. */
export function wordsOf({ kind, text, summary }: Message): { readonly event: boolean; readonly words: string } {
  if (kind === "message") return { event: false, words: text }
  return { event: true, words: summary ?? teamWords(text) }
}

/** What a member answered at the end of its turn, which is its own words as much as a message is. */
export function answerOf({ kind, text }: Message): string {
  return kind === "idle_notification" ? wordsIn(teamFields(text), "result") : ""
}

/** What became of something that a member asked, or was asked, and by whose word. */
export interface Decision {
  readonly request: string
  readonly tool: string
  readonly approved: boolean
  readonly how: string
  readonly by: string
  readonly reason: string
}

/** Undefined for other messages. */
export function decisionIn({ kind, text }: Message): Decision | undefined {
  if (kind !== "decision") return undefined
  const fields = teamFields(text)
  return {
    request: wordsIn(fields, "request"),
    tool: wordsIn(fields, "toolName"),
    approved: fields?.get("approved") === true,
    how: wordsIn(fields, "how"),
    by: wordsIn(fields, "by"),
    reason: wordsIn(fields, "text"),
  }
}

const OUTCOME: Readonly<Record<string, { readonly yes: TextKey; readonly no: TextKey }>> = {
  person: { yes: "teams.approvedBy", no: "teams.refusedBy" },
  lead: { yes: "teams.approvedByLead", no: "teams.refusedByLead" },
  member: { yes: "teams.agreed", no: "teams.disagreed" },
  left: { yes: "teams.closedLeft", no: "teams.closedLeft" },
  died: { yes: "teams.closedDied", no: "teams.closedDied" },
  replaced: { yes: "teams.closedReplaced", no: "teams.closedReplaced" },
}

/** Of a decision that does not name its person, and of a machine that does not tell how it came about, it says less. */
export function outcomeOf({ how, by, approved }: Decision): TextKey {
  const { yes, no } = (how === "person" && by === "" ? undefined : OUTCOME[how]) ?? {
    yes: "teams.approved",
    no: "teams.refused",
  }
  return approved ? yes : no
}

/** What a member said last: its agent's own words where they are known, else what it wrote to somebody. */
export function lastLineOf({ name, lastLine }: Member, messages: readonly Message[]): string {
  if (lastLine !== null) return lastLine
  const message = messages.findLast(({ from, kind }) => from === name && kind === "message")
  return message?.summary ?? message?.text.trim().split("\n").at(-1) ?? ""
}

const STALLED_MS = 5 * 60_000

/** How long a member that works has given no sign; undefined where that is not long. */
export function stalledFor({ state, lastAt }: Member, now: number): number | undefined {
  const silent = lastAt === null ? 0 : now - Date.parse(lastAt)
  return state === "working" && silent >= STALLED_MS ? silent : undefined
}

/** Messages from or to one member; all without a choice. */
export function threadOf(messages: readonly Message[], name: string | undefined): readonly Message[] {
  return name === undefined ? messages : messages.filter(({ from, to }) => from === name || to === name)
}

function changed(answer: Team, { patch }: EventOf<"team">): Team | undefined {
  const { member, message, task, removedTaskId, ...row } = patch
  if (member !== undefined) return { ...answer, members: withMember(answer.members, member) }
  if (message !== undefined)
    return answer.messages.some(({ id }) => id === message.id)
      ? answer
      : { ...answer, messages: [...answer.messages, message] }
  if (task !== undefined) return { ...answer, tasks: withTask(answer.tasks, task) }
  if (removedTaskId !== undefined)
    return { ...answer, tasks: answer.tasks.filter((each) => each.task.id !== removedTaskId) }
  return row.goneAt === undefined ? undefined : { ...answer, ...row }
}

const NEW_MEMBER = {
  state: "unknown",
  lead: false,
  agentType: null,
  model: null,
  color: null,
  leftAt: null,
  lastLine: null,
  lastAt: null,
  costUsd: null,
  tokens: null,
  branch: null,
} as const

function withMember(members: readonly Member[], change: Member | Pick<Member, "name" | "leftAt">): Member[] {
  const known = members.find(({ name }) => name === change.name)
  if (known === undefined) return [...members, { ...NEW_MEMBER, ...change }]
  return members.map((member) => (member === known ? { ...member, ...change } : member))
}

function withTask(tasks: Team["tasks"], next: Team["tasks"][number]): Team["tasks"] {
  const at = tasks.findIndex(({ task }) => task.id === next.task.id)
  return at < 0 ? [...tasks, next] : tasks.with(at, next)
}
