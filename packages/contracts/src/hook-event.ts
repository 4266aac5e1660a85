import { z } from "zod"

/** A hook without a process can name fields only as text, so these come as JSON text or as they are. */
const json = z.union([z.string().max(2_000_000), z.record(z.string(), z.unknown())])

const text = z.string().max(2_000_000)
const name = z.string().max(1000)

const tokens = z.number().int().min(0).max(1_000_000_000_000)
const UsedByModel = z.object({
  model: name,
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheCreationTokens: tokens,
})
export type UsedByModel = z.infer<typeof UsedByModel>

/**
 * What Claude Code tells a hook, of February 2026 and of today, what Codex and OpenCode tell in the same words, and
 * what our hook program adds. Unknown fields are ignored.
 */
export const HookEvent = z.object({
  hook_event_name: name,
  /** Whose hook it is; Claude Code's where nothing is said. */
  program: z.enum(["claude", "codex", "opencode"]).optional(),
  session_id: z.string().min(1).max(200),
  cwd: z.string().max(10_000).optional(),
  /**
   * Where the program runs, and as which process there: its pid and when it began. Who says so also says every minute
   * that it lives.
   */
  machine: name.optional(),
  process: name.optional(),
  permission_mode: name.optional(),
  agent_id: name.optional(),
  agent_type: name.optional(),
  /** Where a sub-agent of Codex stands among its like, as the names of those above it and its own. */
  agent_path: name.optional(),
  source: name.optional(),
  prompt: text.optional(),
  reason: name.optional(),
  tool_name: name.optional(),
  tool_use_id: name.optional(),
  tool_input: json.optional(),
  tool_response: json.optional(),
  error: text.optional(),
  last_assistant_message: text.optional(),
  teammate_name: name.optional(),
  team_name: name.optional(),
  task_id: name.optional(),
  task_subject: text.optional(),
  task_description: text.optional(),
  message: text.optional(),
  /** What a server connected to the program asks, and which one. */
  mcp_server_name: name.optional(),
  requested_schema: json.optional(),
  notification_type: name.optional(),
  /** What still runs behind a turn that has ended, as the newer programs say. */
  background_tasks: z
    .array(z.object({ id: name, type: name, status: name }))
    .max(1000)
    .optional()
    .catch(undefined),
  /** The first and the last line of a sub-agent's transcript, as the hook program read them. */
  transcript_head: json.optional(),
  transcript_tail: json.optional(),
  /** What the transcript says was used up to now, by model. */
  usage: z.array(UsedByModel).max(100).optional(),
  /** The last words are still to be written there, and the hook program waits for them. */
  awaits_words: z.boolean().optional(),
  /** For how many seconds the hook program waits for an answer from the page; 0 and absent is not at all. */
  answer_seconds: z.coerce.number().int().min(0).max(3600).optional(),
  /** The person has a dialog of the program's, and the hook program waits for as long as that is open. */
  dialog: z.boolean().optional(),
  attention_uuid: name.optional(),
})
export type HookEvent = z.infer<typeof HookEvent>

/** What a hook answers; Claude Code reads it as it reads a hook program's output. */
export const HookOutput = z.object({
  systemMessage: z.string().optional(),
  hookSpecificOutput: z
    .object({
      hookEventName: z.string(),
      additionalContext: z.string().optional(),
      permissionDecision: z.literal("allow").optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      decision: z
        .object({
          behavior: z.enum(["allow", "deny"]),
          message: z.string().optional(),
          updatedInput: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
    })
    .optional(),
  /**
   * For our hook program only: the question whose answer it waits for and whether that is settled, or what to tell
   * besides.
   */
  chorus: z
    .object({
      attentionUuid: z.string().optional(),
      settled: z.boolean().optional(),
      needs: z.enum(["prompt", "words"]).optional(),
      /** Work that was handed in, and when it began: what it changed can be shown from here. */
      changes: z.array(z.object({ taskUuid: z.string(), since: z.string() })).optional(),
      /** What a member of a team in a pane of its own came to, for its lead's terminal: that session of the program. */
      lead: z.object({ session: z.string(), words: z.string() }).optional(),
      /** A call waits for this agent, and tells its lead when it returns. */
      awaited: z.boolean().optional(),
      /** Tasks whose work begins with this event: what lies there now is not its own. */
      begun: z.array(z.string()).optional(),
      /** The line of state on the prompts that follow. */
      state: z.string().optional(),
      /** What the agent used is wanted too. */
      counts: z.boolean().optional(),
      /**
       * Sub-agents that ended without a word of their own, by session and, where it is known, by id: what they used is
       * wanted.
       */
      lost: z.array(z.string()).optional(),
    })
    .optional(),
})
export type HookOutput = z.infer<typeof HookOutput>
