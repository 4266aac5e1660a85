import type { z } from "zod"
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
  readonly input: Input
  readonly output: Output
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
