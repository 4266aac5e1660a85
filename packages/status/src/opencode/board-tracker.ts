import { isRecord } from "../line/index.ts"

/** What the board answers to an event, as far as OpenCode can use it. */
export interface HookAnswer {
  readonly systemMessage?: string
  readonly hookSpecificOutput?: {
    readonly additionalContext?: string
    readonly updatedInput?: { readonly prompt?: unknown }
  }
}

/** An event in Claude Code's words. */
export interface BoardEvent {
  readonly hook_event_name: string
  readonly session_id: string
  readonly [field: string]: unknown
}

export interface BoardTrackerOptions {
  /** Tells the board, in order; answers with nothing where nobody hears. */
  ask(event: BoardEvent): Promise<HookAnswer>
  /** The session that another one was started from. */
  parentOf(sessionId: string): Promise<string | undefined>
}

interface Known {
  readonly id: string
  readonly root: string
  /** What the board wants the model to know: for good, and for this turn. */
  lasting: string
  passing: string
  prompt: string
  agent: string
  words: string
  busy: boolean
  stopped: Promise<HookAnswer> | undefined
}

/** OpenCode's sessions in the words the board knows: a session without a parent is a terminal's, its children are sub-agents. */
export function boardTracker({ ask, parentOf }: BoardTrackerOptions) {
  const sessions = new Map<string, Known>()
  const parents = new Map<string, string | undefined>()

  async function know(id: string): Promise<{ session: Known; isNew: boolean }> {
    const found = sessions.get(id)
    if (found !== undefined) return { session: found, isNew: false }
    const session: Known = {
      id,
      root: await rootOf(id),
      lasting: "",
      passing: "",
      prompt: "",
      agent: "",
      words: "",
      busy: false,
      stopped: undefined,
    }
    sessions.set(id, session)
    return { session, isNew: true }
  }

  async function rootOf(id: string): Promise<string> {
    if (!parents.has(id)) parents.set(id, await parentOf(id).catch(() => undefined))
    const parent = parents.get(id)
    return parent === undefined ? id : rootOf(parent)
  }

  /** A child has ended its turn: its last words are its report. Told once for each turn, whoever notices first. */
  function stop(child: Known): Promise<HookAnswer> {
    if (!child.busy) return child.stopped ?? Promise.resolve({})
    child.busy = false
    child.stopped = ask({
      hook_event_name: "SubagentStop",
      session_id: child.root,
      ...about(child),
      last_assistant_message: child.words,
    })
    return child.stopped
  }

  return {
    async chatMessage(
      { sessionID, agent }: { sessionID?: unknown; agent?: unknown },
      output: { parts?: unknown },
    ): Promise<void> {
      const created = parents.has(text(sessionID))
      const { session, isNew } = await know(text(sessionID))
      Object.assign(session, {
        prompt: wordsOf(output.parts),
        agent: text(agent) || "general",
        words: "",
        busy: true,
        stopped: undefined,
      })
      if (session.root !== session.id) {
        const answer = await ask({ hook_event_name: "SubagentStart", session_id: session.root, ...about(session) })
        session.lasting = contextOf(answer) || session.lasting
        return
      }
      if (isNew)
        session.lasting = contextOf(
          await ask({
            hook_event_name: "SessionStart",
            session_id: session.id,
            source: created ? "startup" : "resume",
          }),
        )
      session.passing = contextOf(
        await ask({ hook_event_name: "UserPromptSubmit", session_id: session.id, prompt: session.prompt }),
      )
    },

    async system({ sessionID }: { sessionID?: unknown }, output: { system?: string[] }): Promise<void> {
      const session = sessions.get(text(sessionID))
      for (const words of [session?.lasting, session?.passing]) if (words) output.system?.push(words)
    },

    async toolBefore(
      { tool, sessionID, callID }: { tool?: unknown; sessionID?: unknown; callID?: unknown },
      { args }: { args?: unknown },
    ): Promise<void> {
      if (tool !== "task" || !isRecord(args)) return
      const { session } = await know(text(sessionID))
      const input = {
        prompt: args["prompt"],
        description: args["description"],
        subagent_type: args["subagent_type"],
        run_in_background: false,
      }
      const answer = await ask({
        hook_event_name: "PreToolUse",
        session_id: session.root,
        tool_name: "Agent",
        tool_use_id: `toolu_${text(callID)}`,
        tool_input: input,
      })
      const prompt = answer.hookSpecificOutput?.updatedInput?.prompt
      if (typeof prompt === "string") args["prompt"] = prompt
    },

    async toolAfter({ tool }: { tool?: unknown }, output: { output?: unknown; metadata?: unknown }): Promise<void> {
      const child =
        tool === "task" && isRecord(output.metadata) ? sessions.get(text(output.metadata["sessionId"])) : undefined
      if (child === undefined) return
      const { systemMessage } = await stop(child)
      if (systemMessage !== undefined && typeof output.output === "string") output.output += `\n\n${systemMessage}`
    },

    async event({ event }: { event: { type?: unknown; properties?: unknown } }): Promise<void> {
      const properties = isRecord(event.properties) ? event.properties : {}
      if (event.type === "session.created" && isRecord(properties["info"])) {
        const { id, parentID } = properties["info"]
        parents.set(text(id), text(parentID) || undefined)
      }
      if (event.type === "message.part.updated" && isRecord(properties["part"])) hear(properties["part"])
      if (event.type !== "session.idle") return
      const session = sessions.get(text(properties["sessionID"]))
      if (session === undefined || !session.busy) return
      if (session.root !== session.id) return void stop(session)
      session.busy = false
      void ask({ hook_event_name: "Stop", session_id: session.id, last_assistant_message: session.words })
    },

    /** The program ends, and with it everything that ran in it. */
    end(): void {
      for (const session of sessions.values())
        if (session.root === session.id)
          void ask({ hook_event_name: "SessionEnd", session_id: session.id, reason: "other" })
      sessions.clear()
    },
  }

  function hear(part: Record<string, unknown>): void {
    const session = sessions.get(text(part["sessionID"]))
    const ended = isRecord(part["time"]) && part["time"]["end"] !== undefined
    if (session !== undefined && part["type"] === "text" && ended && part["synthetic"] !== true)
      session.words = text(part["text"])
  }
}

function about(child: Known) {
  return {
    agent_id: child.id,
    agent_type: child.agent,
    transcript_head: { message: { role: "user", content: child.prompt } },
  }
}

function contextOf(answer: HookAnswer): string {
  return answer.hookSpecificOutput?.additionalContext ?? ""
}

function wordsOf(parts: unknown): string {
  const texts = Array.isArray(parts)
    ? parts.filter(
        (part): part is Record<string, unknown> =>
          isRecord(part) && part["type"] === "text" && part["synthetic"] !== true,
      )
    : []
  return texts.map((part) => text(part["text"])).join("\n")
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}
