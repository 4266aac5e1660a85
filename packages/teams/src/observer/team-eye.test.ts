import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TeamDecision, TeamFact } from "@chorus/contracts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { codeOf, found, ledByClaude, scratchTeam } from "../../test/scratch-team.ts"
import { updateConfig } from "../files/config-file.ts"
import {
  answerPermission,
  answerPlan,
  broadcast,
  requestPermission,
  requestPlanApproval,
  sendMessage,
} from "../protocol/send.ts"
import { writeHostNote, writeProcessNote } from "../runtime/host-note.ts"
import { writeSpawnNote } from "../runtime/spawn-note.ts"
import { createTeam, type Team } from "../team.ts"
import { TeamObserver } from "./team-observer.ts"

function observed(team: Team, teams?: string[]) {
  const facts: TeamFact[] = []
  const observer = new TeamObserver({ root: team.paths.root, teams, onFact: (fact) => facts.push(fact) })
  onTestFinished(() => observer.close())
  const told = async <K extends TeamFact["fact"]>(kind: K) => {
    await observer.look()
    return facts.filter((fact): fact is Extract<TeamFact, { fact: K }> => fact.fact === kind)
  }
  return { observer, facts, told }
}

const entry = (from: string, text: string) => ({ from, text, timestamp: "2026-01-01T00:00:00.000Z" })
const words = (to: string, by: string, team = "t", text = "hello"): TeamDecision => ({
  decision: "message",
  team,
  by,
  to,
  text,
})

describe("watching a team", () => {
  it("tells only of the teams it is asked for", async () => {
    const team = await scratchTeam()
    await createTeam({ name: "other" }, { root: team.paths.root })
    const { told } = observed(team, ["other"])
    expect((await told("team")).map((fact) => fact.team)).toEqual(["other"])
  })

  it("hears what is sent to a name that is no file name as sent to that member", async () => {
    const team = await scratchTeam(["bob"])
    const odd = { agentId: "größe@t", name: "größe", joinedAt: 0 }
    await updateConfig(team.paths, (config) => ({ ...config, members: [...config.members, odd] }))
    await sendMessage(team, { from: "bob", to: "größe", content: "hello" })
    expect((await observed(team).told("message")).map(({ from, to }) => [from, to])).toEqual([["bob", "größe"]])
  })

  it("tells a member again only when something about it changed", async () => {
    const team = await scratchTeam(["bob"])
    const { told } = observed(team)
    await told("member")
    await team.patchMember("bob", { isActive: true })
    await told("member")
    expect((await told("member")).filter((fact) => fact.member.name === "bob").map((fact) => fact.state)).toEqual([
      "unknown",
      "working",
    ])
  })

  it("takes the members in a lead's own process for dead when that has ended, and no others", async () => {
    const team = await scratchTeam(["alice", "outsider"])
    await team.patchMember("alice", { tmuxPaneId: "in-process", backendType: "in-process", isActive: false })
    await team.patchMember("outsider", { isActive: false })
    const { pid = 0 } = spawnSync("true")
    for (const leadProcess of [{ pid: process.pid }, { pid }]) {
      await updateConfig(team.paths, (config) => ({ ...config, leadProcess }))
      const states = (await observed(team).told("member")).map(({ member, state }) => [member.name, state])
      const dead = leadProcess.pid === pid
      expect(states).toEqual([
        ["team-lead", dead ? "dead" : "unknown"],
        ["alice", dead ? "dead" : "idle"],
        ["outsider", "idle"],
      ])
    }
  })

  it("hears a message that was taken before it could look, from the history", async () => {
    const team = await ledByClaude(await scratchTeam(["bob"]))
    await team.deliver({ from: "alice", to: "bob", text: "quick" })
    await team.take("bob")
    const { told } = observed(team)
    expect((await told("message")).map(({ from, to, text }) => [from, to, text])).toEqual([["alice", "bob", "quick"]])
  })

  it("tells each of two equal messages, once each, however often it looks", async () => {
    const team = await scratchTeam(["bob"])
    writeFileSync(team.paths.inbox("bob"), JSON.stringify([entry("x", "same"), entry("x", "same")]))
    const { told } = observed(team)
    await told("message")
    expect(await told("message")).toHaveLength(2)
  })

  it("tells a changed task and one that went, and not the ones that stayed", async () => {
    const team = await scratchTeam()
    for (const subject of ["a", "b"]) await team.createTask({ subject, description: "" })
    const { told } = observed(team)
    await told("task")
    await team.updateTask("2", { subject: "B" })
    await team.updateTask("1", { status: "deleted" })
    expect((await told("task")).map(({ task }) => task.subject)).toEqual(["a", "b", "B"])
    expect((await told("task_removed")).map(({ taskId }) => taskId)).toEqual(["1"])
  })

  it("notices when a team takes the name of one that is gone", async () => {
    const team = await scratchTeam(["bob"])
    const { told } = observed(team)
    await told("team")
    await team.delete({ force: true })
    expect(await told("team_gone")).toHaveLength(1)
    await createTeam({ name: "t", description: "the second" }, { root: team.paths.root })
    expect((await told("team")).map((fact) => fact.description)).toEqual([undefined, "the second"])
  })

  it("goes on after somebody it told could not take it", async () => {
    const team = await scratchTeam()
    const told: string[] = []
    const observer = new TeamObserver({
      root: team.paths.root,
      onFact({ fact, team: name }) {
        if (fact === "team_gone") throw new Error("the page is away")
        if (fact === "team") told.push(name)
      },
    })
    onTestFinished(() => observer.close())
    await observer.look()
    await team.delete()
    await observer.look().catch(() => undefined)
    await createTeam({ name: "next" }, { root: team.paths.root })
    await observer.look()
    expect(told).toEqual(["t", "next"])
  })

  it("tells within two seconds that a process died, and that what it asked is over", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const team = await scratchTeam(["bob"])
    await requestPermission(team, "bob", { toolName: "Bash", toolUseId: "u", description: "d", input: {} })
    const { facts, told } = observed(team)
    await told("request")
    const child = spawn("sleep", ["60"])
    writeProcessNote(team.paths, "bob", child.pid ?? 0)
    child.kill("SIGKILL")
    await new Promise((resolve) => child.once("exit", resolve))
    vi.advanceTimersByTime(2_000)
    await found(async () => facts.find((fact) => fact.fact === "member" && fact.state === "dead"))
    expect(facts.filter((fact) => fact.fact === "request_settled")).toMatchObject([{ member: "bob", approved: false }])
  })

  it("tells a lead once that a member has died, whoever looks, and again of another death", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const team = await scratchTeam(["bob"])
    const died = async (name: string) => {
      const child = spawn("sleep", ["60"])
      writeProcessNote(team.paths, name, child.pid ?? 0)
      child.kill("SIGKILL")
      await new Promise((resolve) => child.once("exit", resolve))
    }
    const toldTo = async () =>
      (await team.inbox("team-lead")).map(({ entry }) => [entry.from, JSON.parse(entry.text) as object])
    const failed = { idleReason: "failed", completedStatus: "failed", failureReason: "Its process has ended." }
    const bobs = ["bob", expect.objectContaining({ type: "idle_notification", from: "bob", ...failed })]
    /** What a companion does that lives long enough to see it twice. */
    const lookLong = async (count: number) => {
      const now = vi.spyOn(team.clock, "now")
      onTestFinished(() => now.mockRestore())
      const observers = Array.from(
        { length: 3 },
        () => new TeamObserver({ root: team.paths.root, tellsLeads: true, onFact: () => undefined }),
      )
      for (const late of [0, 1_000, 2_000]) {
        now.mockReturnValue(Date.now() + late)
        for (const observer of observers) await observer.look()
      }
      await found(async () => ((await toldTo()).length >= count ? true : undefined))
      for (const observer of observers) observer.close()
    }
    await died("bob")
    await lookLong(1)
    expect(await toldTo()).toEqual([bobs])
    await lookLong(1)
    expect(await toldTo()).toEqual([bobs])
    await died("bob")
    await lookLong(2)
    expect(await toldTo()).toEqual([bobs, bobs])
  })

  it("tells nothing of what a member asked before it was started again, but of its plan", async () => {
    const team = await scratchTeam(["bob"])
    await requestPermission(team, "bob", { toolName: "Bash", toolUseId: "u", description: "old", input: {} })
    const plan = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    await new Promise((wake) => setTimeout(wake, 20))
    writeHostNote(team.paths, "bob")
    const asked = await requestPermission(team, "bob", {
      toolName: "Bash",
      toolUseId: "u",
      description: "new",
      input: {},
    })
    expect((await observed(team).told("request")).map(({ requestId }) => requestId)).toEqual([plan, asked])
  })

  it("tells what a member asked in the very millisecond in which it was started", async () => {
    const team = await scratchTeam(["bob"])
    writeHostNote(team.paths, "bob")
    const asked = await requestPermission(team, "bob", {
      toolName: "Bash",
      toolUseId: "u",
      description: "new",
      input: {},
    })
    const [{ sentAt } = { sentAt: "" }] = await observed(team).told("message")
    const within = (Date.parse(sentAt) + 0.8) / 1_000
    utimesSync(join(team.paths.own, "hosts", "bob.json"), within, within)
    expect((await observed(team).told("request")).map(({ requestId }) => requestId)).toEqual([asked])
  })

  it("tells that what a member of a team asked is over with the team", async () => {
    const team = await scratchTeam(["bob"])
    const requestId = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    const { told } = observed(team)
    await told("request")
    await team.delete({ force: true })
    expect(await told("request_settled")).toMatchObject([{ requestId, approved: false }])
  })

  it("is quiet after close", async () => {
    const team = await scratchTeam(["bob"])
    const { observer, facts, told } = observed(team)
    await told("team")
    observer.close()
    const before = facts.length
    await team.deliver({ from: "x", to: "bob", text: "unheard" })
    await observer.look()
    expect(facts).toHaveLength(before)
  })
})

describe("hostile files", () => {
  it.each<[string, (team: Team) => void]>([
    ["a folder in the place of an inbox", (team) => mkdirSync(team.paths.inbox("evil"))],
    ["an inbox with a name that is not safe", (team) => writeFileSync(join(team.paths.inboxes, "a b.json"), "[]")],
    ["a link in the place of an inbox", (team) => symlinkSync(team.paths.config, team.paths.inbox("linked"))],
    [
      "a folder in the place of a history",
      (team) => mkdirSync(join(team.paths.own, "history", "bob.jsonl"), { recursive: true }),
    ],
    ["an inbox of odd things", (team) => writeFileSync(team.paths.inbox("odd"), '[null,7,"x",{"from":1}]')],
    [
      "a request from nobody one could write to",
      (team) => writeFileSync(team.paths.inbox("team-lead"), JSON.stringify([entry("../../etc", planText("p9"))])),
    ],
    ["a task that is a folder", (team) => mkdirSync(team.paths.task("7"))],
    [
      "a note of a host that is damaged",
      (team) => (
        mkdirSync(join(team.paths.own, "hosts")),
        writeFileSync(join(team.paths.own, "hosts", "bob.json"), "null")
      ),
    ],
  ])("such as %s keep nobody from seeing the rest", async (_, harm) => {
    const team = await ledByClaude(await scratchTeam(["bob"]))
    harm(team)
    await team.deliver({ from: "alice", to: "bob", text: "seen" })
    await team.createTask({ subject: "seen too", description: "" })
    const { told } = observed(team)
    expect((await told("message")).map(({ text }) => text)).toContain("seen")
    expect((await told("task")).map(({ task }) => task.subject)).toEqual(["seen too"])
    expect((await told("member")).map(({ member }) => member.name)).toContain("bob")
  })

  it("such as a roster that becomes nonsense leave what is known as it is", async () => {
    const team = await scratchTeam(["bob"])
    const { told } = observed(team)
    await told("member")
    writeFileSync(team.paths.config, '{"members":"gone"}')
    expect(await told("member_left")).toEqual([])
  })
})

describe("requests", () => {
  it("are settled by the lead's or a person's answer and by nobody else's", async () => {
    const team = await scratchTeam(["bob", "mallory"])
    const { observer, told } = observed(team)
    const planId = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    const askId = await requestPermission(team, "bob", {
      toolName: "Bash",
      toolUseId: "u",
      description: "d",
      input: {},
    })
    await answerPlan(team, "bob", { requestId: planId, approved: true }, { from: "mallory" })
    await answerPermission(team, "bob", { requestId: askId, approved: true, updatedInput: {} }, { from: "mallory" })
    await answerPermission(team, "bob", { requestId: askId, approved: true, updatedInput: {} })
    expect(await told("request_settled")).toEqual([])
    await observer.decide({
      decision: "permission",
      team: "t",
      by: "Ada",
      member: "bob",
      requestId: askId,
      approved: false,
      reason: "not now",
    })
    await answerPlan(team, "bob", { requestId: planId, approved: true })
    const settled = (await told("request_settled")).map(({ approved, text, how, by }) => [approved, text, how, by])
    expect(settled).toEqual([
      [false, "not now", "person", "Ada"],
      [true, undefined, "lead", undefined],
    ])
  })

  it("for a plan stay open at the lead's word where a person decides, as the member waits on", async () => {
    const team = await scratchTeam(["bob"])
    writeSpawnNote(team.paths, "bob", { program: "codex", backend: "process", planDecider: "person" })
    const { observer, told } = observed(team)
    const requestId = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    await answerPlan(team, "bob", { requestId, approved: true })
    expect((await told("request")).map(({ program }) => program)).toEqual(["codex"])
    expect(await told("request_settled")).toEqual([])
    await observer.decide({ decision: "plan", team: "t", by: "Ada", member: "bob", requestId, approved: true })
    expect((await told("request_settled")).map(({ by }) => by)).toEqual(["Ada"])
  })

  it("are decided for the one who asked, and once", async () => {
    const team = await scratchTeam(["bob", "carol"])
    const { observer } = observed(team)
    const requestId = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    const decide = (member: string) =>
      observer.decide({ decision: "plan", team: "t", by: "Ada", member, requestId, approved: true })
    expect(await codeOf(decide("carol"))).toBe("no_such_request")
    expect(await codeOf(decide("nobody"))).toBe("no_such_member")
    expect(await codeOf(decide("bob"))).toBeUndefined()
    expect(await codeOf(decide("bob"))).toBe("no_such_request")
  })

  it("of a member that obeys a lead of its own are left to that lead", async () => {
    const team = await ledByClaude(await scratchTeam(["bob"]))
    const { observer, told } = observed(team)
    const requestId = await requestPlanApproval(team, "bob", { path: "/p", content: "# Plan" })
    expect((await told("request")).map(({ decidable }) => decidable)).toEqual([false])
    expect(
      await codeOf(
        observer.decide({ decision: "plan", team: "t", by: "Ada", member: "bob", requestId, approved: true }),
      ),
    ).toBe("lead_decides")
  })

  it("cannot be decided in a team that is not there, nor in words that are none", async () => {
    const team = await scratchTeam(["bob"])
    const { observer } = observed(team)
    expect(await codeOf(observer.decide(words("bob", "Ada", "elsewhere")))).toBe("team_gone")
    await expect(observer.decide(words("bob", "Ada", "t", ""))).rejects.toThrow()
    await expect(observer.decide(words("bob", ""))).rejects.toThrow()
  })
})

describe("a person's name as a sender", () => {
  it.each([
    ["Ada Lovelace", "Ada-Lovelace"],
    ["  Ada  ", "Ada"],
    ["_ada_", "ada_"],
    ["ada@example.org", "ada-example-org"],
    ["Zoë Müller", "Zoë-Müller"],
    ["李四", "李四"],
    ["../../etc/passwd", "etc-passwd"],
    ["…", "person"],
    ["___", "person"],
    ["team-lead", "person-team-lead"],
    ["TEAM LEAD", "person-TEAM-LEAD"],
    ["con", "person-con"],
    ["bob", "person-bob"],
    ["Carol", "person-Carol-2"],
    ["Code Reviewer", "person-Code-Reviewer"],
    ["\ud835\udcd0".repeat(80), "\ud835\udcd0".repeat(24)],
    ["x".repeat(80), "x".repeat(24)],
  ])("is for %j %j", async (by, from) => {
    const team = await scratchTeam(["bob", "carol", "person-carol", "code reviewer"])
    await observed(team).observer.decide(words("bob", by))
    expect((await team.unread("bob")).map((message) => message.entry.from)).toEqual([from])
  })
})

describe("a roster that others filled", () => {
  it("with names that read as a path keeps a broadcast from nobody, and in its folder", async () => {
    const team = await scratchTeam(["bob", "carol"])
    await updateConfig(team.paths, (config) => ({
      ...config,
      members: [config.members[0], { agentId: "x", name: "../x", joinedAt: 0 }, ...config.members.slice(1)].filter(
        (member) => member !== undefined,
      ),
    }))
    expect((await broadcast(team, { from: "team-lead", content: "all" })).recipients).toEqual(["../x", "bob", "carol"])
    expect(readdirSync(team.paths.inboxes).sort()).toEqual(["---x.json", "bob.json", "carol.json"])
  })
})

function planText(requestId: string): string {
  return JSON.stringify({
    type: "plan_approval_request",
    from: "x",
    timestamp: "T",
    planFilePath: "/p",
    planContent: "# Plan",
    requestId,
  })
}
