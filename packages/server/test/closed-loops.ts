import type { OutputOf, tasks, work } from "@chorus/contracts"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type ChorusServer, makeSignInToken } from "../src/index.ts"
import { Browser } from "./browser.ts"

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly next: string
  readonly details: Record<string, unknown>
}

/** An agent as its program is: a key, and the tools that the lean list shows it. */
export interface Hand {
  readonly uuid: string
  /** Calls a tool that the list shows; one that it does not show is a mistake of the test. */
  use<T = Record<string, unknown>>(tool: string, input: object): Promise<T>
  /** What the tool says when it refuses. */
  refused(tool: string, input: object): Promise<string>
  readonly tools: readonly string[]
  close(): Promise<void>
}

/** A person in a browser and agents that the person made, each at its own door. */
export async function person(server: ChorusServer) {
  const browser = new Browser(server)
  const { uuid } = await server.store.db
    .selectFrom("users")
    .select("uuid")
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  await browser.open(`#${await makeSignInToken(server.store, uuid, new Date())}`)
  const call = async <T = Record<string, unknown>>(operation: string, input: object = {}): Promise<T> => {
    const answer = await browser.call(operation, input)
    if (answer.status !== 200) throw Object.assign(new Error(JSON.stringify(answer.body)), answer.body["error"])
    return answer.body as T
  }
  const hire = async (name: string, preset: "developer" | "pm" | "admin", list = "?tools=lean"): Promise<Hand> => {
    const agent = await call<{ uuid: string }>("chorus_create_agent", { name, presets: [preset] })
    const { key } = await call<{ key: string }>("chorus_create_key", { agentUuid: agent.uuid })
    return handAt(`${server.url}/api/mcp${list}`, { name, key, uuid: agent.uuid })
  }
  return { uuid, call, hire }
}

/** The hand of an agent at an MCP address. */
export async function handAt(address: string, { name, key, uuid }: { name: string; key: string; uuid: string }) {
  const client = new Client({ name, version: "1" })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  const tools = (await client.listTools()).tools.map((tool) => tool.name)
  const send = async (tool: string, input: object) => {
    if (!tools.includes(tool)) throw new Error(`${name} is not shown ${tool}`)
    return client.callTool({ name: tool, arguments: { ...input } })
  }
  const hand: Hand = {
    uuid,
    tools,
    async use<T>(tool: string, input: object) {
      const { isError, content, structuredContent } = await send(tool, input)
      if (isError === true) throw new Error(JSON.stringify(content))
      return (structuredContent ?? JSON.parse(textOf(content))) as T
    },
    async refused(tool, input) {
      const { isError, content } = await send(tool, input)
      if (isError !== true) throw new Error(`${tool} was not refused: ${JSON.stringify(content)}`)
      return textOf(content)
    },
    close: () => client.close(),
  }
  return hand
}

export type Person = Awaited<ReturnType<typeof person>>
export type Brief = work.TaskBrief
export type Detail = OutputOf<typeof tasks.getTask>

function textOf(content: unknown): string {
  return (content as { type: string; text?: string }[]).map(({ text }) => text ?? "").join("\n")
}

/** An approved plan of a planner's, as the page and the planner's tools make it. */
export async function approvedPlan(
  owner: Pick<Person, "call">,
  planner: Hand,
  plan: { tasks: object[]; documents?: object[] },
) {
  const { uuid: projectUuid } = await owner.call<{ uuid: string }>("chorus_admin_create_project", { name: "Shop" })
  const idea = await owner.call<{ uuid: string }>("chorus_pm_create_idea", {
    projectUuid,
    title: "Guests can pay",
    content: "Without an account, please.",
  })
  const { uuid: proposalUuid } = await planner.use<{ uuid: string }>("chorus_submit_plan", {
    projectUuid,
    title: "Guest checkout",
    description: "How guests pay.",
    ideaUuids: [idea.uuid],
    skipElaboration: "It is clear.",
    documents: plan.documents ?? [{ type: "tech_design", title: "Baskets", content: DESIGN }],
    tasks: plan.tasks,
  })
  const { materializedTasks, materializedDocuments } = await owner.call<{
    materializedTasks: { taskUuid: string; title: string }[]
    materializedDocuments: { documentUuid: string; title: string }[]
  }>("chorus_admin_approve_proposal", { proposalUuid })
  const taskOf = (title: string) => materializedTasks.find((task) => task.title === title)?.taskUuid ?? ""
  return {
    projectUuid,
    ideaUuid: idea.uuid,
    proposalUuid,
    taskOf,
    documentUuid: materializedDocuments[0]?.documentUuid ?? "",
  }
}

export const DESIGN = `# Guest checkout

Why this is done: one in three visitors leaves when an account is asked for. The figures are from the last quarter.

## Baskets

A guest's basket gets a random id that the browser keeps in a cookie named basket. It lives in the table baskets and goes after 30 days.

## Payment

The payment page calls POST /payments with the id of the basket and asks for no password.

## Mail

The receipt is sent by the queue, never by the page itself, so that a slow mail server holds nobody up.
`
