import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { attentions, inbox, OutputOf, work } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { chorus, chorusJson, startChorus } from "../packages/cli/test/chorus-process.ts"

type Inbox = OutputOf<typeof inbox.inbox>
type Brief = work.TaskBrief

/** The words that docs/mcp.md gives to an agent. */
const TOLD = /```text\n(You work with Chorus[\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dirname, "../docs/mcp.md"), "utf8"),
)?.[1]

it("the first idea becomes verified work with a bare MCP client, told only what it is told", async () => {
  const directory = temporaryDirectory()
  const data = join(directory.path, "data")
  const server = await startChorus(["--data", data])
  const person = await signIn(server)
  const needsYou = async (kind: attentions.WaitingItem["kind"]) => {
    const { items } = await person<{ items: attentions.WaitingItem[] }>("chorus_needs_you", {})
    const found = items.filter((item) => item.kind === kind)
    expect(found, `what waits for the person, of kind ${kind}`).toHaveLength(1)
    return found[0] as attentions.WaitingItem
  }
  try {
    // As docs/get-started.md says.
    const project = await chorusJson<{ uuid: string }>(["project", "add", "Shop", "--data", data])
    const made = await chorus(["agent", "add", "helper", "--preset", "lead", "--data", data])
    const key = /cho_[\w-]{43}/.exec(made.stdout)?.[0] ?? ""
    const agent = await bareClient(`${server.url}/api/mcp?tools=lean`, key)
    for (const name of (TOLD ?? "").match(/chorus_\w+/g) ?? ["the words are missing"])
      expect(agent.tools, `told to call ${name}`).toContain(name)

    // The first idea: claimed, asked about, answered. Nobody accepts anything besides.
    await person("chorus_pm_create_idea", { projectUuid: project.uuid, title: "Guests can pay without an account" })
    const hello = await agent.call<{ next: Inbox["waits"]; cursor: number }>("chorus_checkin")
    const idea = hello.next.find(({ kind }) => kind === "idea")
    expect(idea?.title).toBe("Guests can pay without an account")
    const ideaUuid = idea?.uuid ?? ""
    await agent.call("chorus_claim_idea", { ideaUuid })
    await agent.call("chorus_pm_start_elaboration", {
      ideaUuid,
      depth: "minimal",
      questions: [
        {
          id: "basket",
          text: "What happens to a guest's basket?",
          category: "functional",
          options: [
            { id: "keep", label: "It is kept for 30 days" },
            { id: "drop", label: "It goes with the session" },
          ],
        },
      ],
    })
    const answered = agent.hear()
    const round = await needsYou("elaboration")
    await person("chorus_answer_elaboration", {
      ideaUuid: round.ideaUuid,
      answers: [{ questionId: "basket", selectedOptionId: "keep" }],
    })
    const toPlan = await answered
    expect(toPlan.waits[0]).toMatchObject({ kind: "plan", uuid: ideaUuid })
    expect(toPlan.news.map(({ message }) => message).join()).toContain("It is kept for 30 days")

    // The plan is rejected once, and mended from what the agent was told.
    const plan = (title: string, more: object = {}) =>
      agent.call<{ uuid: string }>("chorus_submit_plan", {
        projectUuid: project.uuid,
        title,
        ideaUuids: [ideaUuid],
        documents: [{ type: "tech_design", title: "Guest baskets", content: "A basket has a random id. ".repeat(6) }],
        tasks: [{ key: "store", title: "Keep baskets of guests", criteria: ["A basket survives a restart"] }],
        ...more,
      })
    await plan("Guest checkout")
    const rejected = agent.hear()
    const proposal = await needsYou("proposal")
    await person("chorus_pm_reject_proposal", { proposalUuid: proposal.uuid, reviewNote: "Call it Guest baskets." })
    const revise = (await rejected).waits[0]
    expect(revise).toMatchObject({ kind: "revise", uuid: proposal.uuid })
    const better = /Call it ([\w ]+)\./.exec(revise?.note ?? "")?.[1] ?? ""
    await plan(better, { proposalUuid: revise?.uuid })
    const approved = agent.hear()
    expect((await needsYou("proposal")).title).toBe("Guest baskets")
    await person("chorus_admin_approve_proposal", { proposalUuid: proposal.uuid })
    expect((await approved).waits.map(({ kind }) => kind)).toContain("ready")

    // A question in the middle, with its answer.
    const { task } = await agent.call<Brief>("chorus_next_task", { projectUuid: project.uuid })
    await agent.call("chorus_create_attention", {
      title: "Cookie or local storage?",
      options: ["cookie", "local storage"],
      taskUuid: task.uuid,
    })
    const told = agent.hear()
    const question = await needsYou("attention")
    expect(question.attention?.options).toEqual(["cookie", "local storage"])
    await person("chorus_answer_attention", { attentionUuid: question.uuid, answer: { text: "cookie" } })
    expect((await told).waits[0]).toMatchObject({ kind: "answer", title: "Cookie or local storage?", note: "cookie" })
    const criteria = task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, devStatus: "passed" }))
    const handIn = (report: string) =>
      agent.call<{ news: { waitingFor: string[] } }>("chorus_finish_task", { taskUuid: task.uuid, report, criteria })
    expect((await handIn("Kept in a cookie.")).news.waitingFor).toEqual([
      'a person, to verify "Keep baskets of guests"',
    ])
    const read = await person<{ state: string }>("chorus_get_attention", { attentionUuid: question.uuid })
    expect(read.state).toBe("answered")

    // Sent back with a reason, mended from it, verified.
    const back = agent.hear()
    await needsYou("task")
    await person("chorus_admin_reopen_task", { taskUuid: task.uuid, reason: "Say for how long it is kept." })
    const returned = (await back).waits.find(({ kind }) => kind === "returned")
    expect(returned).toMatchObject({ uuid: task.uuid, note: expect.stringContaining("Say for how long it is kept.") })
    expect((await person<{ state: string }>("chorus_get_attention", { attentionUuid: question.uuid })).state).toBe(
      "delivered",
    )
    await handIn("Kept in a cookie for 30 days.")
    const done = agent.hear()
    await person("chorus_mark_acceptance_criteria", {
      taskUuid: task.uuid,
      criteria: criteria.map(({ uuid }) => ({ uuid, status: "passed" })),
    })
    await person("chorus_admin_verify_task", { taskUuid: task.uuid })
    expect((await done).news.map(({ action }) => action)).toContain("task_verified")
    const over = await agent.call<{ task?: object | null; reason: string }>("chorus_next_task", {
      projectUuid: project.uuid,
    })
    expect(over.task ?? null).toBeNull()
    expect(over.reason).toBe("Everything is done: 1 task.")
    expect((await person<{ total: number }>("chorus_needs_you", {})).total).toBe(0)
    expect(agent.empty, "times that it waited in vain").toBe(0)
    await agent.close()
  } finally {
    await server.end()
    await directory.remove()
  }
})

it("what connect makes may plan and build, and says so; a program connected before keeps what it may", async () => {
  const directory = temporaryDirectory()
  const data = join(directory.path, "data")
  const server = await startChorus(["--data", data])
  try {
    const env = { HOME: directory.path, XDG_CONFIG_HOME: join(directory.path, ".config") }
    const connected = await chorus(["connect", "opencode", "--data", data], env)
    expect(connected.stdout).toMatch(/added the agent opencode on .+, lead: it plans and builds/)
    const key = /cho_[\w-]{43}/.exec(connected.stdout)?.[0] ?? ""
    const agent = await bareClient(`${server.url}/api/mcp?tools=lean`, key)
    expect(agent.tools).toEqual(
      expect.arrayContaining(["chorus_claim_idea", "chorus_submit_plan", "chorus_finish_task"]),
    )
    await agent.close()
    const narrowed = await chorus(["connect", "opencode", "--preset", "developer", "--data", data], env)
    expect(narrowed.stdout).toContain("developer: it builds tasks; with --preset lead it plans too")
    expect((await chorus(["connect", "opencode", "--data", data], env)).stdout).toContain("developer: it builds tasks")
  } finally {
    await server.end()
    await directory.remove()
  }
})

/** A client that calls only what it is shown, and hears by one call that waits. */
async function bareClient(url: string, key: string) {
  const client = new Client({ name: "bare", version: "1" })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  let cursor: number | undefined
  let empty = 0
  const call = async <T = object>(name: string, input: object = {}): Promise<T> => {
    expect(tools, `${name} is shown`).toContain(name)
    const { content, isError } = await client.callTool({ name, arguments: { ...input } })
    const text = (content as { text: string }[])[0]?.text ?? ""
    if (isError === true) throw new Error(`${name}: ${text}`)
    const answer = JSON.parse(text) as T & { cursor?: number }
    cursor = answer.cursor ?? cursor
    return answer
  }
  return {
    tools,
    call,
    get empty() {
      return empty
    },
    hear: async () => {
      const heard = await call<Inbox>("chorus_inbox", { after: cursor, wait_seconds: 50 })
      if (!heard.fresh) empty += 1
      return heard
    },
    close: () => client.close(),
  }
}

/** A person as the page is one: signed in by the printed link. */
async function signIn({ url, signIn: link }: { url: string; signIn: string | null }) {
  const headers = { "content-type": "application/json", origin: url }
  const answer = await fetch(`${url}/api/auth/link`, {
    method: "POST",
    headers,
    body: JSON.stringify({ token: link?.split("#")[1] }),
  })
  const cookie = answer.headers.getSetCookie().map((set) => set.split(";")[0])
  return async <T = object>(name: string, input: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${name}`, {
      method: "POST",
      headers: { ...headers, cookie: cookie.join("; ") },
      body: JSON.stringify(input),
    })
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
    return (await response.json()) as T
  }
}
