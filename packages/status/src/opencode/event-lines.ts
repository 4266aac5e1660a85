import type { StatusLine } from "@chorus/contracts"
import {
  isRecord,
  type LineFacts,
  oneLine,
  questionText,
  resumeCommandFor,
  summaryOf,
  titleFromPrompt,
  toolDetail,
  wholeRequest,
  withoutEmpty,
} from "../line/index.ts"

/** A line without the terminal, agent and time, which whoever sends it knows. */
export type OpenCodeLine = Omit<StatusLine, "terminalId" | "agent" | "at">

/** Follows one OpenCode process and says what each hook and bus event means for its terminal. */
export interface OpenCodeTracker {
  chatMessage(sessionId: unknown, parts: unknown): OpenCodeLine[]
  toolBefore(sessionId: unknown, tool: unknown, args: unknown): OpenCodeLine[]
  event(type: unknown, properties: unknown): OpenCodeLine[]
  /** The session in which that question waits for an answer. */
  askerOf(question: string): string | undefined
}

/** Its question is no heartbeat: where nobody knows what it does, it counts. */
const MAY_ASK: StatusLine["only"] = ["running", "needsInput", "unknown"]
const DEFAULT_TITLE = /^(New|Child) session - \d{4}-/

export function openCodeTracker(cwd: string): OpenCodeTracker {
  const children = new Set<string>()
  const busy = new Set<string>()
  const lastWords = new Map<string, string>()
  const failures = new Map<string, OpenCodeLine>()
  const failedTools = new Set<string>()
  /** Why the newest message of the model ended, as far as it has. */
  const finishes = new Map<string, string>()
  const refused = new Set<string>()
  /** What the person was asked and has not answered, oldest first: several tools of one turn may ask at once. */
  const open = new Map<string, { sessionId: string; asked: OpenCodeLine }>()

  const line = (
    event: StatusLine["event"],
    source: string,
    sessionId: string,
    facts: LineFacts = {},
  ): OpenCodeLine => ({
    event,
    ...withoutEmpty({
      source: `opencode:${source}`,
      sessionId: children.has(sessionId) ? undefined : sessionId,
      ...facts,
    }),
  })

  function startTurn(sessionId: string, source: string, prompt: unknown): OpenCodeLine[] {
    if (children.has(sessionId)) return [line("running", source, sessionId)]
    busy.add(sessionId)
    lastWords.delete(sessionId)
    failures.delete(sessionId)
    finishes.delete(sessionId)
    refused.delete(sessionId)
    const facts: LineFacts = {
      turnStart: true,
      resumeCommand: resumeCommandFor("opencode", sessionId),
      sessionTitle: titleFromPrompt(prompt),
      titleOrigin: "prompt",
    }
    return [line("running", source, sessionId, facts)]
  }

  /** An error or an abort is followed by two idle events; only the first ends the turn. */
  function endTurn(sessionId: string): OpenCodeLine[] {
    if (children.has(sessionId) || !busy.delete(sessionId)) return []
    const failure = failures.get(sessionId)
    if (failure !== undefined) return [failure]
    if (refused.has(sessionId)) return [line("idle", "session.idle", sessionId, { reason: "a permission was refused" })]
    // What was interrupted before its first word, or between two tries, is called idle like an answer; its message has
    // no end.
    if (["", "tool-calls"].includes(finishes.get(sessionId) ?? "stop"))
      return [line("idle", "session.idle", sessionId, { reason: "interrupted by the person" })]
    return [
      line("finished", "session.idle", sessionId, {
        summary: summaryOf(lastWords.get(sessionId)),
        resumeCommand: resumeCommandFor("opencode", sessionId),
      }),
    ]
  }

  function sessionChanged(info: Record<string, unknown>, source: string): OpenCodeLine[] {
    const id = text(info["id"])
    if (text(info["parentID"]) !== "") {
      children.add(id)
      return []
    }
    const title = oneLine(info["title"], 120)
    if (title === undefined || DEFAULT_TITLE.test(title)) return []
    return [line("note", source, id, { sessionTitle: title, titleOrigin: "generated" })]
  }

  function statusChanged(sessionId: string, status: Record<string, unknown>): OpenCodeLine[] {
    if (status["type"] === "retry")
      return [
        line("running", "session.status", sessionId, {
          toolDetail: oneLine(`Retrying (attempt ${String(status["attempt"])}): ${text(status["message"])}`, 120),
        }),
      ]
    if (status["type"] === "busy" && !busy.has(sessionId)) return startTurn(sessionId, "session.status", undefined)
    return []
  }

  function partUpdated(sessionId: string, part: Record<string, unknown>): OpenCodeLine[] {
    const time = isRecord(part["time"]) ? part["time"] : {}
    if (part["type"] === "text" && time["end"] !== undefined) {
      lastWords.set(sessionId, text(part["text"]))
      refused.delete(sessionId)
      return []
    }
    if (part["type"] !== "tool" || !isRecord(part["state"])) return []
    const callId = text(part["callID"])
    if (!toolFailed(part["state"]) || failedTools.has(callId)) return []
    failedTools.add(callId)
    return [line("note", "tool.error", sessionId, { toolError: !children.has(sessionId) })]
  }

  function messageUpdated(info: Record<string, unknown>): OpenCodeLine[] {
    if (info["role"] === "assistant") finishes.set(text(info["sessionID"]), text(info["finish"]))
    return []
  }

  function failed(sessionId: string, error: Record<string, unknown>): OpenCodeLine[] {
    const data = isRecord(error["data"]) ? error["data"] : {}
    const aborted = error["name"] === "MessageAbortedError"
    failures.set(
      sessionId,
      aborted
        ? line("idle", "session.error", sessionId, { reason: "interrupted by the person" })
        : line("finished", "session.error", sessionId, {
            exitCode: 1,
            reason: `the model request failed: ${oneLine(data["message"] ?? error["name"], 160) ?? "no reason given"}`,
          }),
    )
    return []
  }

  function asked(sessionId: string, id: unknown, question: OpenCodeLine): OpenCodeLine[] {
    open.set(text(id), { sessionId, asked: question })
    return stillAsked([question])
  }

  /** Whatever else goes on, the terminal waits until its last question is answered; the oldest is the one it shows. */
  function stillAsked(lines: OpenCodeLine[]): OpenCodeLine[] {
    const [oldest] = open.values()
    if (oldest === undefined) return lines
    return lines.flatMap((said) => {
      if (said.turnStart === true) return [said, oldest.asked]
      return said.event === "running" || said.event === "needsInput" ? oldest.asked : said
    })
  }

  /** What a session asked ends with its turn; with the main agent's end also what its sub-agents did. */
  function withdraw(sessionId: string): void {
    for (const [id, { sessionId: asker }] of open)
      if (asker === sessionId || (children.has(asker) && !children.has(sessionId))) open.delete(id)
  }

  return {
    askerOf: (question) => open.get(question)?.sessionId,
    chatMessage(sessionId, parts) {
      const first = Array.isArray(parts)
        ? parts.find((part: unknown) => isRecord(part) && part["type"] === "text" && part["synthetic"] !== true)
        : undefined
      return stillAsked(startTurn(text(sessionId), "chat.message", isRecord(first) ? first["text"] : undefined))
    },
    toolBefore(sessionId, tool, args) {
      return stillAsked([
        line("running", "tool.execute.before", text(sessionId), { toolDetail: toolDetail(tool, args, cwd) }),
      ])
    },
    event(type, properties) {
      if (!isRecord(properties)) return []
      const sessionId = text(properties["sessionID"])
      switch (type) {
        case "session.created":
        case "session.updated":
          return isRecord(properties["info"]) ? sessionChanged(properties["info"], type) : []
        case "session.status":
          return isRecord(properties["status"]) ? stillAsked(statusChanged(sessionId, properties["status"])) : []
        case "message.part.updated":
          return isRecord(properties["part"]) ? partUpdated(sessionId, properties["part"]) : []
        case "message.updated":
          return isRecord(properties["info"]) ? messageUpdated(properties["info"]) : []
        // A sub-agent's question is as much the person's business as the main agent's.
        case "permission.asked":
          return asked(
            sessionId,
            properties["id"],
            line("needsInput", type, sessionId, {
              only: MAY_ASK,
              toolDetail: permissionText(properties),
              ask: askOf(properties),
              asks: wholePermission(properties),
            }),
          )
        // It is named, so that it takes the place of a permission; without its whole it is answered in its terminal.
        case "question.asked":
          return asked(
            sessionId,
            properties["id"],
            line("needsInput", type, sessionId, {
              only: MAY_ASK,
              toolDetail: questionText(properties["questions"]),
              ask: askOf(properties),
            }),
          )
        case "permission.replied":
        case "question.replied":
        case "question.rejected":
          if (properties["reply"] === "reject") refused.add(sessionId)
          open.delete(text(properties["requestID"]))
          return stillAsked([line("running", type, sessionId, { only: ["needsInput", "unknown"] })])
        case "session.error":
          return isRecord(properties["error"]) ? failed(sessionId, properties["error"]) : []
        case "session.idle":
          withdraw(sessionId)
          return endTurn(sessionId)
        default:
          return []
      }
    },
  }
}

function askOf(properties: Record<string, unknown>): string | undefined {
  return text(properties["id"]) || undefined
}

function wholePermission({ permission, metadata, patterns }: Record<string, unknown>): string | undefined {
  const asked = isRecord(metadata) ? metadata : {}
  return wholeRequest(permission, typeof asked["command"] === "string" ? asked : { ...asked, patterns })
}

function permissionText(properties: Record<string, unknown>): string | undefined {
  const { metadata, patterns } = properties
  // The patterns of a command are its parts, and not how they hang together.
  const command = isRecord(metadata) ? text(metadata["command"]) : ""
  const asked = command || (Array.isArray(patterns) ? patterns.join(", ") : "")
  return oneLine([text(properties["permission"]), asked].filter(Boolean).join(": "), 120)
}

/** How OpenCode itself says that a person wanted no more of it; the words of a tool that failed may be like these. */
const UNWANTED = /^(The user (rejected|dismissed|aborted)|Tool execution aborted)/

/** A refused permission is the person's word, not a failure of the tool. */
function toolFailed(state: Record<string, unknown>): boolean {
  if (state["status"] === "error") return !UNWANTED.test(text(state["error"]))
  const metadata = isRecord(state["metadata"]) ? state["metadata"] : {}
  return state["status"] === "completed" && typeof metadata["exit"] === "number" && metadata["exit"] !== 0
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}
