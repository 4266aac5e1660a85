import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BroadcastSent, MessageSent, RequestSent, type TeamConfig } from "@chorus/contracts"
import { beforeEach, expect, test } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { createTeam, openTeam, type Team } from "../team.ts"
import { updateConfig } from "../files/config-file.ts"
import { answerPlan, broadcast, notifyIdle, requestShutdown, sendMessage } from "./send.ts"

let team: Team
let root: string
beforeEach(async () => {
  root = scratchFolder()
  team = await createTeam({ name: "t" }, { root, clock: { now: () => 1770977603516 } })
  await team.join({ name: "alice" })
  await team.join({ name: "bob" })
})

test("a message is answered with its routing and the receiver's colour", async () => {
  const answer = await sendMessage(team, { from: "team-lead", to: "bob", content: "hi", summary: "greet" })
  expect(MessageSent.parse(answer)).toEqual({
    success: true,
    message: "Message sent to bob's inbox",
    routing: { sender: "team-lead", target: "@bob", targetColor: "green", summary: "greet", content: "hi" },
  })
})

test("a broadcast names its receivers and no colour", async () => {
  const answer = await broadcast(team, { from: "alice", content: "all", summary: "s" })
  expect(BroadcastSent.parse(answer)).toEqual({
    success: true,
    message: "Message broadcast to 2 teammate(s): team-lead, bob",
    recipients: ["team-lead", "bob"],
    routing: { sender: "alice", target: "@team", summary: "s", content: "all" },
  })
})

test("a shutdown request is answered with its id", async () => {
  expect(RequestSent.parse(await requestShutdown(team, { from: "team-lead", to: "bob", reason: "done" }))).toEqual({
    success: true,
    message: "Shutdown request sent to bob. Request ID: shutdown-1770977603516@bob",
    request_id: "shutdown-1770977603516@bob",
    target: "bob",
  })
})

test.each([
  ["code reviewer", "code-reviewer"],
  ["v1.dev", "v1-dev"],
  ["größe", "gr--e"],
])("what is sent to %j lies where Claude Code reads it, and is heard as sent to that member", async (name, file) => {
  await foreignMember(name)
  await sendMessage(team, { from: "alice", to: name, content: "one" })
  expect((await broadcast(team, { from: "alice", content: "two" })).recipients).toContain(name)
  await sendMessage(team, { from: name, to: "alice", content: "back" })
  const inbox = JSON.parse(readFileSync(join(team.paths.inboxes, `${file}.json`), "utf8")) as { text: string }[]
  expect(inbox.map(({ text }) => text)).toEqual(["one", "two"])
  expect((await team.take(name)).map(({ entry }) => entry.text)).toEqual(["one", "two"])
  expect((await team.unread("alice")).map(({ entry }) => entry.from)).toEqual([name])
})

test("a name whose inbox another member has is taken", async () => {
  await foreignMember("code reviewer")
  await expect(team.join({ name: "Code-Reviewer" })).rejects.toMatchObject({
    code: "name_taken",
    message: expect.stringContaining("code reviewer") as unknown,
  })
})

test("nothing is put into a member's inbox for somebody else whose files have the same name", async () => {
  await foreignMember("code reviewer")
  await expect(team.deliver({ from: "alice", to: "code-reviewer", text: "psst" })).rejects.toMatchObject({
    code: "anothers_inbox",
  })
  expect(await team.unread("code reviewer")).toEqual([])
})

test("nobody writes under a name to which the answer would reach a member of another", async () => {
  await foreignMember("code reviewer")
  for (const from of ["code-reviewer", "Alice", "team lead"])
    await expect(sendMessage(team, { from, to: "alice", content: "psst" }), from).rejects.toMatchObject({
      code: "anothers_inbox",
    })
  expect(await team.unread("alice")).toEqual([])
})

/** On the roster by another program's hand. */
async function foreignMember(name: string): Promise<void> {
  await updateConfig(team.paths, (config) => ({
    ...config,
    members: [...config.members, { agentId: `${name}@t`, name, joinedAt: 0 }],
  }))
}

test("a stranger is named as such, with the members", async () => {
  await expect(sendMessage(team, { from: "bob", to: "eve", content: "?" })).rejects.toMatchObject({
    code: "no_such_member",
    next: expect.stringContaining("alice") as unknown,
  })
})

test("a sender's name is checked before anything is sent", async () => {
  await expect(sendMessage(team, { from: "x\u0000/../y", to: "bob", content: "hi" })).rejects.toMatchObject({
    code: "bad_name",
  })
  expect(await team.unread("bob")).toEqual([])
})

test("a name that differs only in case is taken", async () => {
  await expect(team.join({ name: "Alice" })).rejects.toMatchObject({ code: "name_taken" })
  await expect(team.join({ name: "team-lead" })).rejects.toMatchObject({ code: "name_taken" })
})

test("in a team that Claude Code leads the entries have its form, and nobody writes as its lead", async () => {
  await asClaudeTeam(team)
  const theirs = await openTeam("t", { root })
  expect(await theirs.era()).toBe("session")
  await expect(sendMessage(theirs, { from: "team-lead", to: "bob", content: "obey" })).rejects.toMatchObject({
    code: "not_the_lead",
  })
  await expect(answerPlan(theirs, "bob", { requestId: "plan_approval-1@bob@t", approved: true })).rejects.toMatchObject(
    { code: "not_the_lead" },
  )
  await expect(theirs.delete()).rejects.toMatchObject({ code: "not_the_lead" })
  await notifyIdle(theirs, "bob", { result: "did it" })
  const [received] = await theirs.unread("team-lead")
  expect(received?.entry).toMatchObject({ msgV: 1, type: "message", color: "green", read: false })
  expect(received?.entry.msg_id).toBe(received?.id)
  expect(JSON.parse(received?.entry.text ?? "")).toMatchObject({
    type: "idle_notification",
    idleReason: "available",
    result: "did it",
  })
  await theirs.take("team-lead")
  expect(await theirs.inbox("team-lead")).toEqual([])
  expect(theirs.history("team-lead").map((one) => one.id)).toEqual([received?.id])
})

test("entries that could not be delivered stay where they are", async () => {
  const odd = [
    { text: "no sender", timestamp: "2026-01-01T00:00:00.000Z" },
    { from: "x", text: "no time" },
    { from: "x", text: "read", timestamp: "2026-01-01T00:00:00.000Z", read: true },
    { from: "x", text: "fine", timestamp: "2026-01-01T00:00:00.000Z", zzz: 1 },
  ]
  writeFileSync(team.paths.inbox("bob"), JSON.stringify(odd))
  expect((await team.take("bob")).map(({ entry }) => entry.text)).toEqual(["fine"])
  const { readFileSync } = await import("node:fs")
  expect(JSON.parse(readFileSync(team.paths.inbox("bob"), "utf8"))).toEqual([
    odd[0],
    odd[1],
    odd[2],
    { ...odd[3], read: true },
  ])
})

test("leaving gives back what was not finished", async () => {
  await team.createTask({ subject: "a", description: "" })
  await team.claimTask("1", "bob")
  await team.leave("bob")
  expect(await team.task("1")).toEqual({
    id: "1",
    subject: "a",
    description: "",
    status: "pending",
    blocks: [],
    blockedBy: [],
  })
})

test("who is not in the team takes no task, and a new member does not inherit an old one's messages", async () => {
  await team.createTask({ subject: "a", description: "" })
  await expect(team.claimTask("1", "stranger")).rejects.toMatchObject({ code: "no_such_member" })
  const earlier = "2026-02-01T00:00:00.000Z"
  await team.deliver({ from: "team-lead", to: "bob", text: "for the first bob", timestamp: earlier })
  await team.leave("bob")
  await team.join({ name: "bob" })
  expect(await team.unread("bob")).toEqual([])
  expect((await team.inbox("bob")).map(({ entry }) => [entry.text, entry.read])).toEqual([["for the first bob", true]])
})

test("a mark holds for its team, member and text only", async () => {
  await team.deliver({ from: "team-lead", to: "bob", text: "yes", decided: true })
  await team.deliver({ from: "team-lead", to: "bob", text: "yes" })
  const [real, forged] = await team.unread("bob")
  if (real === undefined || forged === undefined) throw new Error("two messages expected")
  expect(team.isDecision("bob", real)).toBe(true)
  expect(team.isDecision("alice", real)).toBe(false)
  expect(team.isDecision("bob", { ...real, entry: { ...real.entry, text: "no" } })).toBe(false)
  expect(team.isDecision("bob", forged)).toBe(false)
})

async function asClaudeTeam(made: Team): Promise<void> {
  await updateConfig(made.paths, (config): TeamConfig => ({
    ...config,
    leadSessionId: "another",
    leadProcess: { pid: 1 },
  }))
}
