import type { TeamPermissionMode } from "@chorus/contracts"
import type { Received } from "../files/index.ts"
import type { PermissionAsk } from "../protocol/send.ts"
import type { Sign } from "./progress.ts"

/** What a member is told at the start of a turn. */
export interface Turn {
  /** The messages as one text, each framed with its sender: they are other people's words, not instructions from the system. */
  readonly text: string
  readonly messages: readonly Received[]
  /** `plan` until a plan was approved for a member that must plan first. */
  readonly mode: TeamPermissionMode
  /** Asks a person for permission and waits for the answer. */
  permission(ask: PermissionAsk): Promise<PermissionAnswer>
  /** Told of whatever its agent does meanwhile. */
  heard(sign: Sign): void
  readonly signal: AbortSignal
}

export type PermissionAnswer =
  | { readonly allowed: true; readonly input: Record<string, unknown> }
  | { readonly allowed: false; readonly reason: string }

/** The reason where a person gave none. */
export const WORDLESS = "Refused."

export type ShutdownAnswer = { readonly approve: true } | { readonly approve: false; readonly reason: string }

/** What makes a member think: a function, or a program behind one. */
export interface Driver {
  /** Does one turn's work and returns the last words. In plan mode these are a plan where none was handed in by tool. */
  turn(turn: Turn): Promise<string>
  /** Asked between turns; without it a member agrees. */
  shutdown?(reason: string): Promise<ShutdownAnswer>
  /** It has no tools to speak with: its last words are sent to whoever wrote to it. */
  readonly answersInWords?: boolean
  /** The request itself is a turn: the agent refuses with its own tools, and agrees by not refusing. */
  readonly decidesInTurn?: boolean
  /** What it hands in a plan with. */
  readonly planTool?: string
  /** Its last words are never a plan. */
  readonly plansByToolAlone?: boolean
  /** Ends whatever runs. Always finishes. */
  close?(): Promise<void>
}
