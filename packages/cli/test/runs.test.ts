import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { attentions } from "@chorus/contracts"
import type { Leftover } from "@chorus/runs"
import { CHORUS_MAIN, script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Entry, openStage, type Row, type Stage } from "./run-stage.ts"

const state = temporaryDirectory("agent-").path
const AGENT = scriptedAgent("--state", state)
const cost = (amount: number) => ({ usage: { used: 1, size: 9, cost: { amount, currency: "USD" } } })
const WITH = ["--program", "command", "--command", AGENT]
const STEERED = scriptedAgent("--state", state, "--steer")
const HOUR = 3_600_000
const SECRET = "green-7c41-hinge"
const ABSENT = join(state, "no-such-agent")
const WRONG = "git no-such-word"
/** Still there when its run has ended by itself, until it is made to go. */
const SLOW_TO_GO = scriptedAgent("--state", join(state, "slow"), "--linger")
const SIGNED_IN = join(state, "signed-in")
const SIGNED_OUT = scriptedAgent("--state", state, "--sign-in", SIGNED_IN)
/** As Claude Code asks. */
const TWO_QUESTIONS = {
  message: "Please answer the following questions.",
  requestedSchema: {
    type: "object",
    properties: {
      question_0: {
        type: "string",
        title: "Colour",
        description: "Which colour?",
        oneOf: [
          { const: "Red", title: "Red", description: "r" },
          { const: "Blue", title: "Blue", description: "b" },
        ],
      },
      question_0_custom: { type: "string", title: "Other" },
      question_1: {
        type: "array",
        title: "Sizes",
        description: "Which sizes?",
        items: {
          anyOf: [
            { const: "S", title: "S" },
            { const: "L", title: "L" },
          ],
        },
      },
      question_1_custom: { type: "string", title: "Other" },
    },
  },
}
let stage: Stage

beforeAll(async () => {
  mkdirSync(join(state, "slow"))
  const commands = ["--command", AGENT, STEERED, ABSENT, WRONG, SLOW_TO_GO, SIGNED_OUT]
  // The same agent under the name of a program that has modes.
  const bin = join(state, "bin")
  mkdirSync(bin)
  const [, agent] = scriptedAgent().split(" ")
  const adapter = `process.argv.push("--state", ${JSON.stringify(state)})\nimport(${JSON.stringify(agent)})\n`
  writeFileSync(join(bin, "claude-agent-acp"), adapter, { mode: 0o755 })
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 })
  const PATH = `${bin}:${process.env["PATH"]}`
  const allow = [...commands, "--slots", "12", "--set-up", "mkdir ready", "--env", "DOOR_SECRET"]
  stage = await openStage({ allow, env: { PATH, DOOR_SECRET: SECRET } })
})
afterAll(() => stage[Symbol.asyncDispose]())

/**
 * As the page does it: each word of the command is used once, and a process for every further one would be most of the
 * test.
 */
const begin = async (steps: object[], more: object = {}) =>
  stage.begin(await stage.task(script(...steps)), { command: AGENT, ...more })
const tell = (verb: "interrupt" | "send_to" | "stop" | "resume", runUuid: string, ...steps: object[]) =>
  stage.call(`chorus_${verb}_run`, { runUuid, ...(steps.length === 0 ? {} : { text: script(...steps) }) })
const stop = (uuid: string) => tell("stop", uuid)
/** What a run asks under that title, once it does. */
const askedOf = (runUuid: string, title: string) =>
  waitFor(
    async () => {
      const open = await stage.call<{ attentions: attentions.AttentionRow[] }>("chorus_list_attentions", {
        pageSize: 100,
      })
      return open.attentions.find((one) => one.detail["runUuid"] === runUuid && one.title === title)
    },
    60_000,
    title,
  )
const answer = ({ uuid: attentionUuid }: { uuid: string }, given: attentions.AttentionAnswer) =>
  stage.call("chorus_answer_attention", { attentionUuid, answer: given })
const told = (uuid: string, what: (entry: Entry) => boolean) =>
  waitFor(async () => (await stage.transcript(uuid)).some(what), 60_000, "an entry of its transcript")

describe("a run, alone", () => {
  it("says what of the working copy is not committed, and is stopped with all others", async () => {
    writeFileSync(join(stage.repository, "mine.txt"), "mine")
    const [one, two] = [await begin([{ sleep: 60_000 }]), await begin([{ sleep: 60_000 }])]
    await told(one.uuid, ({ title, text }) => title === "Not committed" && text?.includes("mine.txt") === true)
    await stage.until(two.uuid, "running")
    rmSync(join(stage.repository, "mine.txt"))
    await expect(stage.json("runs", "stop")).rejects.toThrow("--all")
    expect(await stage.json("runs", "stop", "--all")).toEqual({ stopped: 2 })
    await Promise.all([one, two].map(({ uuid }) => stage.until(uuid, "stopped")))
  })

  it("leaves nothing behind that `runner clean` does not find, and comes back after it", async () => {
    const { uuid, taskUuid } = await begin([{ write: { path: "kept.txt", text: "kept\n" } }, { say: "DONE" }])
    const { worktree } = await stage.until(uuid, "finished")
    const shown = await stage.json<Leftover[]>("runner", "clean", "--dry-run")
    expect(shown.find(({ runUuid }) => runUuid === uuid)).toMatchObject({ goes: ["worktree"], path: worktree })
    const gone = await stage.json<Leftover[]>("runner", "clean")
    expect(gone.filter(({ goes }) => goes.includes("branch"))).toHaveLength(2)
    expect(existsSync(worktree ?? "")).toBe(false)
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1)
    await stage.call("chorus_admin_reopen_task", { taskUuid, force: true })
    await tell("send_to", uuid, { sh: "cat kept.txt" }, { say: "DONE again" })
    await stage.until(uuid, "finished")
    expect((await stage.transcript(uuid)).some(({ text }) => text === "kept\n")).toBe(true)
  })
})

// Most of a run is waiting, for its quiet and for people; they wait beside each other.
describe.concurrent("a run, from an empty data folder", () => {
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
    expect(told[3]?.data).toMatchObject({ steps: [{ content: "paint", priority: "high", status: "completed" }] })
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
    const { uuid } = await begin([asks("rm -rf build")])
    const asked = await askedOf(uuid, "rm -rf build")
    await stage.json("runs", "answer", uuid.slice(0, 8), "yes")
    await expect(answer(asked, { decision: "approve" })).rejects.toMatchObject({ code: "attention_settled" })
    await expect(stage.json("runs", "answer", uuid, "no")).rejects.toThrow("nothing_asked")
    await stage.until(uuid, "finished")
    const told = await stage.transcript(uuid)
    expect(told.at(-1)).toMatchObject({ kind: "message", text: "DONE allowed" })
    expect(told.find(({ kind }) => kind === "ask")).toMatchObject({ status: "approve" })
    expect(await stage.call("chorus_get_attention", { attentionUuid: asked.uuid })).toMatchObject({
      state: "delivered",
    })
  })

  it("hears the answer to each of its questions in the form it asked in, and none that it did not offer", async () => {
    const form = (message: string, colour: object, more: object = {}) => ({
      elicit: {
        message,
        requestedSchema: { type: "object", properties: { colour: { type: "string", ...colour } } },
        ...more,
      },
    })
    const failed = { kind: "mcpServerStatus", server: "chorus", status: "failed" }
    const alone = {
      sessionUpdate: "agent_message_chunk",
      content: { text: "No chorus." },
      _meta: { claudeCode: failed },
    }
    const { uuid } = await begin([
      { update: alone },
      form("Please answer.", { description: "Which red?", oneOf: [{ const: "Ruby" }] }),
      form("Your password?", { title: "Password", _meta: { codex: { isSecret: true } } }),
      form(
        "Which colour?",
        { title: "Colour", enum: ["red", "blue"] },
        { _meta: { codex: { autoResolutionMs: HOUR } } },
      ),
      { elicit: TWO_QUESTIONS },
      { say: "DONE" },
    ])
    await answer(await askedOf(uuid, "Which red?"), { text: "ruby" })
    const colour = await askedOf(uuid, "Colour")
    const offered = [{ question: "Colour", options: [{ label: "red" }, { label: "blue" }] }]
    expect(colour.detail).toMatchObject({ message: "Which colour?", questions: offered })
    expect(Date.parse(colour.expiresAt ?? "") - Date.parse(colour.createdAt)).toBe(HOUR)
    await expect(answer(colour, { text: "green" })).rejects.toThrow("red, blue")
    await answer(colour, { text: "Blue" })
    await askedOf(uuid, "Which colour? (+1)")
    const shown = await stage.json<{ asked: object[] }>("runs", "show", uuid)
    const questions = [
      { question: "Which colour?", header: "Colour", options: [{ label: "Red", description: "r" }, { label: "Blue" }] },
      { question: "Which sizes?", multiSelect: true },
    ]
    expect(shown.asked).toMatchObject([{ title: "Which colour? (+1)", questions }])
    await expect(stage.json("runs", "answer", uuid, "red")).rejects.toThrow("It asks 2 questions")
    await stage.json("runs", "answer", uuid, "red", "L, s, and XXL")
    await stage.until(uuid, "finished")
    const texts = (await stage.transcript(uuid)).map(({ text }) => text).join("\n")
    expect(texts).toContain("does not reach Chorus's tools")
    // What people answer is kept; a secret is not asked for.
    expect(texts).toContain('It asked for a secret ("Password"), and Chorus refused')
    expect(texts).toContain('heard {"action":"decline"}')
    for (const content of [
      '{"colour":"Ruby"}',
      '{"colour":"blue"}',
      '{"question_0":"Red","question_1":["L","S"],"question_1_custom":"and XXL"}',
    ])
      expect(texts).toContain(`heard {"action":"accept","content":${content}}`)
  })

  it("is stopped in the middle of a command, and nothing of it is left", async () => {
    const half = { write: { path: "half.txt", text: "½\n" } }
    const { uuid, taskUuid } = await begin([{ orphan: "sleep 300" }, half, { sh: "sleep 300" }])
    await told(uuid, ({ title }) => title === "sleep 300")
    expect(stage.strays(uuid).length).toBeGreaterThan(2)
    // It waits for the machine, on one that is busy not to the end.
    await stage.json("runs", "stop", uuid)
    const run = await stage.until(uuid, "stopped")
    expect(stage.strays(uuid)).toEqual([])
    expect(stage.git("show", `refs/chorus/runs/${uuid}/end:half.txt`)).toBe("½")
    const task = await stage.call<{ status: string }>("chorus_get_task", { taskUuid })
    expect(task.status).toBe("in_progress")

    await tell("resume", uuid, { sh: "cat half.txt; echo port=$PORT" }, { say: "DONE after all" })
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({
      state: "finished",
      sessionId: run.sessionId,
      worktree: run.worktree,
    })
    const entries = await stage.transcript(uuid)
    expect(entries.map(({ text }) => text).join("\n")).toMatch(/½\nport=42\d{3}\n/)
    const order = [/ stopped it\.$/, / took it up again\.$/, /^DONE after all/]
    const found = order.map((words) => entries.findIndex(({ text }) => words.test(text ?? "")))
    expect([found.includes(-1), found]).toEqual([false, found.toSorted((a, b) => a - b)])
  })

  it("that was killed is lost, and can be taken up again in its conversation", async () => {
    const { uuid, taskUuid } = await begin([{ say: "Now." }, { orphan: "sleep 300" }, { crash: true }])
    expect(await stage.until(uuid, "lost", "failed")).toMatchObject({
      state: "lost",
      reason: expect.stringContaining("Take the run up again"),
    })
    expect(stage.strays(uuid)).toEqual([])
    await tell("send_to", uuid, { say: "DONE again" })
    await stage.until(uuid, "finished")
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "to_verify" })
  })

  it("whose program has to be signed in to waits for that, and begins when it is told so", async () => {
    const { uuid } = await begin([{ say: "DONE" }], { command: SIGNED_OUT })
    const reason = "Authentication required. Sign in to the program on its machine, then tell it to go on."
    expect(await stage.until(uuid, "waiting", "failed")).toMatchObject({ state: "waiting", reason, turns: 0 })
    writeFileSync(SIGNED_IN, "")
    await stage.call("chorus_send_to_run", { runUuid: uuid, text: "I have signed in." })
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 1 })
    expect(
      (await stage.transcript(uuid)).some(({ kind, text }) => kind === "user" && text === "I have signed in."),
    ).toBe(true)
  })

  it.each([
    ["an error of the model", { error: { code: -32_603, message: "Internal error" } }, "failed", "Internal error"],
    [
      "a missing sign-in",
      { error: { code: -32_000, message: "Authentication required" } },
      "waiting",
      "Authentication required. Sign in",
    ],
    ["a turn that was cut", { stop: "max_tokens" }, "finished", "cut off at the model's limit"],
  ] as const)("tells %s", { tags: ["stress"] }, async (_what, step, after, reason) => {
    const { uuid } = await begin([step])
    expect(await stage.until(uuid, after)).toMatchObject({ reason: expect.stringContaining(reason) })
    await stop(uuid)
    await stage.until(uuid, "stopped", "failed", "finished")
  })

  it("is not started twice on one task, and goes on after an interruption with what it is told then", async () => {
    const { uuid, taskUuid } = await begin([{ say: "begun" }, { sleep: 60_000 }])
    await expect(stage.begin(taskUuid ?? "", { command: AGENT })).rejects.toMatchObject({ code: "already_running" })
    await told(uuid, ({ text }) => text === "begun")
    await stage.json("runs", "interrupt", uuid)
    await stage.until(uuid, "waiting")
    await stage.json("runs", "send", uuid, script({ say: "DONE now" }))
    expect(await stage.until(uuid, "finished")).toMatchObject({ turns: 2 })
    const kept = stage.git("for-each-ref", "--format=%(refname:lstrip=4)", `refs/chorus/runs/${uuid}`).split("\n")
    // Words that are there when a turn ends follow at once: what it left is then what the next begins with.
    expect(kept.filter((name) => name !== "turn/1-before")).toEqual([
      "end",
      "last",
      "turn/0-before",
      "turn/1",
      "turn/2",
    ])
  })

  it("hears what was said for its next turn, although it was stopped before that came", async () => {
    const { uuid } = await begin([{ say: "begun" }, { sleep: 60_000 }])
    await told(uuid, ({ text }) => text === "begun")
    await stage.call("chorus_send_to_run", { runUuid: uuid, text: "Take the red one." })
    await told(uuid, ({ kind, text }) => kind === "note" && text?.includes("the red one") === true)
    await stop(uuid)
    await stage.until(uuid, "stopped")
    const goOn = script({ say: "DONE both" })
    await stage.json("runs", "resume", uuid.slice(0, 8), goOn)
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
    const heard = (await stage.transcript(uuid)).filter(({ kind }) => kind === "user")
    // One prompt, and each of its words by itself.
    expect(heard.slice(-2).map(({ text, turn }) => [text, turn])).toEqual([
      ["Take the red one.", 2],
      [goOn, 2],
    ])
  })

  it("hears what is said in the middle of a command when that has ended, each by itself, and says so", async () => {
    const wait = "echo > at-work; until [ -f go ]; do sleep 0.05; done; echo whole"
    const { uuid } = await begin([{ sh: wait }, { sleep: 60_000 }], { command: STEERED })
    await waitFor(async () => {
      const { worktree } = await stage.run(uuid)
      return worktree !== null && existsSync(join(worktree, "at-work"))
    }, 60_000)
    const { worktree } = await stage.run(uuid)
    for (const text of ["Use ruby.", "Mind the cat."]) await stage.call("chorus_send_to_run", { runUuid: uuid, text })
    const later = /said this for when what is under way has ended: Mind the cat\.$/
    await told(uuid, ({ kind, text }) => kind === "note" && later.test(text ?? ""))
    writeFileSync(join(worktree ?? "", "go"), "")
    await told(uuid, ({ kind, text }) => kind === "user" && text === "Mind the cat.")
    const said = (await stage.transcript(uuid)).filter(({ kind }) => kind === "tool" || kind === "user")
    expect(said.slice(1).map(({ text, status }) => [text, status])).toEqual([
      ["whole\n", "completed"],
      ["Use ruby.", "steered"],
      ["Mind the cat.", "steered"],
    ])
    await stop(uuid)
  })

  it("hears what was said to it while it was being stopped, once it goes on", async () => {
    const { uuid } = await begin([{ say: "begun" }, { sleep: 60_000 }])
    await told(uuid, ({ text }) => text === "begun")
    await stop(uuid)
    await stage.call("chorus_send_to_run", { runUuid: uuid, text: "Take the green one." })
    await stage.until(uuid, "stopped")
    await tell("resume", uuid, { say: "DONE green" })
    await told(uuid, ({ kind, text }) => kind === "user" && text?.includes("the green one") === true)
    await stage.until(uuid, "finished")
  })

  it("goes on by itself with what was said while it was ending", async () => {
    const { uuid, taskUuid } = await begin([{ say: "DONE It is red." }], { command: SLOW_TO_GO })
    await waitFor(() => existsSync(join(state, "slow", "lingers")), 60_000, "its input to end")
    expect((await stage.run(uuid)).state).toBe("running")
    await stage.call("chorus_send_to_run", { runUuid: uuid, text: script({ say: "Ruby red, in fact." }) })
    await told(uuid, ({ kind, text }) => kind === "message" && text === "Ruby red, in fact.")
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ state: "finished", turns: 2 })
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "to_verify" })
  })

  it("answers what is said to it after it has handed in, and stays handed in", async () => {
    const { uuid, taskUuid } = await begin([cost(0.2), { say: "DONE It is red." }])
    expect(await stage.until(uuid, "finished")).toMatchObject({ usage: { costUsd: 0.2 } })
    await tell("send_to", uuid, cost(0.3), { say: "Ruby red." })
    await told(uuid, ({ text }) => text === "Ruby red.")
    // This program knows what the conversation had cost before.
    expect(await stage.until(uuid, "finished", "failed")).toMatchObject({ turns: 2, usage: { costUsd: 0.3 } })
    const task = await stage.call<{ status: string; reports: { content: string }[] }>("chorus_get_task", { taskUuid })
    expect(task.status).toBe("to_verify")
    expect(task.reports.some(({ content }) => content.startsWith("Ruby red."))).toBe(true)
  })

  it("is watched in a terminal, where each line that is typed is said to it, and one that is refused says so", async () => {
    const { uuid } = await begin([{ say: "begun" }, { sh: "echo by its shell; sleep 60" }])
    const { PATH, HOME } = process.env
    const args = [CHORUS_MAIN, "runs", "attach", uuid.slice(0, 8), "--data", stage.data]
    const watching = spawn(process.execPath, args, { env: { PATH, HOME, NO_COLOR: "1" } })
    let [shown, refused] = ["", ""]
    watching.stdout.on("data", (text: Buffer) => (shown += String(text)))
    watching.stderr.on("data", (text: Buffer) => (refused += String(text)))
    const shows = (words: string) =>
      waitFor(
        () => shown.includes(words),
        60_000,
        () => `${words} in ${shown}${refused}`,
      )
    await shows("begun")
    await shows("[tool] echo by its shell; sleep 60 in progress")
    watching.stdin.write("Use the ruby one.\nand \u0001\n")
    await shows("said this for the next turn: Use the ruby one.")
    await waitFor(
      () => refused.includes("control characters"),
      60_000,
      () => refused,
    )
    await stop(uuid)
    const [code] = (await once(watching, "exit")) as [number]
    expect([code, shown.trimEnd().endsWith("stopped")]).toEqual([1, true])
  })

  it("is begun anew where another stood after a turn, and so is the review of what was handed in", async () => {
    const { uuid, taskUuid } = await begin([{ write: { path: "door.txt", text: "one" } }, { say: "UNFINISHED" }])
    await stage.until(uuid, "finished")
    await tell("send_to", uuid, { write: { path: "door.txt", text: "two" } }, { say: "UNFINISHED" })
    await waitFor(async () => (await stage.run(uuid)).turns === 2, 60_000)
    await stage.until(uuid, "finished")
    await stage.call("chorus_release_task", { taskUuid })
    const look = script({ sh: "cat door.txt" }, { say: "DONE seen" })
    const fork = await stage.call<Row>("chorus_fork_run", { runUuid: uuid, turn: 1, words: look })
    expect(await stage.until(fork.uuid, "finished", "failed")).toMatchObject({ state: "finished", forkTurn: 1 })
    const printed = async (of: string) => (await stage.transcript(of)).map(({ text }) => text).join("\n")
    expect(await printed(fork.uuid)).toContain("one")
    expect((await stage.run(fork.uuid)).worktree).not.toBe((await stage.run(uuid)).worktree)
    // A reviewer who is put to work by hand begins at the branch; one by policy at what was handed in.
    const projectUuid = (await stage.run(fork.uuid)).projectUuid
    const reviewer = { program: "command", command: AGENT }
    await stage.call("chorus_update_run_policy", { projectUuid, reviewFirst: true, work: { review: reviewer } })
    const { uuid: builds, taskUuid: on } = await begin([
      { sh: "cat door.txt || echo none" },
      { write: { path: "door.txt", text: "handed in" } },
      { say: "DONE" },
    ])
    await stage.until(builds, "finished")
    const review = await waitFor(async () => {
      const { runs } = await stage.call<{ runs: Row[] }>("chorus_list_runs", { taskUuid: on })
      return runs.find(({ work }) => work === "review")
    }, 60_000)
    await stage.call("chorus_update_run_policy", { projectUuid, reviewFirst: false })
    expect(await stage.until(review.uuid, "finished", "failed")).toMatchObject({ state: "finished", forkOf: builds })
    expect([await printed(builds), await printed(review.uuid)]).toEqual([
      expect.stringContaining("none"),
      expect.stringContaining("handed in"),
    ])
  })

  it("is stopped though its agent is deaf to that, and nothing of it is left", async () => {
    const { uuid } = await begin([{ orphan: "sleep 300" }, { say: "hanging" }, { hang: true }])
    await told(uuid, ({ text }) => text === "hanging")
    await stop(uuid)
    await stage.until(uuid, "stopped")
    await waitFor(() => stage.strays(uuid).length === 0, 60_000, "its processes to end")
    const own = `worktree ${(await stage.run(uuid)).worktree}`
    const isLocked = () =>
      stage
        .git("worktree", "list", "--porcelain")
        .split("\n\n")
        .some((tree) => tree.startsWith(own) && tree.includes("\nlocked"))
    await waitFor(() => !isLocked(), 20_000, "its worktree to be let go")
  })

  it("that prints a secret it was given shows it to nobody, in the transcript or in its frames", async () => {
    const { uuid } = await begin([{ sh: "echo it is $DOOR_SECRET." }, { say: `DONE with ${SECRET}` }])
    await stage.until(uuid, "finished")
    const entries = JSON.stringify(await stage.transcript(uuid))
    expect(entries).toContain("it is ")
    const frames = readFileSync(join(stage.data, "runner", "runs", uuid, "frames.jsonl"), "utf8")
    expect([entries, frames, JSON.stringify(await stage.run(uuid))].filter((text) => text.includes(SECRET))).toEqual([])
  })

  it("takes another model and mode from its next turn on, and no mode beyond the machine's", async () => {
    const taskUuid = await stage.task(script({ settings: true }, { sleep: 1500 }, { say: "UNFINISHED" }))
    const { uuid } = await stage.call<Row>("chorus_start_run", { taskUuid, program: "claude", mode: "ask" })
    await told(uuid, ({ text }) => text?.includes('set to {"modeId":"default"}') === true)
    await stage.call("chorus_change_run", { runUuid: uuid, mode: "edit", model: "opus" })
    const beyond = stage.call("chorus_change_run", { runUuid: uuid, mode: "all" })
    await expect(beyond).rejects.toMatchObject({ code: "not_allowed_here" })
    await told(uuid, ({ text }) => text?.includes("chose opus, edit.") === true)
    await tell("send_to", uuid, { settings: true }, { say: "UNFINISHED" })
    await told(uuid, ({ text }) => text?.includes('set to {"modeId":"acceptEdits","modelId":"opus"}') === true)
    expect(await stage.run(uuid)).toMatchObject({ mode: "edit", model: "opus" })
    await stop(uuid)
  })

  it("is stopped in the middle of the turn that overdraws its money, with a warning before", async () => {
    const yes = [cost(0.95), { say: "UNFINISHED" }]
    const taskUuid = await stage.task(script(cost(0.9), { ask: { title: "dig" }, yes }))
    const { uuid } = await stage.start(taskUuid, "--program", "claude", "--usd", "1")
    const asked = await askedOf(uuid, "dig")
    expect(await stage.run(uuid)).toMatchObject({ warning: "90 % of $1.00 for this run used.", turns: 1 })
    await answer(asked, { decision: "approve" })
    expect(await stage.until(uuid, "finished")).toMatchObject({ usage: { costUsd: 0.95 } })
    // Claude Code counts anew in every process; what the run has cost goes on.
    await tell("send_to", uuid, cost(0.3), { sleep: 60_000 })
    await waitFor(async () => (await stage.run(uuid)).turns === 2, 60_000)
    const over = { stoppedFor: "budget", reason: "Over budget: $1.25 of $1.00 for this run." }
    expect(await stage.until(uuid, "stopped", "finished")).toMatchObject({ state: "stopped", ...over })
  })

  it.each([
    ["is not there", ABSENT, "There is no "],
    ["ends at its start", WRONG, "not a git command"],
  ])("whose program %s fails and says so, and takes nobody with it", async (_what, command, reason) => {
    const { uuid } = await begin([{ say: "DONE" }], { command })
    expect(await stage.until(uuid, "finished", "failed", "lost")).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(reason),
    })
  })

  it("begins by itself on a task that is ready, in a project that its people set on autopilot", async () => {
    const { uuid: projectUuid } = await stage.call<{ uuid: string }>("chorus_admin_create_project", { name: "Gate" })
    const taskUuid = await stage.task(script({ write: { path: "gate.txt", text: "oiled" } }, { say: "DONE" }), {
      projectUuid,
    })
    const work = { build: { program: "command", command: AGENT } }
    await stage.call("chorus_update_run_policy", { projectUuid, autopilot: true, work })
    const [run] = await waitFor(async () => {
      const { runs } = await stage.call<{ runs: Row[] }>("chorus_list_runs", { taskUuid })
      return runs.length > 0 && runs
    }, 60_000)
    expect(await stage.until(run?.uuid ?? "", "finished", "failed")).toMatchObject({ state: "finished" })
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "to_verify" })
  })

  it("gives its agent a key for our tools that ends with the run", async () => {
    const mcp = { tool: "chorus_checkin", args: {} }
    const { uuid } = await begin([{ mcp }, { say: "DONE" }])
    await stage.until(uuid, "finished")
    const [call] = (await stage.transcript(uuid)).filter(({ kind }) => kind === "tool")
    expect(call?.text).toMatch(/^200 [\s\S]*Runner on /)
    const keys = await stage.call<{ keys: { name: string; revokedAt: string | null }[] }>("chorus_list_keys", {
      pageSize: 100,
    })
    expect(keys.keys.find(({ name }) => name === `run ${uuid}`)?.revokedAt).not.toBeNull()
  })

  it("does nothing that the machine does not allow, whatever the server asks", async () => {
    const mute = `${AGENT} --mute`
    const asked = [
      [{ command: mute }, `Run \`chorus runner allow DIR --command '${mute}'\` there`],
      [{ folder: "garden" }, "Name one of those, or run `chorus runner allow"],
      [{ mode: "all" }, 'beyond "edit"'],
      [{ inPlace: true }, "in place"],
    ] as const
    const refused = await Promise.all(asked.map(([more]) => begin([], more)))
    for (const [at, { uuid }] of refused.entries()) {
      const { reason } = await waitFor(async () => {
        const run = await stage.run(uuid)
        return run.reason === null ? undefined : run
      })
      expect(reason).toContain(asked[at]?.[1])
    }
    // Another run came after them and is over: whoever leases has passed them by.
    const after = await begin([{ say: "DONE" }])
    await stage.until(after.uuid, "finished")
    for (const { uuid, taskUuid } of refused) {
      expect(await stage.run(uuid)).toMatchObject({ state: "queued", machine: null })
      expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "open" })
      await stop(uuid)
    }
  })
})

describe("a run in the same place as others", () => {
  it("works in the checkout itself one at a time, where the machine allows that", async () => {
    await stage.json("runner", "allow", stage.repository, "--in-place")
    const start = (...steps: object[]) => begin(steps, { inPlace: true })
    const first = await start({ sh: "pwd" }, { sleep: 60_000 })
    await stage.until(first.uuid, "running")
    const second = await start({ say: "DONE" })
    await waitFor(async () => (await stage.run(second.uuid)).reason?.includes("waits for it"), 60_000, "its turn")
    expect(await stage.run(first.uuid)).toMatchObject({ worktree: stage.repository, branch: "main" })
    await stop(first.uuid)
    await stage.until(second.uuid, "finished")
    expect(stage.git("status", "--porcelain")).toBe("")
  })

  it(
    "leaves nothing behind that `runner clean` does not find, whatever became of it",
    { tags: ["stress"] },
    async () => {
      const left = (await stage.json<Leftover[]>("runner", "clean")).filter(({ goes }) => !goes.includes("worktree"))
      expect(left.map(({ path }) => path)).toEqual(left.map(() => stage.repository))
      expect(stage.git("worktree", "list").split("\n")).toHaveLength(1)
    },
  )
})
