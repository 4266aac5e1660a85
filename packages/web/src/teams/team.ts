import type { LogEvent, OutputOf, TeamMemberState, teamRoom } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"
import type { TextKey } from "../i18n/language.ts"
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
  unknown: "todo",
}

export const MEMBER_LABEL: Record<TeamMemberState, TextKey> = {
  working: "teams.state.working",
  idle: "teams.state.idle",
  needsInput: "teams.state.needsInput",
  leaving: "teams.state.leaving",
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
      if (event.entityType === "team_order") return event.patch["teamUuid"] === teamUuid ? undefined : answer
      if (event.entityType !== "team" || event.entityUuid !== teamUuid) return answer
      return changed(answer, event)
    },
  }
}

export const followTeams: Follow<TeamList> = {
  apply(answer, { entityType, entityUuid, action, patch }) {
    if (entityType !== "team") return answer
    const at = answer.teams.findIndex(({ uuid }) => uuid === entityUuid)
    const known = answer.teams[at]
    if (known === undefined)
      return action === "created" ? { teams: [patch as unknown as TeamList["teams"][number], ...answer.teams] } : answer
    const member = patch["member"] as Partial<Member> | undefined
    if (member !== undefined)
      return { teams: answer.teams.with(at, { ...known, members: withMember(known.members, member) }) }
    return "goneAt" in patch
      ? { teams: answer.teams.with(at, { ...known, ...(patch as Partial<typeof known>) }) }
      : answer
  },
}

/** What a message says to a person: structured ones by their summary, the rest as written. */
export function wordsOf({ kind, text, summary }: Message): { readonly event: boolean; readonly words: string } {
  if (kind === "message") return { event: false, words: text }
  return { event: true, words: summary ?? fieldOf(text) }
}

/** Messages from or to one member; all without a choice. */
export function threadOf(messages: readonly Message[], name: string | undefined): readonly Message[] {
  return name === undefined ? messages : messages.filter(({ from, to }) => from === name || to === name)
}

function changed(answer: Team, { patch }: LogEvent): Team | undefined {
  const member = patch["member"] as Partial<Member> | undefined
  if (member !== undefined) return { ...answer, members: withMember(answer.members, member) }
  const message = patch["message"] as Message | undefined
  if (message !== undefined)
    return answer.messages.some(({ id }) => id === message.id)
      ? answer
      : { ...answer, messages: [...answer.messages, message] }
  const task = patch["task"] as Team["tasks"][number] | undefined
  if (task !== undefined) return { ...answer, tasks: withTask(answer.tasks, task) }
  if (typeof patch["removedTaskId"] === "string")
    return { ...answer, tasks: answer.tasks.filter((each) => each.task.id !== patch["removedTaskId"]) }
  return "goneAt" in patch ? { ...answer, ...(patch as Partial<Team>) } : undefined
}

function withMember(members: readonly Member[], change: Partial<Member>): Member[] {
  const known = members.find(({ name }) => name === change.name)
  if (known !== undefined) return members.map((member) => (member === known ? { ...member, ...change } : member))
  return [
    ...members,
    { name: "", state: "unknown", lead: false, agentType: null, model: null, color: null, leftAt: null, ...change },
  ]
}

function withTask(tasks: Team["tasks"], next: Team["tasks"][number]): Team["tasks"] {
  const at = tasks.findIndex(({ task }) => task.id === next.task.id)
  return at < 0 ? [...tasks, next] : tasks.with(at, next)
}

const TELLING = ["subject", "summary", "reason", "feedback", "description", "planContent", "idleReason", "error"]

/** The most telling field of a structured message; the text itself when it is not structured after all. */
function fieldOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== "object" || body === null) return text
    const name = TELLING.find((field) => typeof (body as Record<string, unknown>)[field] === "string")
    return name === undefined ? "" : String((body as Record<string, unknown>)[name])
  } catch {
    return text
  }
}
