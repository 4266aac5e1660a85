import { z } from "zod"
import { ActorRef, line, pageInput, pageOutput, ProjectId, prose, SessionId, signature, TaskId } from "../signature.ts"

export const AttentionKind = z.enum(["permission", "input", "plan", "shutdown", "change"])
export type AttentionKind = z.infer<typeof AttentionKind>

/**
 * What has come to a stop where nobody asks a question: a landing that a machine refused, one that conflicted or broke
 * a check, a run that ended without handing in, one whose planning, review or answer broke off, one that waits for words.
 */
export const AttentionNotice = z.enum([
  "landing",
  "not_allowed",
  "conflict",
  "ended",
  "returned",
  "broken_off",
  "waits",
])
export type AttentionNotice = z.infer<typeof AttentionNotice>

const attentionUuid = z.uuid()

/** One question of a form that a run's agent asks, in `detail.questions`; answered in `data.answers` by its id. */
export const FormQuestion = z.object({
  /** Two questions may read the same. */
  id: z.string(),
  question: z.string(),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.literal(true).optional(),
  /** Set where the program takes nothing but what it offers. */
  ownWords: z.literal(false).optional(),
  optional: z.literal(true).optional(),
  isNumber: z.literal(true).optional(),
})
export type FormQuestion = z.infer<typeof FormQuestion>

/** What a person answered. */
export const AttentionAnswer = z.object({
  decision: z.enum(["approve", "deny"]).optional(),
  text: prose(20_000).optional(),
  /** Further fields the asking program understands, such as a changed tool input. */
  data: z.record(z.string(), z.unknown()).optional(),
})
export type AttentionAnswer = z.infer<typeof AttentionAnswer>

/** Something an agent waits for a person to say, and what `attention.*` events patch. */
export const AttentionRow = z.object({
  uuid: z.string(),
  projectUuid: z.string().nullable(),
  agent: ActorRef.nullable(),
  sessionUuid: z.string().nullable(),
  /** The task it is about; the question and its answer stand in the task's conversation too. */
  taskUuid: z.string().nullable(),
  kind: AttentionKind,
  title: z.string(),
  /** Answers to choose from; words of one's own are always possible. */
  options: z.array(z.string()),
  detail: z.record(z.string(), z.unknown()),
  /** Whether an answer given here reaches the agent; otherwise the person must go to its terminal. */
  answerable: z.boolean(),
  /** Set where Chorus itself tells of work that stands still; nobody waits for an answer. */
  notice: AttentionNotice.nullable(),
  state: z.enum(["open", "answered", "delivered", "withdrawn", "expired"]),
  answer: AttentionAnswer.nullable(),
  answeredBy: ActorRef.nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  answeredAt: z.string().nullable(),
  /** When the agent read the answer. */
  deliveredAt: z.string().nullable(),
})
export type AttentionRow = z.infer<typeof AttentionRow>

export const createAttention = signature({
  name: "chorus_create_attention",
  does: "Ask a person. Go on meanwhile; the answer comes by chorus_inbox.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({
    title: line(300),
    /** What the person has to know to answer. */
    text: prose(20_000).optional(),
    kind: AttentionKind.exclude(["change"]).default("input"),
    options: z.array(line(200)).max(10).optional(),
    taskUuid: TaskId.optional(),
    projectUuid: ProjectId.optional(),
    sessionUuid: SessionId.optional(),
    detail: z.record(z.string().max(100), z.unknown()).optional(),
    answerable: z.boolean().optional(),
    expiresInMinutes: z.number().int().min(1).max(10_080).optional(),
  }),
  output: AttentionRow,
})

export const getAttention = signature({
  name: "chorus_get_attention",
  does: "See whether a person has answered.",
  needs: "anyone",
  kind: "read",
  tool: "hidden",
  input: z.object({ attentionUuid }),
  output: AttentionRow,
})

export const withdrawAttention = signature({
  name: "chorus_withdraw_attention",
  does: "Take a question back that nobody has answered.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({ attentionUuid }),
  output: AttentionRow,
})

export const attentionDelivered = signature({
  name: "chorus_attention_delivered",
  does: "Say that the answer has reached the agent.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({ attentionUuid }),
  output: AttentionRow,
})

export const answerAttention = signature({
  name: "chorus_answer_attention",
  does: "Answer what an agent of yours asked.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    attentionUuid,
    answer: AttentionAnswer.refine(
      (answer) => answer.decision !== undefined || (answer.text ?? "").trim() !== "",
      "must hold a decision or a text",
    ),
  }),
  output: AttentionRow,
})

export const relayAnswer = signature({
  name: "chorus_relay_answer",
  does: "Pass on what your person answered in your own window; who answered first is heard.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({
    attentionUuid,
    text: prose(20_000).refine((text) => text.trim() !== "", "must not be blank"),
  }),
  output: AttentionRow,
})

export const listAttentions = signature({
  name: "chorus_list_attentions",
  does: "List what agents ask people, newest first.",
  needs: "anyone",
  kind: "read",
  tool: "hidden",
  input: z.object({
    projectUuid: ProjectId.optional(),
    taskUuid: TaskId.optional(),
    open: z.boolean().default(true),
    ...pageInput,
  }),
  output: z.object({ attentions: z.array(AttentionRow), ...pageOutput }),
})

/** One thing that waits for a person, oldest first across all kinds. */
export const WaitingItem = z.object({
  kind: z.enum(["elaboration", "proposal", "task", "attention", "delivery"]),
  uuid: z.string(),
  title: z.string(),
  /** What people call the task, or the idea that is asked about, by. */
  shortId: z.string().nullable(),
  projectUuid: z.string().nullable(),
  projectName: z.string().nullable(),
  /** Who waits. */
  from: ActorRef.nullable(),
  /** The session that asks, and its machine. */
  session: z.object({ name: z.string(), machine: z.string().nullable() }).nullable(),
  since: z.string(),
  /** The idea a round of questions belongs to. */
  ideaUuid: z.string().nullable(),
  /** The task an agent asks about, or is at work on while it asks. */
  task: z.object({ uuid: z.string(), shortId: z.string().nullable(), title: z.string() }).nullable(),
  /** The day the task it is about is due. */
  dueOn: z.string().nullable(),
  attention: AttentionRow.nullable(),
})
export type WaitingItem = z.infer<typeof WaitingItem>

export const needsYou = signature({
  name: "chorus_needs_you",
  does: "List everything that waits for a person: questions, proposals, work to verify, agents that ask, words that did not arrive.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId.optional() }),
  output: z.object({
    items: z.array(WaitingItem),
    counts: z.object({
      elaboration: z.number().int(),
      proposal: z.number().int(),
      task: z.number().int(),
      attention: z.number().int(),
      delivery: z.number().int(),
    }),
    total: z.number().int(),
  }),
})
