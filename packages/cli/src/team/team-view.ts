import {
  TEAM_LEAD,
  type TeamFact,
  type TeamMember,
  type TeamMemberState,
  type TeamMessageFact,
  type TeamRequestFact,
  type TeamTask,
} from "@chorus/contracts"
import { openBlockers } from "@chorus/teams"
import { fit, oneLine, paint } from "../output.ts"
import { cut, paintName } from "./paint.ts"
import { requestText } from "./request-text.ts"

const KEPT = 200

/** What is known of a team from its facts, ready to be drawn. */
export class TeamView {
  readonly members = new Map<string, { member: TeamMember; state: TeamMemberState }>()
  readonly tasks = new Map<string, TeamTask>()
  readonly requests = new Map<string, TeamRequestFact>()
  messages: TeamMessageFact[] = []
  gone = false

  hear(fact: TeamFact): void {
    switch (fact.fact) {
      case "team":
        this.gone = false
        return
      case "team_gone":
        this.gone = true
        return
      case "member":
        this.members.set(fact.member.name, { member: fact.member, state: fact.state })
        return
      case "member_left":
        this.members.delete(fact.name)
        return
      case "message":
        this.messages = [...this.messages, fact]
          .sort((one, other) => one.sentAt.localeCompare(other.sentAt))
          .slice(-KEPT)
        return
      case "request":
        this.requests.set(fact.requestId, fact)
        return
      case "request_settled":
        this.requests.delete(fact.requestId)
        return
      case "task":
        this.tasks.set(fact.task.id, fact.task)
        return
      case "task_removed":
        this.tasks.delete(fact.taskId)
    }
  }

  /** The screen, line by line: members, what waits for a person, tasks, and as many messages as fit. */
  lines(name: string, size: { columns: number; rows: number }): string[] {
    const width = size.columns
    const head = [
      `${paint("bold", oneLine(name))} ${paint("dim", this.gone ? "is gone" : `${this.members.size} members · ${this.#open()} open tasks`)}`,
      "",
    ]
    const tasks = this.#taskLines(width)
    const room = Math.max(4, Math.floor((size.rows - head.length) / 2) - 2)
    const shownTasks =
      tasks.length <= room
        ? tasks
        : [...tasks.slice(0, room - 1), paint("dim", `  and ${tasks.length - room + 1} more`)]
    const above = [...head, ...this.#memberLines(width), ...this.#requestLines(width), ...section("tasks", shownTasks)]
    const left = Math.max(0, size.rows - above.length - 3)
    return [
      ...above,
      ...section(
        "messages",
        left === 0 ? [] : this.messages.slice(-left).map((message) => this.#messageLine(message, width)),
      ),
      paint("dim", "q to leave"),
    ]
      .slice(0, size.rows)
      .map((line) => fit(line, width))
  }

  #open(): number {
    return [...this.tasks.values()].filter((task) => task.status !== "completed").length
  }

  #memberLines(width: number): string[] {
    const longest = Math.max(0, ...[...this.members.keys()].map((name) => oneLine(name).length))
    return [...this.members.values()].map(({ member, state }) => {
      const lead = member.name === TEAM_LEAD
      const doing = [...this.tasks.values()].find((task) => task.owner === member.name && task.status === "in_progress")
      const pad = " ".repeat(longest - oneLine(member.name).length)
      const detail =
        doing === undefined
          ? [member.agentType, member.backendType].filter((part) => part !== undefined && !lead).join(" ")
          : `#${doing.id} ${doing.activeForm ?? doing.subject}`
      return `${MARK[state]} ${paintName(member.name, member.color)}${pad}  ${paint("dim", (lead ? "lead" : WORD[state]).padEnd(11))} ${cut(detail, Math.max(0, width - longest - 18))}`
    })
  }

  #requestLines(width: number): string[] {
    const waiting = [...this.requests.values()].filter((request) => request.request !== "shutdown")
    return section(
      "waits for a person",
      waiting.map(
        (request) =>
          `${paint("yellow", "?")} ${this.#name(request.member)} ${request.toolName ?? request.request} ${cut(requestText(request), Math.max(10, width - 40))}`,
      ),
    )
  }

  #taskLines(width: number): string[] {
    const shown = [...this.tasks.values()]
      .filter((task) => task.metadata?.["_internal"] !== true)
      .sort((one, other) => Number(one.id) - Number(other.id))
    const depth = depths(this.tasks)
    return shown.map((task) => {
      const blockers = openBlockers(this.tasks, task)
      const owner = task.owner === undefined ? "" : ` ${this.#name(task.owner)}`
      const waits = blockers.length === 0 ? "" : paint("dim", ` waits for ${blockers.map((id) => `#${id}`).join(" ")}`)
      const indent = "  ".repeat(Math.min(8, depth.get(task.id) ?? 0))
      const text = cut(task.subject, Math.max(10, width - indent.length - 36))
      return `${indent}${depth.get(task.id) === 0 ? "" : paint("dim", "└ ")}${SIGN[task.status]()} #${task.id} ${task.status === "completed" ? paint("dim", text) : text}${owner}${waits}`
    })
  }

  #messageLine(message: TeamMessageFact, width: number): string {
    const words =
      message.kind === "message"
        ? message.summary === undefined
          ? message.text
          : `${message.summary}: ${message.text}`
        : message.kind.replaceAll("_", " ")
    const ends = `${oneLine(message.from)} → ${oneLine(message.to)}`
    const style = message.kind === "message" ? (text: string) => text : (text: string) => paint("dim", text)
    return `${paint("dim", message.sentAt.slice(11, 19))} ${this.#name(message.from)} → ${this.#name(message.to)}  ${style(cut(words, Math.max(10, width - ends.length - 13)))}`
  }

  #name(name: string): string {
    return paintName(name, this.members.get(name)?.member.color)
  }
}

const MARK = {
  working: paint("green", "●"),
  idle: paint("dim", "○"),
  needsInput: paint("yellow", "◐"),
  leaving: paint("dim", "◌"),
  dead: paint("red", "✗"),
  unknown: paint("dim", "·"),
} as const
const WORD = {
  working: "working",
  idle: "idle",
  needsInput: "needs input",
  leaving: "leaving",
  dead: "dead",
  unknown: "",
} as const
const SIGN = {
  pending: () => "◻",
  in_progress: () => paint("green", "◼"),
  completed: () => paint("dim", "✔"),
  deleted: () => "✗",
} as const

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines]
}

/** How many levels of other tasks each one stands on. A circle, which only a foreign hand can have made, ends the count. */
function depths(tasks: ReadonlyMap<string, TeamTask>): Map<string, number> {
  const found = new Map<string, number>()
  const depthOf = (id: string, above: ReadonlySet<string>): number => {
    const known = found.get(id)
    if (known !== undefined) return known
    const blockers = (tasks.get(id)?.blockedBy ?? []).filter((blocker) => tasks.has(blocker) && !above.has(blocker))
    const depth = Math.max(0, ...blockers.map((blocker) => depthOf(blocker, new Set([...above, id])) + 1))
    found.set(id, depth)
    return depth
  }
  for (const id of tasks.keys()) depthOf(id, new Set())
  return found
}
