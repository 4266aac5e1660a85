import { z } from "zod"
import { ProjectId, signature, waitInput } from "../signature.ts"

/** Why something waits for an agent, in the order in which to take it up. */
export const WORK_KINDS = [
  /** A person answered its question. */
  "answer",
  /** Its work was sent back, or failed a review. */
  "returned",
  /** Its proposal was rejected. */
  "revise",
  /** Its questions are answered: propose, or ask again where that was wished. */
  "plan",
  /** A task it holds. */
  "work",
  /** An idea it holds and has asked nothing about. */
  "ask",
  /** Others' work that its project wants reviewed before it is verified. */
  "review",
  /** A task that is ready and nobody has. */
  "ready",
  /** An idea that nobody has. */
  "idea",
] as const

/** Why something waits for a person; what is proposed and handed in also waits for an agent that may decide on it. */
export const PERSON_KINDS = ["elaboration", "proposal", "task", "attention", "delivery"] as const

/** Something that waits for the reader. */
export const Waiting = z.object({
  kind: z.enum([...WORK_KINDS, ...PERSON_KINDS]),
  uuid: z.string(),
  /** What people call a task or an idea by. */
  shortId: z.string().optional(),
  title: z.string(),
  projectUuid: z.string().optional(),
  /** What there is to know: the answer, the reason, what to do. */
  note: z.string().optional(),
})
export type Waiting = z.infer<typeof Waiting>

export const NewsItem = z.object({
  at: z.string(),
  action: z.string(),
  message: z.string(),
  entityType: z.string(),
  entityUuid: z.string(),
})
export type NewsItem = z.infer<typeof NewsItem>

export const inbox = signature({
  name: "chorus_inbox",
  does: "What waits for you, and news after your last cursor; wait_seconds waits for some.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({
    after: z.number().int().min(0).optional(),
    projectUuid: ProjectId.optional(),
    ...waitInput,
  }),
  output: z.object({
    waits: z.array(Waiting),
    news: z.array(NewsItem),
    /** Whom the reader waits for, in words. */
    waitingFor: z.array(z.string()),
    /** How many of each were left out. */
    more: z.object({ waits: z.number().int(), news: z.number().int() }).optional(),
    /** Whether any of this came after the cursor. */
    fresh: z.boolean(),
    cursor: z.number().int(),
  }),
})
