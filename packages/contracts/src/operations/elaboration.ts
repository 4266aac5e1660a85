import { z } from "zod"
import { ActorRef, IdeaId, line, prose, RoundId, signature } from "../signature.ts"
import { ElaborationDepth, ElaborationStatus } from "./ideas.ts"

export const QuestionCategory = z.enum([
  "functional",
  "non_functional",
  "business_context",
  "technical_context",
  "user_scenario",
  "scope",
])
export type QuestionCategory = z.infer<typeof QuestionCategory>

export const QuestionOption = z.object({ id: line(64), label: line(200), description: prose(1000).optional() })
export type QuestionOption = z.infer<typeof QuestionOption>

export const Question = z.object({
  id: line(64),
  text: prose(2000).refine((text) => text.trim() !== "", "must not be blank"),
  category: QuestionCategory,
  options: z.array(QuestionOption).min(2).max(5),
  required: z.boolean().default(true),
})

const Answer = z.object({
  selectedOptionId: z.string().nullable(),
  customText: z.string().nullable(),
  answeredAt: z.string(),
  answeredBy: ActorRef.nullable(),
})

export const Round = z.object({
  uuid: z.string(),
  ideaUuid: z.string(),
  roundNumber: z.number().int(),
  status: z.enum(["pending_answers", "answered"]),
  isAppended: z.boolean(),
  depth: ElaborationDepth,
  createdBy: ActorRef.nullable(),
  validatedAt: z.string().nullable(),
  /** Whoever answered wants to be asked further. */
  askAgain: z.boolean(),
  createdAt: z.string(),
  questions: z.array(
    z.object({
      uuid: z.string(),
      questionId: z.string(),
      text: z.string(),
      category: QuestionCategory,
      options: z.array(QuestionOption),
      required: z.boolean(),
      answer: Answer.nullable(),
      /** Earlier answers, oldest first. */
      earlier: z.array(Answer),
      issue: z.null(),
    }),
  ),
})
export type Round = z.infer<typeof Round>

export const Elaboration = z.object({
  ideaUuid: z.string(),
  depth: ElaborationDepth.nullable(),
  status: ElaborationStatus.nullable(),
  reason: z.string().nullable(),
  rounds: z.array(Round),
  summary: z.object({
    totalQuestions: z.number().int(),
    answeredQuestions: z.number().int(),
    validatedRounds: z.number().int(),
    /** Number of the first round that waits for answers. */
    pendingRound: z.number().int().nullable(),
  }),
})
export type Elaboration = z.infer<typeof Elaboration>

export const startElaboration = signature({
  name: "chorus_pm_start_elaboration",
  does: "Ask a round of questions about an idea you hold.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId, depth: ElaborationDepth, questions: z.array(Question).min(1).max(15) }),
  output: Round,
})

export const AnswerInput = z.object({
  questionId: line(64),
  selectedOptionId: z.string().max(64).nullable().default(null),
  customText: prose(10_000).nullable().default(null),
})
export type AnswerInput = z.infer<typeof AnswerInput>

export const answerElaboration = signature({
  name: "chorus_answer_elaboration",
  does: "Answer a round's questions: an option, free text, or both; askAgain asks for another round.",
  needs: "idea:read",
  kind: "write",
  tool: "listed",
  input: z.object({
    ideaUuid: IdeaId,
    roundUuid: RoundId.optional(),
    answers: z.array(AnswerInput).min(1).max(15),
    askAgain: z.boolean().optional(),
  }),
  output: Round,
})

export const getElaboration = signature({
  name: "chorus_get_elaboration",
  does: "Get an idea's questions and answers.",
  needs: "idea:read",
  kind: "read",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: Elaboration,
})

export const validateElaboration = signature({
  name: "chorus_pm_validate_elaboration",
  does: "Accept the answers; the idea is elaborated.",
  needs: "idea:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId }),
  output: Elaboration,
})

export const skipElaboration = signature({
  name: "chorus_pm_skip_elaboration",
  does: "Skip the questions, saying why.",
  needs: "idea:write",
  kind: "write",
  tool: "listed",
  input: z.object({ ideaUuid: IdeaId, reason: prose(2000).refine((text) => text.trim() !== "", "must say why") }),
  output: z.object({ ideaUuid: z.string(), action: z.literal("elaboration_skipped"), reason: z.string() }),
})

export const getAlignmentAnchor = signature({
  name: "chorus_get_alignment_anchor",
  does: "Get what people originally asked for, behind an idea, proposal, task or document.",
  needs: "idea:read",
  kind: "read",
  tool: "listed",
  input: z.object({ entityType: z.enum(["idea", "proposal", "task", "document"]), entityUuid: z.uuid() }),
  output: z.object({
    anchorAvailable: z.boolean(),
    directIdeaUuid: z.string().nullable(),
    rootIdeaUuid: z.string().nullable(),
    lineageTitles: z.array(z.string()),
    /** From the root down to the direct idea. */
    ideas: z.array(
      z.object({
        uuid: z.string(),
        title: z.string(),
        content: z.string().nullable(),
        createdBy: ActorRef.nullable(),
        /** What each author wrote of it, under their own name; the last one's words are the present ones. */
        words: z.array(z.object({ by: ActorRef.nullable(), at: z.string(), title: z.string(), content: z.string() })),
        decisions: z.array(
          z.object({
            question: z.string(),
            answer: z.string(),
            answeredBy: ActorRef.nullable(),
            answeredAt: z.string(),
          }),
        ),
        comments: z.array(
          z.object({ content: z.string(), authorType: z.string(), author: ActorRef.nullable(), createdAt: z.string() }),
        ),
      }),
    ),
  }),
})
