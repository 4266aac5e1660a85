import type { TeamRequestFact } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { away, refuse, scriptedServer } from "../../test/scripted-server.ts"
import { openQuestions } from "./questions.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = (more: Partial<TeamRequestFact> = {}): TeamRequestFact => ({
  team: "crew",
  at: "2026-01-01T00:00:00Z",
  fact: "request",
  request: "permission",
  requestId: "r1",
  member: "ann",
  text: "List files",
  toolName: "Bash",
  decidable: true,
  ...more,
})
const settled = {
  team: "crew",
  at: "2026-01-01T00:00:01Z",
  fact: "request_settled",
  request: "permission",
  requestId: "r1",
  member: "ann",
  approved: true,
} as const

interface Script {
  list?(): unknown[]
  create?(call: number): unknown
  withdraw?(call: number): unknown
}

function questionsTo({ list = () => [], create = () => undefined, withdraw = () => undefined }: Script = {}) {
  const server = scriptedServer({
    chorus_list_attentions: () => ({ attentions: list() }),
    chorus_create_attention: (_, call) => (create(call), { uuid: `q${call}` }),
    chorus_withdraw_attention: (_, call) => (withdraw(call), {}),
  })
  const questions = openQuestions(server.client, "laptop")
  return {
    ...server,
    questions,
    asked: () => server.inputsOf("chorus_create_attention"),
    withdrawn: () => server.inputsOf("chorus_withdraw_attention").map(({ attentionUuid }) => attentionUuid),
  }
}

describe("what a team member asks", () => {
  it("is put up with everything a person needs to decide", async () => {
    const { questions, asked } = questionsTo()
    questions.hear(request({ input: { command: "ls" }, program: "codex" }))
    await questions.close()
    expect(asked()).toEqual([
      {
        kind: "permission",
        title: "ann: Bash: ls",
        answerable: true,
        detail: {
          machine: "laptop",
          team: "crew",
          member: "ann",
          program: "codex",
          requestId: "r1",
          request: "permission",
          text: "List files",
          toolName: "Bash",
          input: { command: "ls" },
        },
      },
    ])
  })

  it.each([
    [
      "a plan, by its first words",
      { request: "plan" as const, toolName: undefined, text: "\n# Rebuild\nall of it" },
      "ann: # Rebuild",
    ],
    ["a plan without words", { request: "plan" as const, toolName: undefined, text: "" }, "ann: plan"],
    [
      "a tool with the file it is to write",
      { toolName: "write", input: { filepath: "/g/roses.txt", diff: "+rose" } },
      "ann: write: /g/roses.txt",
    ],
    ["a tool with a name in two lines", { toolName: "Bash\nrm" }, "ann: Bash rm"],
  ])("names %s", async (_, more, title) => {
    const { questions, asked } = questionsTo()
    questions.hear(request(more as Partial<TeamRequestFact>))
    await questions.close()
    expect(asked()[0]?.["title"]).toBe(title)
  })

  it("is found again after a restart: the same question has the same key, another has another, and every key fits into a header", async () => {
    const keyOf = async (fact: TeamRequestFact) => {
      const { questions, calls } = questionsTo()
      questions.hear(fact)
      await questions.close()
      return calls.find(({ name }) => name === "chorus_create_attention")?.idempotencyKey
    }
    const key = await keyOf(request({ team: "设计".repeat(60) }))
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(await keyOf(request({ team: "设计".repeat(60) }))).toBe(key)
    expect(await keyOf(request({ requestId: "r2" }))).not.toBe(await keyOf(request()))
  })

  it("is shown whole, or cannot be answered where it is too long for the server", async () => {
    const { questions, asked } = questionsTo()
    questions.hear(request({ input: { content: "c".repeat(140_000) } }))
    questions.hear(request({ requestId: "r2", input: { content: "c".repeat(300_000) } }))
    questions.hear(request({ requestId: "r3", request: "plan", toolName: undefined, text: "p".repeat(300_000) }))
    await questions.close()
    expect(asked().map(({ answerable }) => answerable)).toEqual([true, false, false])
    const details = asked().map(({ detail }) => detail as { text: string; input?: { content: string } })
    expect(details.map(({ input }) => input?.content.length)).toEqual([140_000, undefined, undefined])
    expect(details[2]?.text).toBe(`${"p".repeat(75_000)}…`)
    for (const detail of details) expect(JSON.stringify(detail).length).toBeLessThan(200_000)
  })

  it("is withdrawn when it was settled elsewhere", async () => {
    const { questions, withdrawn } = questionsTo()
    questions.hear(request())
    questions.hear(settled)
    await questions.close()
    expect(withdrawn()).toEqual(["q0"])
  })
})

describe("what a companion asked that has ended", () => {
  const attention = (uuid: string, detail: object) => ({ uuid, detail: { machine: "laptop", team: "crew", ...detail } })
  const before = [
    attention("answered", { member: "ann", requestId: "r1" }),
    attention("waits", { member: "ann", requestId: "r2" }),
    attention("left", { member: "bob", requestId: "r3" }),
    attention("team gone", { team: "old", member: "ann", requestId: "r1" }),
    attention("elsewhere", { machine: "desk", member: "bob", requestId: "r1" }),
    attention("a question of another kind", { machine: undefined }),
  ]
  const ann = { agentId: "ann@crew", name: "ann", joinedAt: 0 }
  const at = { team: "crew", at: "2026-01-01T00:00:00Z" }

  it("is taken back when it is over meanwhile, though nobody says so any more; the rest is not asked again", async () => {
    const { questions, asked, withdrawn } = questionsTo({ list: () => before })
    questions.hear({ ...at, fact: "member", member: ann, state: "needsInput", lead: false })
    questions.hear(settled)
    questions.hear(request({ requestId: "r2" }))
    questions.looked()
    await questions.close()
    expect([withdrawn(), asked()]).toEqual([["answered", "left", "team gone"], []])
    const later = questionsTo({ list: () => before })
    later.questions.hear({ ...at, fact: "member_left", name: "ann" })
    await later.questions.close()
    expect(later.withdrawn()).toEqual(["answered", "waits"])
  })
})

it("that a member is asked to go is nothing for a person", async () => {
  const { questions, asked } = questionsTo()
  questions.hear(request({ request: "shutdown" }))
  await questions.close()
  expect(asked()).toEqual([])
})

describe("while the server is away", () => {
  it("a question is kept and asked when it is back", async () => {
    let gone = true
    const { questions, asked, withdrawn } = questionsTo({ create: () => gone && away() })
    questions.hear(request())
    questions.hear(settled)
    questions.hear(request({ requestId: "r2" }))
    await vi.advanceTimersByTimeAsync(20_000)
    gone = false
    const before = asked().length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(
      asked()
        .slice(before)
        .map(({ detail }) => (detail as { requestId: string }).requestId),
    ).toEqual(["r1", "r2"])
    expect(withdrawn()).toHaveLength(1)
  })

  it("a question that is over is taken back when it is back", async () => {
    const { questions, withdrawn } = questionsTo({ withdraw: (call) => call < 6 && away() })
    questions.hear(request())
    questions.hear(settled)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(withdrawn()).toHaveLength(7)
  })

  it("the end does not wait for it", async () => {
    const { questions, calls } = questionsTo({ create: () => away() })
    for (const requestId of ["r1", "r2", "r3"]) questions.hear(request({ requestId }))
    const closing = questions.close()
    await vi.advanceTimersByTimeAsync(5000)
    await closing
    const before = calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(calls).toHaveLength(before)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("a question that the server refuses", () => {
  it("does not hold up the next", async () => {
    const { questions, asked } = questionsTo({ create: (call) => call === 0 && refuse("invalid_input", 400) })
    questions.hear(request())
    questions.hear(request({ requestId: "r2" }))
    await questions.close()
    expect(asked()).toHaveLength(2)
  })

  it("when it is taken back was answered: the next is asked", async () => {
    const { questions, asked } = questionsTo({ withdraw: () => refuse("already_answered", 409) })
    questions.hear(request())
    questions.hear(settled)
    questions.hear(request({ requestId: "r2" }))
    await questions.close()
    expect(asked()).toHaveLength(2)
  })
})
