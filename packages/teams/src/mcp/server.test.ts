import { existsSync } from "node:fs"
import { join } from "node:path"
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { found, ledByClaude, scratchFolder, scratchTeam } from "../../test/scratch-team.ts"
import { answerPermission } from "../protocol/send.ts"
import { openTeam, type Team } from "../team.ts"
import { type SpawnRequest, type TeamToolsOptions, teamToolServer } from "./server.ts"

interface Called {
  readonly failed: boolean
  readonly value: unknown
}

/** The tools of one member, as an agent calls them. */
async function toolsOf(
  root: string,
  name: string,
  options: Pick<TeamToolsOptions, "spawn" | "planning" | "plans"> = {},
) {
  const server = teamToolServer({ root, team: "t", name, ...options })
  const client = new Client({ name: "test", version: "1" })
  const [one, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(one), client.connect(other)])
  onTestFinished(() => client.close())
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name)
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<Called> => {
    const result = await client.callTool({ name: tool, arguments: args })
    const [first] = result.content as { text: string }[]
    return { failed: result.isError === true, value: JSON.parse(first?.text ?? "null") }
  }
  return { call, names }
}

const refused = (code: string) => ({ failed: true, value: { error: { code } } })

describe("the tools of a member", () => {
  it("are fewer than the lead's, and Spawn is there only where somebody can start members", async () => {
    const { paths } = await scratchTeam(["bob"])
    const member = await (await toolsOf(paths.root, "bob")).names()
    expect(member.sort()).toEqual([
      "AskPermission",
      "ReadInbox",
      "SendMessage",
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskUpdate",
      "TeamStatus",
    ])
    expect(await (await toolsOf(paths.root, "team-lead")).names()).not.toContain("Spawn")
    expect(await (await toolsOf(paths.root, "bob", { spawn: async () => "" })).names()).not.toContain("Spawn")
    expect(await (await toolsOf(paths.root, "team-lead", { spawn: async () => "" })).names()).toContain("Spawn")
  })

  it("say who is in the team", async () => {
    const team = await scratchTeam(["bob"])
    await team.patchMember("bob", { isActive: true })
    const { call } = await toolsOf(team.paths.root, "bob")
    expect((await call("TeamStatus")).value).toEqual({
      team: "t",
      members: [
        { name: "team-lead", agentType: "team-lead" },
        { name: "bob", color: "blue", isActive: true },
      ],
    })
  })

  it("take each message once, with its kind", async () => {
    const team = await scratchTeam(["bob"])
    await team.deliver({
      from: "team-lead",
      to: "bob",
      text: "hi",
      summary: "s",
      timestamp: "2027-01-01T00:00:00.000Z",
    })
    await team.deliver({ from: "x", to: "bob", text: '{"type":"new_kind"}' })
    const { call } = await toolsOf(team.paths.root, "bob")
    expect((await call("ReadInbox")).value).toMatchObject([
      { from: "team-lead", kind: "message", text: "hi", summary: "s", timestamp: "2027-01-01T00:00:00.000Z" },
      { kind: "new_kind" },
    ])
    expect((await call("ReadInbox")).value).toEqual([])
  })

  it("take nobody else's messages, and write in nobody else's name", async () => {
    const team = await ledByClaude(await scratchTeam(["code reviewer"]))
    for (const to of ["code reviewer", "team-lead"]) await team.deliver({ from: "x", to, text: "for you alone" })
    for (const [name, code] of [
      ["code-reviewer", "anothers_inbox"],
      ["team-lead", "not_the_lead"],
    ] as const) {
      const { call } = await toolsOf(team.paths.root, name)
      expect(await call("ReadInbox"), name).toMatchObject(refused(code))
      expect(await call("SendMessage", { to: "code reviewer", message: "psst" }), name).toMatchObject(refused(code))
    }
    for (const reader of ["code reviewer", "team-lead"]) expect(await team.unread(reader)).toHaveLength(1)
  })

  it("answer with team_gone, and go on, when the team is taken away and made again", async () => {
    const team = await scratchTeam(["bob"])
    const lead = await toolsOf(team.paths.root, "team-lead")
    await team.delete({ force: true })
    expect(await lead.call("TaskList")).toMatchObject(refused("team_gone"))
    expect((await lead.call("TeamCreate", { description: "again" })).value).toMatchObject({
      team_name: "t",
      lead_agent_id: "team-lead@t",
    })
    expect((await lead.call("TaskList")).value).toEqual([])
  })

  it("ask a person for a permission and bring the answer", async () => {
    const team = await scratchTeam(["bob"])
    const { call } = await toolsOf(team.paths.root, "bob")
    const ask = async (input: Record<string, unknown>, approved: boolean) => {
      const asking = call("AskPermission", { tool_name: "Bash", input, tool_use_id: "u" })
      const request = await found(async () => (await team.take("team-lead"))[0])
      const { request_id: requestId, description } = JSON.parse(request.entry.text) as {
        request_id: string
        description: string
      }
      await answerPermission(
        team,
        "bob",
        approved ? { requestId, approved, updatedInput: { command: "ls -a" } } : { requestId, approved, reason: "no" },
        { decided: true },
      )
      return [description, (await asking).value]
    }
    expect(await ask({ command: "ls", description: "List" }, true)).toEqual([
      "List",
      { behavior: "allow", updatedInput: { command: "ls -a" } },
    ])
    expect(await ask({ command: "rm" }, false)).toEqual(['{"command":"rm"}', { behavior: "deny", message: "no" }])
  })
})

describe("asking for permission while a member plans", () => {
  it("hands in its plan when it asks to leave plan mode, and is refused at once for all that could change something", async () => {
    const team = await scratchTeam(["bob"])
    const { call } = await toolsOf(team.paths.root, "bob", { planning: true })
    const ask = async (tool_name: string, input: object = {}) => {
      const { behavior, message } = (await call("AskPermission", { tool_name, input })).value as Record<string, string>
      return [behavior, message]
    }
    for (const tool of ["Write", "Edit", "Bash", "mcp__disk__write"])
      expect(await ask(tool)).toEqual(["deny", expect.stringContaining("plan mode")])
    expect(await ask("ExitPlanMode", { plan: " " })).toEqual(["deny", expect.stringContaining("no plan yet")])
    expect(await team.inbox("team-lead")).toEqual([])
    expect(await ask("ExitPlanMode", { plan: "# A", planFilePath: "/plans/a.md" })).toEqual([
      "deny",
      expect.stringContaining("waits for a decision"),
    ])
    await ask("ExitPlanMode", { plan: "# B" })
    const plans = (await team.inbox("team-lead")).map(({ entry }) => JSON.parse(entry.text) as Record<string, string>)
    expect(plans.map(({ type, planContent, planFilePath }) => [type, planContent, planFilePath])).toEqual([
      ["plan_approval_request", "# A", "/plans/a.md"],
      ["plan_approval_request", "# B", expect.stringContaining(join(team.paths.root, "plans"))],
    ])
  })
})

describe("planning", () => {
  it("with a program that has no tool for it, hands in a plan with ours, while it plans and then alone", async () => {
    const team = await scratchTeam(["bob"])
    const [planning, acting] = [
      await toolsOf(team.paths.root, "bob", { plans: true }),
      await toolsOf(team.paths.root, "bob"),
    ]
    expect(await acting.names()).not.toContain("SubmitPlan")
    expect(await planning.call("SubmitPlan", { plan: "# A" })).toMatchObject({
      failed: false,
      value: { success: true },
    })
    const [request] = await team.inbox("team-lead")
    expect(JSON.parse(request?.entry.text ?? "")).toMatchObject({ type: "plan_approval_request", planContent: "# A" })
  })

  it("of one's own accord begins and ends without anybody being asked", async () => {
    const team = await scratchTeam(["bob"])
    const { call } = await toolsOf(team.paths.root, "bob")
    for (const tool_name of ["EnterPlanMode", "ExitPlanMode"])
      expect((await call("AskPermission", { tool_name, input: { plan: "# A" } })).value).toEqual({
        behavior: "allow",
        updatedInput: { plan: "# A" },
      })
    expect(await team.inbox("team-lead")).toEqual([])
  })
})

describe("the tools for tasks", () => {
  const shared = async () => {
    const team = await scratchTeam(["alice", "bob"])
    const [alice, bob, lead] = await Promise.all(
      ["alice", "bob", "team-lead"].map((name) => toolsOf(team.paths.root, name)),
    )
    if (alice === undefined || bob === undefined || lead === undefined) throw new Error("three sets of tools expected")
    return { team, alice, bob, lead }
  }

  it("take a task for the one who calls, and the loser is told who has it", async () => {
    const { alice, bob } = await shared()
    await alice.call("TaskCreate", { subject: "A", description: "a", activeForm: "Doing A" })
    expect((await alice.call("TaskUpdate", { taskId: "1", status: "in_progress" })).value).toMatchObject({
      owner: "alice",
      status: "in_progress",
      activeForm: "Doing A",
    })
    expect(await bob.call("TaskUpdate", { taskId: "1", status: "in_progress" })).toMatchObject({
      failed: true,
      value: { error: { code: "already_claimed", details: { owner: "alice" } } },
    })
    expect(
      await alice.call("TaskUpdate", { taskId: "1", status: "in_progress", owner: "alice", subject: "A2" }),
    ).toMatchObject({ failed: false, value: { subject: "A2", owner: "alice" } })
  })

  it("set the lead's task in progress without giving it to the lead", async () => {
    const { lead } = await shared()
    await lead.call("TaskCreate", { subject: "A", description: "a" })
    expect((await lead.call("TaskUpdate", { taskId: "1", status: "in_progress" })).value).not.toHaveProperty("owner")
  })

  it("tell a new owner, and have none who is not in the team", async () => {
    const { team, lead } = await shared()
    await lead.call("TaskCreate", { subject: "A", description: "a" })
    await lead.call("TaskUpdate", { taskId: "1", owner: "bob" })
    expect((await team.unread("bob")).map(({ entry }) => JSON.parse(entry.text) as unknown)).toMatchObject([
      { type: "task_assignment", taskId: "1", subject: "A", assignedBy: "team-lead" },
    ])
    const changed = { taskId: "1", subject: "B", owner: "stranger" }
    expect(await lead.call("TaskUpdate", changed)).toMatchObject(refused("no_such_member"))
    expect(await team.task("1")).toMatchObject({ owner: "bob", subject: "A" })
    expect(existsSync(team.paths.inbox("stranger"))).toBe(false)
  })

  it("list what matters and hide what is internal", async () => {
    const { alice } = await shared()
    await alice.call("TaskCreate", { subject: "A", description: "long", metadata: { a: 1 } })
    await alice.call("TaskCreate", { subject: "hidden", description: "", metadata: { _internal: true } })
    await alice.call("TaskCreate", { subject: "B", description: "", blockedBy: ["1"] })
    expect((await alice.call("TaskList")).value).toEqual([
      { id: "1", subject: "A", status: "pending", blockedBy: [] },
      { id: "3", subject: "B", status: "pending", blockedBy: ["1"] },
    ])
    expect((await alice.call("TaskGet", { taskId: "1" })).value).toMatchObject({
      description: "long",
      metadata: { a: 1 },
      blocks: ["3"],
    })
  })

  it("delete a task and refuse what is not there", async () => {
    const { alice } = await shared()
    await alice.call("TaskCreate", { subject: "A", description: "" })
    expect((await alice.call("TaskUpdate", { taskId: "1", status: "deleted" })).value).toEqual({
      id: "1",
      status: "deleted",
    })
    expect(await alice.call("TaskGet", { taskId: "1" })).toMatchObject(refused("no_such_task"))
    expect(await alice.call("TaskUpdate", { taskId: "../config", status: "completed" })).toMatchObject(
      refused("no_such_task"),
    )
    expect(await alice.call("TaskCreate", { subject: "B", description: "", blockedBy: ["9"] })).toMatchObject(
      refused("no_such_task"),
    )
  })
})

describe("the tools of a lead", () => {
  it("make a team, start a member in it and remove it once it is empty", async () => {
    const root = scratchFolder()
    const asked: SpawnRequest[] = []
    const spawn = async (team: Team, request: SpawnRequest) => {
      asked.push(request)
      await team.join({ name: request.name })
      return { success: true }
    }
    const lead = await toolsOf(root, "team-lead", { spawn })
    await lead.call("TeamCreate")
    expect(await lead.call("TeamCreate")).toMatchObject(refused("team_exists"))
    await lead.call("Spawn", { name: "bob", prompt: "go", subagent_type: "Explore", mode: "plan", program: "codex" })
    expect(asked).toEqual([{ name: "bob", prompt: "go", agentType: "Explore", mode: "plan", program: "codex" }])
    expect(await lead.call("TeamDelete")).toMatchObject(refused("team_not_empty"))
    await (await openTeam("t", { root })).leave("bob")
    expect((await lead.call("TeamDelete")).value).toEqual({ success: true, message: 'Team "t" deleted' })
  })
})
