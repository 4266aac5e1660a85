import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server"

type McpRequest = ServerContext["mcpReq"]
type Result = CallToolResult & { structuredContent?: Record<string, unknown> }
type Call = (name: string, input: Record<string, unknown>) => Promise<Result>

const ANSWER = "answer"

/** Whether the client can put a question to the person at its window and call again with the answer. */
export function mayElicit({ envelope }: McpRequest): boolean {
  const capabilities = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
  return typeof capabilities === "object" && capabilities !== null && "elicitation" in capabilities
}

/**
 * An agent's question to a person, asked on the page and in the agent's own window at once. The first call asks it and tells the client to
 * ask too; the second brings what was said there. Whoever was first is heard, and an answer that was not given leaves the question open.
 */
export async function askInWindow(
  call: Call,
  params: { readonly arguments?: Record<string, unknown> | undefined },
  { inputResponses, requestState }: McpRequest,
): Promise<Result | InputRequiredResult> {
  const attentionUuid = requestState<string>()
  if (attentionUuid !== undefined) {
    const text = acceptedContent(inputResponses, ANSWER)?.[ANSWER]
    return typeof text === "string" && text.trim() !== ""
      ? call("chorus_relay_answer", { attentionUuid, text })
      : call("chorus_get_attention", { attentionUuid })
  }
  const asked = await call("chorus_create_attention", params.arguments ?? {})
  const row = asked.structuredContent ?? read(asked)
  if (asked.isError === true || row?.["kind"] !== "input" || row["answerable"] !== true) return asked
  const options = Array.isArray(row["options"]) ? row["options"].map(String) : []
  const description = options.length === 0 ? {} : { description: options.join(" / ") }
  return inputRequired({
    inputRequests: {
      [ANSWER]: inputRequired.elicit({
        message: [row["title"], (row["detail"] as { text?: string } | undefined)?.text].filter(Boolean).join("\n\n"),
        requestedSchema: {
          type: "object",
          properties: { [ANSWER]: { type: "string", title: "Answer", ...description } },
          required: [ANSWER],
        },
      }),
    },
    requestState: String(row["uuid"]),
  })
}

/** An answer may come as text alone. */
function read({ content }: Result): Record<string, unknown> | undefined {
  const [first] = content
  return first?.type === "text" ? (JSON.parse(first.text) as Record<string, unknown>) : undefined
}
