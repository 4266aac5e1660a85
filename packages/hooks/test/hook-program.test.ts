import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { freePort, isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { type Heard, listen, runHook, type Told } from "./hook-run.ts"

const stop = (agent: string, session = "s1") => ({
  session_id: session,
  cwd: "/",
  hook_event_name: "SubagentStop",
  agent_id: agent,
  agent_type: "general-purpose",
  last_assistant_message: `DONE ${agent} "é"`,
})
const fails = (response: ServerResponse, status: number) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: {} }))
const commandAt = (name: string) => execFileSync("which", [name], { encoding: "utf8" }).trim()
const spoolOf = (project: string) => join(project, ".chorus", "claude", "spool")

describe("a server that fails", () => {
  const faults: [name: string, answer: (response: ServerResponse) => void, says: RegExp][] = [
    ["says 500", (response) => fails(response, 500), /has a problem \(HTTP 500\)/],
    ["does not know the key", (response) => fails(response, 401), /does not accept the API key/],
    ["talks garbage", (response) => response.end("<html>"), /does not answer/],
    ["hangs up", (response) => response.destroy(), /does not answer/],
    ["never answers", () => undefined, /does not answer/],
    [
      "stops in the middle",
      (response) => response.writeHead(200, { "content-length": "500" }).write('{"systemMessage":'),
      /does not answer/,
    ],
  ]

  it.each(faults)(
    "that %s costs at most the limit and one line, and what matters is kept",
    async (_name, answer, says) => {
      await using directory = temporaryDirectory("hook-")
      await using server = await listen((_heard, response) => answer(response))
      const options = { project: directory.path, url: server.url, env: { CHORUS_HOOK_SECONDS: "1" } }
      const { code, stdout, ms } = await runHook(stop("a1"), options)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual({ systemMessage: expect.stringMatching(says) })
      expect(stdout.trim().split("\n")).toHaveLength(1)
      expect(ms).toBeLessThan(4000)
      expect(readdirSync(spoolOf(directory.path))).toHaveLength(1)
    },
  )

  it("is asked once where many events wait", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen((_heard, response) => fails(response, 503))
    for (const agent of ["a1", "a2", "a3"]) await runHook(stop(agent), { project: directory.path, url: server.url })
    expect(server.heard.map(({ body }) => body["agent_id"])).toEqual(["a1", "a1", "a1"])
    expect(readdirSync(spoolOf(directory.path))).toHaveLength(3)
  })

  it("does not lose the report that a terminal's turn ends with, nor says a word about it", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen((_heard, response) => fails(response, 503))
    const ends = (last_assistant_message: string) =>
      runHook(
        { session_id: "s1", hook_event_name: "Stop", last_assistant_message },
        { project: directory.path, url: server.url },
      )
    expect((await ends("Noted.")).stdout).toBe("")
    expect(existsSync(spoolOf(directory.path))).toBe(false)
    expect((await ends("**DONE**: it is lit.")).stdout).toBe("")
    expect(readdirSync(spoolOf(directory.path))).toHaveLength(1)
  })

  it("or no key at all holds nothing up", async () => {
    await using directory = temporaryDirectory("hook-")
    const { code, stdout } = await runHook(
      { session_id: "s1", hook_event_name: "SessionStart", source: "startup" },
      { project: directory.path, url: "http://127.0.0.1:9", key: "" },
    )
    const words = expect.stringContaining("has no API key")
    const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext: words }
    expect([code, JSON.parse(stdout)]).toEqual([0, { systemMessage: words, hookSpecificOutput }])
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })
})

describe("kept events", () => {
  it("are delivered in order and once, before the next event, and the folder goes", async () => {
    await using directory = temporaryDirectory("hook-")
    const project = directory.path
    for (const agent of ["a1", "a2", "a3"])
      await runHook(stop(agent), { project, url: `http://127.0.0.1:${await freePort()}` })
    execFileSync("git", ["init", "-q", project])
    expect(execFileSync("git", ["-C", project, "status", "--porcelain"], { encoding: "utf8" })).toBe("")
    await using server = await listen(({ reply }) => reply())
    await runHook(stop("a4"), { project, url: server.url })
    expect(server.heard.map(({ body }) => body["last_assistant_message"])).toEqual(
      ["a1", "a2", "a3", "a4"].map((agent) => `DONE ${agent} "é"`),
    )
    expect(new Set(server.heard.map(({ mark }) => mark)).size).toBe(4)
    expect(existsSync(join(project, ".chorus"))).toBe(false)
  })

  it("carry the same mark when they are told again, so that they count once", async () => {
    await using directory = temporaryDirectory("hook-")
    let up = false
    await using server = await listen(({ reply }, response) => (up ? reply() : response.destroy()))
    await runHook(stop("a1"), { project: directory.path, url: server.url })
    up = true
    await runHook(
      { session_id: "s1", hook_event_name: "TaskCompleted", task_id: "1" },
      { project: directory.path, url: server.url },
    )
    const told = server.heard.filter(({ body }) => body["agent_id"] === "a1")
    expect(told).toHaveLength(2)
    expect(told[0]?.mark).toBe(told[1]?.mark)
    expect(told[0]?.mark).toMatch(/^\d+-\d+-s1$/)
  })

  it("that will never be accepted do not hold up the rest", async () => {
    await using directory = temporaryDirectory("hook-")
    const project = directory.path
    for (const agent of ["bad", "good"]) await runHook(stop(agent), { project, url: "http://127.0.0.1:9" })
    await using server = await listen(({ body, reply }, response) =>
      body["agent_id"] === "bad" ? fails(response, 400) : reply(),
    )
    await runHook(stop("new"), { project, url: server.url })
    expect(server.heard.map(({ body }) => body["agent_id"])).toEqual(["bad", "good", "new"])
    expect(existsSync(join(project, ".chorus"))).toBe(false)
  })

  it("of many hooks at once are all told, each once, although a dead process holds the lock", async () => {
    await using directory = temporaryDirectory("hook-")
    const project = directory.path
    const agents = Array.from({ length: 20 }, (_, at) => `a${at}`)
    await Promise.all(agents.map((agent) => runHook(stop(agent), { project, url: "http://127.0.0.1:9" })))
    expect(readdirSync(spoolOf(project))).toHaveLength(20)
    mkdirSync(join(project, ".chorus", "claude", "lock"))
    writeFileSync(join(project, ".chorus", "claude", "lock", "pid"), "999999999\n")
    await using server = await listen(({ reply }) => reply())
    await Promise.all(
      ["b1", "b2", "b3"].map((agent) =>
        runHook(stop(agent), { project, url: server.url, env: { CHORUS_HOOK_SECONDS: "10" } }),
      ),
    )
    expect(server.heard.map(({ body }) => String(body["agent_id"])).toSorted()).toEqual(
      [...agents, "b1", "b2", "b3"].toSorted(),
    )
    expect(existsSync(join(project, ".chorus"))).toBe(false)
  })
})

describe("last words that come after the hook", () => {
  const WORDS = {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text: "DONE: it works." }] },
  }
  const PROMPT = { type: "user", message: { role: "user", content: "Build it." } }

  const untilWords = ({ body, reply }: Heard) =>
    reply(body["awaits_words"] === true && body["transcript_tail"] === undefined ? { chorus: { needs: "words" } } : {})
  const worded = (heard: readonly Heard[]) =>
    heard.map(({ body }) => body).filter((body) => body["transcript_tail"] !== undefined)

  async function endOfOld(project: string, url: string) {
    const transcript = join(project, "agent-a1.jsonl")
    writeFileSync(transcript, `${JSON.stringify(PROMPT)}\n`)
    const { last_assistant_message: _, ...old } = stop("a1")
    const { code, stdout } = await runHook({ ...old, agent_transcript_path: transcript }, { project, url })
    expect([code, stdout]).toEqual([0, ""])
    return { sayIt: () => appendFileSync(transcript, `${JSON.stringify(WORDS)}\n`) }
  }

  it("are waited for without holding the agent up, told once, and nothing is left", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(untilWords)
    const agent = await endOfOld(directory.path, server.url)
    agent.sayIt()
    await waitFor(() => !existsSync(join(directory.path, ".chorus")))
    expect(worded(server.heard)).toMatchObject([{ agent_id: "a1", transcript_tail: WORDS, transcript_head: PROMPT }])
    expect(new Set(server.heard.map(({ mark }) => mark)).size).toBe(server.heard.length)
  })

  it("are told by the next session when the process that waited for them is killed", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(untilWords)
    const agent = await endOfOld(directory.path, server.url)
    // The event is handed from the process that took it to the one that waits.
    const waiting = await waitFor(() =>
      readdirSync(spoolOf(directory.path))
        .map((draft) => Number(/^\.tmp\.(\d+)\./.exec(draft)?.[1]))
        .find((pid) => isRunning(pid)),
    )
    process.kill(waiting, "SIGKILL")
    await waitFor(() => !isRunning(waiting))
    agent.sayIt()
    await runHook(
      { session_id: "s2", cwd: "/", hook_event_name: "SessionStart", source: "startup" },
      { project: directory.path, url: server.url },
    )
    await waitFor(() => !existsSync(spoolOf(directory.path)))
    expect(worded(server.heard)).toMatchObject([{ agent_id: "a1", transcript_tail: WORDS, transcript_head: PROMPT }])
  })
})

describe("sub-agents that did not come to their end", () => {
  const answered = (name: string, path: string) => `chorus\nlost ${name} ${path}\n\n`
  const line = (id: string, mark: string) =>
    `${JSON.stringify({ agentId: id, message: { role: "user", content: `Build it.\n\n<chorus session="${mark}">` } })}\n` +
    `${JSON.stringify({ agentId: id, message: { id: `msg_${id}`, model: "opus", usage: { input_tokens: 7, output_tokens: 3 } } })}\n`

  it("have what they used told from their own transcripts, and of no others", async () => {
    await using directory = temporaryDirectory("hook-")
    const transcript = join(directory.path, "s1.jsonl")
    const folder = join(directory.path, "s1", "subagents")
    mkdirSync(folder, { recursive: true })
    for (const [id, mark] of [
      ["a1", "u1"],
      ["a2", "u2"],
      ["a3", "u3"],
    ] as const)
      writeFileSync(join(folder, `agent-${id}.jsonl`), line(id, mark))
    const event = { session_id: "s1", hook_event_name: "SessionEnd", reason: "crashed", transcript_path: transcript }
    // Nobody gets what lies beside a file that the event does not name, nor chooses by more than names.
    const answers = [answered("a2", transcript), answered(".*", transcript), answered("u1|a3", transcript)]
    await using server = await listen(({ body }, response) =>
      response.end(body["hook_event_name"] === "SessionEnd" ? answers.shift() : "chorus\n\n"),
    )
    const options = { project: directory.path, url: server.url }
    await runHook({ ...event, transcript_path: `${directory.path}/other.jsonl` }, options)
    await runHook(event, options)
    await runHook(event, options)
    const used = () => server.heard.map(({ body }) => body).filter((body) => body["hook_event_name"] === "Usage")
    await waitFor(() => used().length === 2)
    expect(
      used()
        .map((body) => body["agent_id"])
        .toSorted(),
    ).toEqual(["a1", "a3"])
    expect(used()[0]).toMatchObject({ session_id: "s1", usage: [{ model: "opus", inputTokens: 7, outputTokens: 3 }] })
  })

  it("have it told once more where the server did not take it the first time", async () => {
    await using directory = temporaryDirectory("hook-")
    const transcript = join(directory.path, "s1.jsonl")
    mkdirSync(join(directory.path, "s1", "subagents"), { recursive: true })
    writeFileSync(join(directory.path, "s1", "subagents", "agent-a1.jsonl"), line("a1", "u1"))
    const isUsage = ({ body }: Heard) => body["hook_event_name"] === "Usage"
    await using server = await listen((one, response) => {
      if (!isUsage(one)) response.end(answered("a1", transcript))
      else if (server.heard.filter(isUsage).length === 1) response.destroy()
      else response.end("chorus\n\n")
    })
    await runHook(
      { session_id: "s1", hook_event_name: "SessionEnd", reason: "crashed", transcript_path: transcript },
      { project: directory.path, url: server.url },
    )
    await waitFor(() => server.heard.filter(isUsage).length === 2)
    const [first, second] = server.heard.filter(isUsage).map(({ body }) => body["usage"])
    expect(second).toEqual(first)
  })
})

describe("a question that may be answered on the page", () => {
  const UUID = "0199c0de-0000-7000-8000-000000000001"
  const QUESTION = { session_id: "s1", hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: {} }
  const open = { chorus: { attentionUuid: UUID, settled: false } }
  const decision = { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } as const
  const yes = { chorus: { attentionUuid: UUID, settled: true }, hookSpecificOutput: decision }
  const isPoll = ({ body }: Heard) => body["hook_event_name"] === "PermissionAnswer"

  it("is asked after each second by a hook that starts nothing while it waits", async () => {
    await using directory = temporaryDirectory("hook-")
    const bin = join(directory.path, "bin")
    mkdirSync(bin)
    for (const name of ["bash", "cat", "mkdir"]) symlinkSync(commandAt(name), join(bin, name))
    const at: number[] = []
    await using server = await listen((one) => {
      if (isPoll(one)) at.push(performance.now())
      // Whatever it had to start from here on, it would not find.
      if (isPoll(one)) rmSync(bin, { recursive: true, force: true })
      one.reply(at.length === 4 ? yes : open)
    })
    const env = { PATH: bin, CLAUDE_PID: String(process.pid) }
    const { stdout, stderr } = await runHook(QUESTION, { project: directory.path, url: server.url, env })
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual({ hookSpecificOutput: decision })
    const waits = at.slice(1).map((moment, n) => moment - (at[n] ?? 0))
    expect(Math.min(...waits)).toBeGreaterThan(900)
    expect(Math.min(...waits)).toBeLessThan(1500)
  })

  it("is given up once its program is seen to have gone on, and then hears no answer any more", async () => {
    await using directory = temporaryDirectory("hook-")
    mkdirSync(join(directory.path, "sessions"))
    const does = (status: string) =>
      writeFileSync(join(directory.path, "sessions", `${process.pid}.json`), JSON.stringify({ pid: 1, status }))
    does("waiting")
    await using server = await listen((one) => {
      const isAnswered = server.heard.filter(isPoll).length > 1
      if (isPoll(one)) does("busy")
      one.reply(isAnswered ? yes : open)
    })
    const env = { CLAUDE_PID: String(process.pid), CLAUDE_CONFIG_DIR: directory.path }
    const { stdout } = await runHook(QUESTION, { project: directory.path, url: server.url, env })
    expect(stdout).toBe("")
    expect(server.heard.filter(isPoll).map(({ body }) => body["reason"])).toEqual([undefined, "gave_up"])
  })

  it.each([1, 2, 3, 4])(
    "is either told or given up by a hook that is told to stop as the answer comes (%s)",
    async () => {
      await using directory = temporaryDirectory("hook-")
      const { promise: answered, resolve } = Promise.withResolvers<void>()
      const reasons: unknown[] = []
      await using server = await listen((one) => {
        if (!isPoll(one)) return one.reply(open)
        reasons.push(one.body["reason"])
        if (one.body["reason"] === undefined) resolve()
        one.reply(yes)
      })
      const env = { CLAUDE_PID: String(process.pid) }
      const { stdout } = await runHook(QUESTION, { project: directory.path, url: server.url, env, stopAfter: answered })
      expect(reasons).toEqual(stdout === "" ? [undefined, "gave_up"] : [undefined])
    },
  )
})

describe("a server that asks for more than is its business", () => {
  it.each(["now", "later"])("gets no file that the event does not name, asked for %s", async (when) => {
    await using directory = temporaryDirectory("hook-")
    const secret = join(directory.path, "secret.jsonl")
    writeFileSync(secret, "secret\n")
    await using server = await listen((_heard, response) => response.end(`chorus\nbring ${when} ${secret}\n\n`))
    const event = { ...stop("a1"), agent_transcript_path: `${directory.path}/agent-a1.jsonl` }
    const { code, stdout } = await runHook(event, { project: directory.path, url: server.url })
    expect([code, stdout, server.heard.length]).toEqual([0, "", 1])
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })
})

describe("state in the project", () => {
  const start = (session: string) => ({
    session_id: session,
    cwd: "/",
    hook_event_name: "SessionStart",
    source: "startup",
  })
  const prompt = (session: string) => ({
    session_id: session,
    cwd: "/",
    hook_event_name: "UserPromptSubmit",
    prompt: "hello",
  })
  const needsPrompt = { chorus: { needs: "prompt" } } as const
  const greeting = ({ body, reply }: Heard) => {
    if (body["hook_event_name"] === "SessionStart")
      return reply({ systemMessage: `Chorus: "${String(body["session_id"])}" – grüß dich` })
    reply(body["hook_event_name"] === "SubagentStop" ? { systemMessage: "Chorus: lamp is done" } : {})
  }

  it("never mixes two sessions in one folder, and goes with the last", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(greeting)
    const options = { project: directory.path, url: server.url, env: { CLAUDE_PID: String(process.pid) } }
    const say = async (event: Told) => (await runHook(event, options)).stdout
    const context = async (session: string) =>
      (JSON.parse(await say(prompt(session))) as { hookSpecificOutput: { additionalContext: string } })
        .hookSpecificOutput.additionalContext
    await say(start("s1"))
    await say(start("s2"))
    await say(stop("a1", "s1"))
    const asked = server.heard.length
    expect(await context("s2")).toBe('Chorus: "s2" – grüß dich')
    expect(await context("s1")).toBe('Chorus: "s1" – grüß dich\nChorus: lamp is done')
    expect(await context("s1")).toBe('Chorus: "s1" – grüß dich')
    expect(server.heard).toHaveLength(asked)
    await say({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" })
    expect(await context("s2")).toBe('Chorus: "s2" – grüß dich')
    await say({ session_id: "s2", hook_event_name: "SessionEnd", reason: "other" })
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })

  it("has what comes of a kept event for the session that it happened in, whichever tells it", async () => {
    await using directory = temporaryDirectory("hook-")
    let isUp = true
    await using server = await listen((heard, response) => (isUp ? greeting(heard) : response.destroy()))
    const options = { project: directory.path, url: server.url, env: { CLAUDE_PID: String(process.pid) } }
    const say = async (event: Told) => (await runHook(event, options)).stdout
    for (const session of ["s1", "s2"]) await say(start(session))
    isUp = false
    await say(stop("a1", "s1"))
    isUp = true
    await say({ session_id: "s2", hook_event_name: "TaskCompleted", task_id: "1" })
    expect(await say(prompt("s2"))).not.toContain("lamp is done")
    expect(await say(prompt("s1"))).toContain("Chorus: lamp is done")
    for (const session of ["s1", "s2"])
      await say({ session_id: session, hook_event_name: "SessionEnd", reason: "other" })
  })

  it("has what comes of one whose prompt had to be asked for, although its call had not returned", async () => {
    await using directory = temporaryDirectory("hook-")
    let isUp = true
    await using server = await listen((heard, response) => {
      if (!isUp) return response.destroy()
      if (heard.body["hook_event_name"] !== "SubagentStop") return greeting(heard)
      const isWhole = heard.body["transcript_head"] !== undefined
      heard.reply(isWhole ? { systemMessage: "Chorus: lamp is done", chorus: { awaited: true } } : needsPrompt)
    })
    const options = { project: directory.path, url: server.url, env: { CLAUDE_PID: String(process.pid) } }
    await runHook(start("s1"), options)
    isUp = false
    const agent_transcript_path = join(directory.path, "agent-a1.jsonl")
    writeFileSync(agent_transcript_path, `${JSON.stringify({ message: { role: "user", content: "Build it." } })}\n`)
    await runHook({ ...stop("a1", "s1"), agent_transcript_path }, options)
    isUp = true
    await runHook({ session_id: "s1", hook_event_name: "Stop", last_assistant_message: "Noted." }, options)
    expect((await runHook(prompt("s1"), options)).stdout).toContain("Chorus: lamp is done")
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
  })

  it("is as the end of the turn before left it", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen((heard) =>
      heard.body["hook_event_name"] === "Stop"
        ? heard.reply({ chorus: { state: 'Chorus: "s1", nothing sent back' } })
        : greeting(heard),
    )
    const options = { project: directory.path, url: server.url, env: { CLAUDE_PID: String(process.pid) } }
    await runHook(start("s1"), options)
    await runHook({ session_id: "s1", hook_event_name: "Stop", last_assistant_message: "Noted." }, options)
    expect((await runHook(prompt("s1"), options)).stdout).toContain("nothing sent back")
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })

  it("lets a prompt say that the person is back, without waiting for the server", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(({ reply }) => reply())
    const options = { project: directory.path, url: server.url }
    await runHook({ session_id: "s1", hook_event_name: "Notification", notification_type: "idle_prompt" }, options)
    await runHook(prompt("s1"), options)
    await waitFor(() => server.heard.length === 2)
    expect(server.heard.map(({ body }) => body["hook_event_name"])).toEqual(["Notification", "UserPromptSubmit"])
    await runHook(prompt("s1"), options)
    expect(server.heard).toHaveLength(2)
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })

  it("of a session that died is removed by the next, which tells of its end", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(greeting)
    await runHook(start("dead"), { project: directory.path, url: server.url, env: { CLAUDE_PID: "999999999" } })
    await runHook(start("alive"), {
      project: directory.path,
      url: server.url,
      env: { CLAUDE_PID: String(process.pid) },
    })
    expect(server.heard.map(({ body }) => `${String(body["hook_event_name"])} ${String(body["session_id"])}`)).toEqual([
      "SessionStart dead",
      "SessionEnd dead",
      "SessionStart alive",
    ])
    expect(readdirSync(join(directory.path, ".chorus", "claude", "sessions"))).toEqual(["alive"])
  })
})

describe("what a crash leaves", () => {
  it("is recovered where it is whole, removed where it is not, and holds nothing up", async () => {
    await using directory = temporaryDirectory("hook-")
    const place = join(directory.path, ".chorus", "claude")
    for (const folder of ["spool", "sessions", "news", "lock"]) mkdirSync(join(place, folder), { recursive: true })
    writeFileSync(
      join(place, "spool", ".tmp.999999998.1763200000000000-0000001-s0"),
      `${JSON.stringify(stop("whole", "s0"))}\n`,
    )
    writeFileSync(join(place, "spool", ".tmp.999999998.1763200000000001-0000001-s0"), '{"session_id":"s0","hook_event')
    writeFileSync(join(place, "sessions", ".tmp.999999998.s0"), "1")
    writeFileSync(join(place, "news", ".tmp.999999998.s0"), "old news")
    mkdirSync(join(place, ".tmp.999999998.lock"))
    await using server = await listen(({ reply }) => reply())
    const options = { project: directory.path, url: server.url }
    await runHook({ session_id: "s1", hook_event_name: "SessionStart", source: "startup" }, options)
    expect(server.heard.map(({ body }) => body["agent_id"] ?? body["hook_event_name"])).toEqual([
      "whole",
      "SessionStart",
    ])
    await runHook({ session_id: "s1", hook_event_name: "SessionEnd", reason: "other" }, options)
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })
})

describe("the switches", () => {
  it("turn off the reminder and the guidance, and nothing else", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(({ reply }) => reply({ systemMessage: "Chorus: Dev" }))
    const options = (env: Record<string, string> = {}) => ({
      project: directory.path,
      url: server.url,
      env: { CLAUDE_PID: String(process.pid), ...env },
    })
    const plan = { session_id: "s1", hook_event_name: "PreToolUse", tool_name: "EnterPlanMode", tool_input: {} }
    const prompt = { session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "hello" }
    await runHook({ session_id: "s1", hook_event_name: "SessionStart", source: "startup" }, options())
    expect((await runHook(plan, { ...options(), as: "EnterPlanMode" })).stdout).toContain("write proposals")
    expect((await runHook(prompt, options())).stdout).toContain("Chorus: Dev")
    expect(
      (await runHook(plan, { ...options({ CLAUDE_PLUGIN_OPTION_PLAN_GUIDANCE: "false" }), as: "EnterPlanMode" }))
        .stdout,
    ).toBe("")
    expect((await runHook(prompt, options({ CLAUDE_PLUGIN_OPTION_PROMPT_REMINDER: "false" }))).stdout).toBe("")
    expect(server.heard).toHaveLength(1)
  })
})

describe("beside a session", () => {
  const spawn = { session_id: "s1", hook_event_name: "PreToolUse", tool_input: '{"prompt":"\\"id\\":9} \\"é\\""}' }
  const calls = [
    { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} }, jsonrpc: "2.0", id: 0 },
    { method: "notifications/initialized", jsonrpc: "2.0" },
    { jsonrpc: "2.0", id: "a-1", method: "tools/list" },
    { method: "tools/call", params: { name: "chorus_hook", arguments: spawn }, jsonrpc: "2.0", id: 2 },
    { method: "server/discover", params: {}, jsonrpc: "2.0", id: 3 },
  ]
  const stdin = calls.map((call) => `${JSON.stringify(call)}\n`).join("")
  const serve = async (project: string, url: string, key?: string) => {
    const options = { project, url, as: "Serve", stdin, ...(key === undefined ? {} : { key }) }
    const { stdout, stderr, code } = await runHook(spawn, options)
    expect([stderr, code]).toEqual(["", 0])
    const answers = stdout.trim().split("\n")
    expect(answers).toHaveLength(4)
    return answers.map((line) => JSON.parse(line) as { id: unknown; result?: { content?: { text: string }[] } })
  }

  it("it takes events over MCP, each as it came, and hands the answer back", async () => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(({ reply }) => reply({ systemMessage: 'Say "é".' }))
    const [hello, tools, called, unknown] = await serve(directory.path, server.url)
    expect(hello).toMatchObject({ id: 0, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } })
    expect(tools).toMatchObject({ id: "a-1", result: { tools: [] } })
    expect(called?.id).toBe(2)
    expect(JSON.parse(called?.result?.content?.[0]?.text ?? "")).toEqual({ systemMessage: 'Say "é".' })
    expect(unknown).toMatchObject({ id: 3, error: { code: -32601 } })
    expect(server.heard.map(({ body }) => body)).toEqual([{ ...spawn, program: "claude" }])
  })

  it("it answers as if nothing were to be said where no server is, or one that fails, or no key", async () => {
    await using directory = temporaryDirectory("hook-")
    await using broken = await listen((_heard, response) => fails(response, 500))
    for (const [url, key] of [[`http://127.0.0.1:${await freePort()}`], [broken.url], [broken.url, ""]] as const) {
      const called = (await serve(directory.path, url, key))[2]
      expect(called).toEqual({ jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "{}" }] } })
    }
    expect(existsSync(join(directory.path, ".chorus"))).toBe(false)
  })
})

describe("elsewhere", () => {
  it.each(["curl", "node"])("a server with another name is reached by %s", async (by) => {
    await using directory = temporaryDirectory("hook-")
    await using server = await listen(({ reply }) => reply({ systemMessage: "Chorus: hello" }))
    const bin = join(directory.path, "bin")
    mkdirSync(bin)
    // Only what the program needs, and one of the two.
    for (const name of ["bash", "env", "cat", "mkdir", "mv", "rm", "rmdir", "mktemp", "date"])
      symlinkSync(commandAt(name), join(bin, name))
    symlinkSync(by === "node" ? process.execPath : "/usr/bin/curl", join(bin, by))
    const { stdout } = await runHook(stop("a1"), {
      project: directory.path,
      url: `${server.url}/`.replace("127.0.0.1", "127.1"),
      env: { PATH: bin },
    })
    expect(JSON.parse(stdout)).toEqual({ systemMessage: "Chorus: hello" })
    expect(server.heard).toMatchObject([{ body: { agent_id: "a1" }, mark: expect.stringMatching(/^\d+-\d+-s1$/) }])
  })
})
