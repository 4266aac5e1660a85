import { ChorusError } from "@chorus/contracts"

export interface ToolAnswer {
  readonly [key: string]: unknown
  readonly content: { type: "text"; text: string }[]
  readonly isError?: boolean
}

/** A tool's result as compact JSON; a refusal comes back as text the agent can act on, not as a broken call. */
export async function answering(work: () => Promise<unknown>): Promise<ToolAnswer> {
  try {
    const value = await work()
    return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] }
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: error.toBody() }) }] }
  }
}
