import type { spawn } from "node:child_process"

/** One command hook as the generated module holds it. */
export interface RunnableHook {
  readonly event: string
  readonly matcher?: string | undefined
  readonly command: string
  /** With arguments it is started as it is, without a shell. */
  readonly args?: readonly string[] | undefined
  readonly seconds: number
  readonly blockOnFailure: boolean
}

export interface RunnerParts {
  readonly spawn: typeof spawn
  readonly directory: string
  readonly hooks: readonly RunnableHook[]
  readonly env: Readonly<Record<string, string>>
}

interface Call {
  readonly sessionID: string
  readonly tool: string
  readonly callID?: string
}

/**
 * A plugin's hooks in OpenCode's process, in the words Claude Code speaks to them. `translate` writes the text of this function into a
 * module that must run without Chorus, so it uses nothing but its parts and what every program has.
 */
export function runHooks({ spawn: start, directory, hooks, env }: RunnerParts) {
  const lasting = new Map<string, string[]>()
  const passing = new Map<string, string[]>()
  const children = new Set<string>()
  const busy = new Set<string>()
  const pending = new Set<Promise<unknown>>()
  const tools: Record<string, string> = {
    webfetch: "WebFetch",
    todowrite: "TodoWrite",
    todoread: "TodoRead",
    list: "LS",
  }
  const toolName = (name: string) => tools[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
  const renamed = (args: object, change: (key: string) => string) =>
    Object.fromEntries(Object.entries(args).map(([key, value]) => [change(key), value]))
  const toSnake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const toCamel = (key: string) => key.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

  const matches = (matcher: string | undefined, subject: string) => {
    if (matcher === undefined || matcher === "" || matcher === "*") return true
    if (!/^[\w ,|-]*$/.test(matcher)) return new RegExp(matcher).test(subject)
    return matcher.split(/[|,]/).some((name) => name.trim() === subject)
  }

  const runOne = (hook: RunnableHook, input: object) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const [program, args] = hook.args === undefined ? ["bash", ["-c", hook.command]] : [hook.command, [...hook.args]]
      const child = start(program, args, {
        cwd: directory,
        env: { ...process.env, ...env, CLAUDE_PROJECT_DIR: directory },
        stdio: ["pipe", "pipe", "pipe"],
        timeout: hook.seconds * 1000,
      })
      const said = { out: "", err: "" }
      child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text))
      child.once("error", (error) => resolve({ code: null, out: "", err: String(error) }))
      child.once("close", (code) => resolve({ code, ...said }))
      child.stdin.on("error", () => undefined)
      child.stdin.end(JSON.stringify(input))
    })

  const judge = (hook: RunnableHook, { code, out, err }: { code: number | null; out: string; err: string }) => {
    let answer: Record<string, unknown> = {}
    try {
      if (out.trimStart().startsWith("{")) answer = JSON.parse(out) as Record<string, unknown>
    } catch {
      // What is not JSON is text.
    }
    const own = (answer["hookSpecificOutput"] ?? {}) as Record<string, unknown>
    const text = (value: unknown) => (typeof value === "string" ? value : "")
    const reason = text(own["permissionDecisionReason"]) || text(answer["reason"]) || err.trim() || "A hook refused it."
    const decision = own["permissionDecision"]
    const failed = code !== 0 && code !== 2 && hook.blockOnFailure
    // OpenCode has no question to ask here, so what a hook wants asked is refused.
    const refused = code === 2 || failed || answer["decision"] === "block" || decision === "deny" || decision === "ask"
    const stopped = answer["continue"] === false ? text(answer["stopReason"]) || reason : undefined
    const isText = Object.keys(answer).length === 0 && ["SessionStart", "UserPromptSubmit"].includes(hook.event)
    return {
      refusal: refused ? reason : stopped,
      context: text(own["additionalContext"]) || (isText && code === 0 ? out.trim() : ""),
      input: own["updatedInput"] as object | undefined,
    }
  }

  const tell = async (event: string, subject: string, session: string, more: object) => {
    const input = { session_id: session, transcript_path: "", cwd: directory, hook_event_name: event, ...more }
    const run = Promise.all(
      hooks
        .filter((hook) => hook.event === event && matches(hook.matcher, subject))
        .map(async (hook) => judge(hook, await runOne(hook, input))),
    )
    pending.add(run)
    const answers = await run.finally(() => pending.delete(run))
    return {
      refusal: answers.find(({ refusal }) => refusal !== undefined)?.refusal,
      context: answers.flatMap(({ context }) => (context === "" ? [] : [context])),
      input: answers.find((one) => one.input !== undefined)?.input,
    }
  }

  return {
    event: async ({ event }: { event: { type: string; properties: Record<string, unknown> } }) => {
      const info = event.properties["info"] as { id: string; parentID?: string } | undefined
      if (event.type === "session.created" && info?.parentID !== undefined) children.add(info.id)
      const session = String(event.properties["sessionID"])
      if (event.type === "session.compacted") await tell("PostCompact", "auto", session, { trigger: "auto" })
      // A turn that failed is called idle twice.
      if (event.type === "session.idle" && busy.delete(session))
        await tell("Stop", "", session, { stop_hook_active: false })
    },
    "chat.message": async ({ sessionID }: { sessionID: string }, { parts }: { parts: { text?: string }[] }) => {
      if (children.has(sessionID)) return
      busy.add(sessionID)
      if (!lasting.has(sessionID))
        lasting.set(sessionID, (await tell("SessionStart", "startup", sessionID, { source: "startup" })).context)
      const prompt = parts.map(({ text }) => text ?? "").join("")
      const { refusal, context } = await tell("UserPromptSubmit", "", sessionID, { prompt })
      if (refusal !== undefined) throw new Error(refusal)
      passing.set(sessionID, context)
    },
    "experimental.chat.system.transform": async ({ sessionID }: { sessionID?: string }, out: { system: string[] }) => {
      out.system.push(...(lasting.get(sessionID ?? "") ?? []), ...(passing.get(sessionID ?? "") ?? []))
    },
    "tool.execute.before": async ({ tool, sessionID, callID }: Call, out: { args: object }) => {
      const about = { tool_name: toolName(tool), tool_input: renamed(out.args, toSnake), tool_use_id: callID }
      const { refusal, input } = await tell("PreToolUse", about.tool_name, sessionID, about)
      if (refusal !== undefined) throw new Error(refusal)
      if (input !== undefined) Object.assign(out.args, renamed(input, toCamel))
    },
    "tool.execute.after": async (
      { tool, sessionID, callID, args }: Call & { args?: object },
      out: { output?: string },
    ) => {
      const about = { tool_name: toolName(tool), tool_input: renamed(args ?? {}, toSnake), tool_use_id: callID }
      const more = { ...about, tool_response: out.output }
      const { refusal, context } = await tell("PostToolUse", about.tool_name, sessionID, more)
      const words = [...context, ...(refusal === undefined ? [] : [refusal])]
      if (words.length > 0 && out.output !== undefined) out.output = [out.output, ...words].join("\n")
    },
    "experimental.session.compacting": async ({ sessionID }: { sessionID: string }, out: { context?: string[] }) => {
      const { context } = await tell("PreCompact", "auto", sessionID, { trigger: "auto", custom_instructions: null })
      out.context?.push(...context)
    },
    dispose: async () => {
      await Promise.allSettled(pending)
    },
  }
}
