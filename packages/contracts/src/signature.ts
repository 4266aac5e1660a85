import { z } from "zod"
import type { Need } from "./permission.ts"

/** How an operation shows at the MCP door: in the tool list, callable but unlisted, or not at all. */
export type ToolVisibility = "listed" | "hidden" | "none"

/** An operation as every door sees it; the server binds the code that runs it. */
export interface Signature<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: Name
  /** One sentence; it is the tool description an agent pays tokens for. */
  readonly does: string
  readonly needs: Need
  readonly kind: "read" | "write"
  readonly tool: ToolVisibility
  /** Whoever lacks this may call it and is not shown it: a list is paid for at every start. */
  readonly listedFor?: Need
  readonly input: Input
  readonly output: Output
  /** What a program tells of itself, in its own words: fields we do not know are ignored rather than refused. */
  readonly open?: true
  /** Retired names that still work, unlisted. */
  readonly aliases?: readonly string[]
}

/** States an operation's signature; the names and schemas stay literal for the typed client. */
export function signature<const Name extends string, Input extends z.ZodType, Output extends z.ZodType>(
  stated: Signature<Name, Input, Output>,
): Signature<Name, Input, Output> {
  return stated
}

export type InputOf<S> = S extends Signature<string, infer Input, z.ZodType> ? z.input<Input> : never
export type ParsedInputOf<S> = S extends Signature<string, infer Input, z.ZodType> ? z.output<Input> : never
export type OutputOf<S> = S extends Signature<string, z.ZodType, infer Output> ? z.output<Output> : never

/** Every id is a UUID in text; the brand keeps a task's id from being passed where a session's is meant. */
function id<Brand extends string>(_brand: Brand) {
  return z.uuid().brand<Brand>()
}

export const WorkspaceId = id("workspace")
export const UserId = id("user")
export const AgentId = id("agent")
export const KeyId = id("key")
export const SignInId = id("signIn")
export const ChannelId = id("channel")
export const ProjectId = id("project")
export const GroupId = id("group")
export const IdeaId = id("idea")
export const RoundId = id("round")
export const ProposalId = id("proposal")
export const DraftId = id("draft")
export const DocumentId = id("document")
export const TaskId = id("task")
export const CriterionId = id("criterion")
export const SessionId = id("session")
export const CommentId = id("comment")
export const NotificationId = id("notification")
export const LabelId = id("label")
export const ViewId = id("view")

export type WorkspaceId = z.infer<typeof WorkspaceId>
export type UserId = z.infer<typeof UserId>
export type AgentId = z.infer<typeof AgentId>
export type KeyId = z.infer<typeof KeyId>
export type SignInId = z.infer<typeof SignInId>
export type ChannelId = z.infer<typeof ChannelId>
export type ProjectId = z.infer<typeof ProjectId>
export type GroupId = z.infer<typeof GroupId>
export type IdeaId = z.infer<typeof IdeaId>
export type RoundId = z.infer<typeof RoundId>
export type ProposalId = z.infer<typeof ProposalId>
export type DraftId = z.infer<typeof DraftId>
export type DocumentId = z.infer<typeof DocumentId>
export type TaskId = z.infer<typeof TaskId>
export type CriterionId = z.infer<typeof CriterionId>
export type SessionId = z.infer<typeof SessionId>
export type CommentId = z.infer<typeof CommentId>
export type NotificationId = z.infer<typeof NotificationId>
export type LabelId = z.infer<typeof LabelId>
export type ViewId = z.infer<typeof ViewId>

export const ActorKind = z.enum(["user", "agent", "system"])
export type ActorKind = z.infer<typeof ActorKind>

/** Who did it, as events and answers name them. */
export const ActorRef = z.object({ type: ActorKind, uuid: z.string(), name: z.string() })
export type ActorRef = z.infer<typeof ActorRef>

// Control characters other than tab and line breaks have no place in what people and agents write.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** One line of text: trimmed, not blank, no control characters. */
export function line(max = 256) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !CONTROL.test(text) && !/[\r\n]/.test(text), "must be one line without control characters")
}

/** Markdown or prose; line breaks allowed, control characters not. */
export function prose(max = 200_000) {
  return z
    .string()
    .max(max)
    .refine((text) => !CONTROL.test(text), "must not hold control characters")
}

/** Paging input of a list. Sizes out of range are brought into it rather than refused. */
export function pagesOf(usual: number, most = 100) {
  return {
    page: z.coerce
      .number()
      .int()
      .catch(1)
      .transform((page) => Math.max(1, page))
      .default(1),
    pageSize: z.coerce
      .number()
      .int()
      .catch(usual)
      .transform((size) => Math.min(most, Math.max(1, size)))
      .default(usual),
  }
}

export const pageInput = pagesOf(20)
/** How long a call may wait for something to happen; most clients give up after a minute, so they ask for less. */
export const waitInput = { wait_seconds: z.number().min(0).max(300).optional() }

/** Paging fields of every list's answer. */
export const pageOutput = {
  returned: z.number().int(),
  page: z.number().int(),
  pageSize: z.number().int(),
  total: z.number().int(),
}
