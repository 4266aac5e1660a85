import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Leftover } from "@chorus/runs"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state)
const WITH = ["--program", "command", "--command", AGENT]
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT, "--slots", "3", "--set-up", "mkdir ready"] })
})
afterAll(() => stage[Symbol.asyncDispose]())

describe("a run, from an empty data folder", () => {
  it("does a task in a worktree of its own and hands it in with evidence", async () => {
    const taskUuid = await stage.task(
      script(
        { think: "Which red?" },
        { plan: [{ content: "paint", priority: "high", status: "completed" }] },
        { write: { path: "door.txt", text: "red\n" } },
        { sh: "cat door.txt; pwd" },
        { say: "DONE The door is painted.\n[x] 1 cat shows red" },
      ),
    )
    const queued = await stage.start(taskUuid, ...WITH)
    expect(queued).toMatchObject({ state: "queued", taskUuid })
    const run = await stage.until(queued.uuid, "finished", "failed")
    expect(run).toMatchObject({
      state: "finished",
      reason: null,
      turns: 1,
      usage: { inputTokens: 100, outputTokens: 10 },
    })

    const task = await stage.call<{ status: string; reports: { content: string }[] }>("chorus_get_task", { taskUuid })
    expect(task.status).toBe("to_verify")
    expect(task.reports[0]?.content).toMatch(
      /^DONE The door is painted\.[\s\S]*Git: 1 file changed, \+1 −0[\s\S]*Transcript: 1 command, last `cat door.txt; pwd` \(exit 0\)/,
    )
    expect(task).toMatchObject({ acceptanceCriteriaItems: [{ devStatus: "passed", devEvidence: "cat shows red" }] })

    const told = await stage.transcript(run.uuid)
    expect(told.map(({ kind }) => kind)).toEqual(["note", "user", "thought", "plan", "tool", "tool", "message"])
    expect(told[0]).toMatchObject({ title: "Set-up", text: "$ mkdir ready\n", status: "completed" })
    expect(existsSync(join(run.worktree ?? "", "ready"))).toBe(true)
    expect(told[4]).toMatchObject({
      title: "Write door.txt",
      status: "completed",
      data: { diffs: [{ newText: "red\n" }] },
    })
    expect(told[5]).toMatchObject({ status: "completed", data: { exitCode: 0 } })
    expect(told[5]?.text).toContain(run.worktree)

    expect(existsSync(join(stage.repository, "door.txt"))).toBe(false)
    expect(stage.git("status", "--porcelain")).toBe("")
    expect(run.branch).toMatch(/^chorus\/paint-the-door-/)
    expect(stage.git("show", `refs/chorus/runs/${run.uuid}/turn/1:door.txt`)).toBe("red")
    expect(stage.git("merge-base", run.baseCommit ?? "", "main")).toBe(run.baseCommit)
    expect(stage.strays(run.uuid)).toEqual([])
  })

  it("waits for a person who is asked, and does what they say once", async () => {
    const asks = (title: string) => ({
      ask: { title },
      yes: [{ say: "DONE allowed" }],
      no: [{ say: "DONE refused" }],
    })
    const taskUuid = await stage.task(script(asks("rm -rf build")))
    const { uuid } = await stage.start(taskUuid, ...WITH)
    await stage.until(uuid, "waiting")
    const { asked: open } = await stage.json<{ asked: { uuid: string; title: string }[] }>("runs", "show", uuid)
    const [asked] = open.filter(({ title }) => title === "rm -rf build")
    await stage.json("runs", "answer", uuid.slice(0, 8), "yes")
    await expect(
      stage.call("chorus_answer_attention", { attentionUuid: asked?.uuid, answer: { decision: "approve" } }),
    ).rejects.toMatchObject({ code: "attention_settled" })
    await expect(stage.json("runs", "answer", uuid, "no")).rejects.toThrow("nothing_asked")
    await expect(stage.json("runs", "show", "none")).rejects.toThrow("not_found")
    await stage.until(uuid, "finished")
    const told = await stage.transcript(uuid)
    expect(told.at(-1)).toMatchObject({ kind: "message", text: "DONE allowed" })
    expect(told.find(({ kind }) => kind === "ask")).toMatchObject({ status: "approve" })
    expect(await stage.call("chorus_get_attention", { attentionUuid: asked?.uuid })).toMatchObject({
      state: "delivered",
    })
  })

  it("hears the answer to a question in the form the agent asked in", async () => {
    const properties = { colour: { type: "string", description: "Which red?", oneOf: [{ const: "Ruby" }] } }
    const form = { message: "Please answer.", requestedSchema: { type: "object", properties } }
    const failed = { kind: "mcpServerStatus", server: "chorus", status: "failed" }
    const alone = {
      sessionUpdate: "agent_message_chunk",
      content: { text: "No chorus." },
      _meta: { claudeCode: failed },
    }
    const steps = script({ update: alone }, { elicit: form }, { say: "DONE" })
    const { uuid } = await stage.start(await stage.task(steps), ...WITH)
    await stage.until(uuid, "waiting")
    await stage.json("runs", "answer", uuid, "ruby")
    await stage.until(uuid, "finished")
    const texts = (await stage.transcript(uuid)).map(({ text }) => text).join("\n")
    expect(texts).toContain("does not reach Chorus's tools")
    expect(texts).toContain('heard {"action":"accept","content":{"colour":"Ruby"}}')
  })

  it("is stopped in the middle of a command, and nothing of it is left", async () => {
    const taskUuid = await stage.task(
      script({ orphan: "sleep 300" }, { write: { path: "half.txt", text: "½\n" } }, { sh: "sleep 300" }),
    )
    const { uuid } = await stage.start(taskUuid, ...WITH)
    await waitFor(async () => (await stage.transcript(uuid)).some(({ title }) => title === "sleep 300"), 30_000)
    expect(stage.strays(uuid).length).toBeGreaterThan(2)
    await stage.json("runs", "stop", uuid)
    const run = await stage.until(uuid, "stopped")
    expect(stage.strays(uuid)).toEqual([])
    expect(stage.git("show", `refs/chorus/runs/${uuid}/end:half.txt`)).toBe("½")
    const task = await stage.call<{ status: string }>("chorus_get_task", { taskUuid })
    expect(task.status).toBe("in_progress")

    await stage.json("runs", "resume", uuid, script({ sh: "cat half.txt" }, { say: "DONE after all" }))
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({
      state: "finished",
      sessionId: run.sessionId,
      worktree: run.worktree,
    })
    expect((await stage.transcript(uuid)).map(({ text }) => text).join("\n")).toContain("½")
  })

  it("that was killed is lost, and can be taken up again in its conversation", async () => {
    const taskUuid = await stage.task(script({ say: "Now." }, { orphan: "sleep 300" }, { crash: true }))
    const { uuid } = await stage.start(taskUuid, ...WITH)
    expect(await stage.until(uuid, "lost", "failed")).toMatchObject({
      state: "lost",
      reason: "The program ended by itself.",
    })
    expect(stage.strays(uuid)).toEqual([])
    await stage.json("runs", "send", uuid, script({ say: "DONE again" }))
    await stage.until(uuid, "finished")
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "to_verify" })
  })

  it.each([
    ["an error of the model", { error: { code: -32_603, message: "Internal error" } }, "failed", "Internal error"],
    [
      "a missing sign-in",
      { error: { code: -32_000, message: "Authentication required" } },
      "waiting",
      "Authentication required",
    ],
    ["a turn that was cut", { stop: "max_tokens" }, "finished", "max_tokens"],
  ] as const)("tells %s", async (_what, step, after, reason) => {
    const { uuid } = await stage.start(await stage.task(script(step)), ...WITH)
    expect(await stage.until(uuid, after)).toMatchObject({ reason })
    await stage.json("runs", "stop", uuid)
    await stage.until(uuid, "stopped", "failed", "finished")
  })

  it("takes a second message for the next turn, and goes on after an interruption", async () => {
    const { uuid } = await stage.start(await stage.task(script({ say: "begun" }, { sleep: 60_000 })), ...WITH)
    await waitFor(async () => (await stage.transcript(uuid)).some(({ text }) => text === "begun"), 30_000)
    await stage.json("runs", "interrupt", uuid)
    await stage.until(uuid, "waiting")
    await stage.json("runs", "send", uuid, script({ say: "DONE now" }))
    expect(await stage.until(uuid, "finished")).toMatchObject({ turns: 2 })
    expect(stage.git("for-each-ref", "--format=%(refname:lstrip=4)", `refs/chorus/runs/${uuid}`).split("\n")).toEqual([
      "end",
      "last",
      "turn/0-before",
      "turn/1",
      "turn/1-before",
      "turn/2",
    ])
  })

  it("hears what was said for its next turn, although it was stopped before that came", async () => {
    const { uuid } = await stage.start(await stage.task(script({ say: "begun" }, { sleep: 60_000 })), ...WITH)
    await waitFor(async () => (await stage.transcript(uuid)).some(({ text }) => text === "begun"), 30_000)
    await stage.json("runs", "send", uuid, "Take the red one.")
    await waitFor(async () => (await stage.transcript(uuid)).some(({ kind }) => kind === "note"), 30_000)
    await stage.json("runs", "stop", uuid)
    await stage.until(uuid, "stopped")
    const goOn = script({ say: "DONE both" })
    await stage.json("runs", "resume", uuid.slice(0, 8), goOn)
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
    const heard = (await stage.transcript(uuid)).filter(({ kind }) => kind === "user")
    expect(heard.at(-1)?.text).toBe(`Take the red one.\n\n${goOn}`)
  })

  it("is stopped in the middle of the turn that overdraws its money, with a warning before", async () => {
    const cost = (amount: number) => ({ usage: { used: 1, size: 9, cost: { amount, currency: "USD" } } })
    const steps = script(cost(0.9), { ask: { title: "dig" }, yes: [cost(1.1), { sleep: 60_000 }] })
    const { uuid } = await stage.start(await stage.task(steps), ...WITH, "--usd", "1")
    await stage.until(uuid, "waiting")
    expect(await stage.run(uuid)).toMatchObject({ warning: "90 % of $1.00 for this run used.", turns: 1 })
    await stage.json("runs", "answer", uuid.slice(0, 8), "yes")
    const over = { stoppedFor: "budget", reason: "Over budget: $1.10 of $1.00 for this run.", turns: 1 }
    expect(await stage.until(uuid, "stopped", "finished")).toMatchObject({ state: "stopped", ...over })
  })

  it.each([
    ["is not there", join(state, "no-such-agent"), "There is no "],
    ["ends at its start", "git no-such-word", "not a git command"],
  ])("whose program %s fails and says so, and takes nobody with it", async (_what, command, reason) => {
    await stage.json("runner", "allow", stage.repository, "--command", command)
    const taskUuid = await stage.task(script({ say: "DONE" }))
    const { uuid } = await stage.start(taskUuid, "--program", "command", "--command", command)
    expect(await stage.until(uuid, "finished", "failed", "lost")).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(reason),
    })
  })

  it("gives its agent a key for our tools that ends with the run", async () => {
    const mcp = { tool: "chorus_checkin", args: {} }
    const { uuid } = await stage.start(await stage.task(script({ mcp }, { say: "DONE" })), ...WITH)
    await stage.until(uuid, "finished")
    const [call] = (await stage.transcript(uuid)).filter(({ kind }) => kind === "tool")
    expect(call?.text).toMatch(/^200 [\s\S]*Runner on /)
    const keys = await stage.call<{ keys: { name: string; revokedAt: string | null }[] }>("chorus_list_keys", {
      pageSize: 100,
    })
    expect(keys.keys.find(({ name }) => name === `run ${uuid}`)?.revokedAt).not.toBeNull()
  })

  it("does nothing that the machine does not allow, whatever the server asks", async () => {
    const refused = async (...args: string[]) => {
      const taskUuid = await stage.task("x")
      const { uuid } = await stage.start(taskUuid, ...args)
      const { reason } = await waitFor(async () => {
        const run = await stage.run(uuid)
        return run.reason === null ? undefined : run
      }, 30_000)
      // Another run came after it and is over: whoever leases has passed it by.
      const after = await stage.start(await stage.task(script({ say: "DONE" })), ...WITH)
      await stage.until(after.uuid, "finished")
      expect(await stage.run(uuid)).toMatchObject({ state: "queued", machine: null })
      expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "open" })
      await stage.json("runs", "stop", uuid)
      return reason
    }
    const mute = `${AGENT} --mute`
    expect(await refused("--program", "command", "--command", mute)).toContain(
      `Run \`chorus runner allow DIR --command '${mute}'\` there`,
    )
    expect(await refused(...WITH, "--folder", "garden")).toContain("Name one of those, or run `chorus runner allow")
    expect(await refused(...WITH, "--mode", "all")).toContain('beyond "edit"')
    expect(await refused(...WITH, "--in-place")).toContain("in place")
  })

  it("is not started twice on one task", async () => {
    const taskUuid = await stage.task(script({ sleep: 60_000 }))
    const { uuid } = await stage.start(taskUuid, ...WITH)
    await expect(stage.start(taskUuid, ...WITH)).rejects.toThrow("already_running")
    await stage.json("runs", "stop", uuid)
    await stage.until(uuid, "stopped")
  })

  it("works in the checkout itself one at a time, where the machine allows that", async () => {
    await stage.json("runner", "allow", stage.repository, "--in-place")
    const start = async (...steps: object[]) => stage.start(await stage.task(script(...steps)), ...WITH, "--in-place")
    const first = await start({ sh: "pwd" }, { sleep: 60_000 })
    await stage.until(first.uuid, "running")
    const second = await start({ say: "DONE" })
    await waitFor(async () => (await stage.run(second.uuid)).reason?.includes("waits for it"), 30_000, "its turn")
    expect(await stage.run(first.uuid)).toMatchObject({ worktree: stage.repository, branch: "main" })
    await stage.json("runs", "stop", first.uuid)
    await stage.until(second.uuid, "finished")
    expect(stage.git("status", "--porcelain")).toBe("")
  })

  it("leaves nothing behind that `runner clean` does not find, and comes back after it", async () => {
    const taskUuid = await stage.task(script({ write: { path: "kept.txt", text: "kept\n" } }, { say: "DONE" }))
    const { uuid } = await stage.start(taskUuid, ...WITH)
    const { worktree } = await stage.until(uuid, "finished")
    const shown = await stage.json<Leftover[]>("runner", "clean", "--dry-run")
    expect(shown.find(({ runUuid }) => runUuid === uuid)).toMatchObject({ goes: ["worktree"], path: worktree })
    const gone = await stage.json<Leftover[]>("runner", "clean")
    expect(gone.filter(({ goes }) => goes.includes("branch")).length).toBeGreaterThan(0)
    expect(existsSync(worktree ?? "")).toBe(false)
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1)
    await stage.call("chorus_admin_reopen_task", { taskUuid, force: true })
    await stage.json("runs", "send", uuid, script({ sh: "cat kept.txt" }, { say: "DONE again" }))
    await stage.until(uuid, "finished")
    expect((await stage.transcript(uuid)).some(({ text }) => text === "kept\n")).toBe(true)
  })
})
