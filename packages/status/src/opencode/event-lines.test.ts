import { beforeEach, describe, expect, it } from "vitest"
import { openCodeConfigContent } from "./config-content.ts"
import { type OpenCodeLine, openCodeTracker, type OpenCodeTracker } from "./event-lines.ts"

let tracker: OpenCodeTracker
beforeEach(() => {
  tracker = openCodeTracker("/shop")
})

const ROOT = "ses_root"
const CHILD = "ses_child"
const prompt = (text: string, id = ROOT) => tracker.chatMessage(id, [{ type: "text", text }])
const event = (type: string, properties: Record<string, unknown> = {}, id = ROOT) =>
  tracker.event(type, { sessionID: id, ...properties })
const child = () => event("session.created", { info: { id: CHILD, parentID: ROOT } })
const part = (part: Record<string, unknown>, id = ROOT) => event("message.part.updated", { part }, id)
const says = (text: string, id = ROOT) => part({ type: "text", text, time: { start: 1, end: 2 } }, id)
const tool = (state: Record<string, unknown>, callID = "c1", id = ROOT) => part({ type: "tool", callID, state }, id)
const error = (name: string, data?: unknown) => event("session.error", { error: { name, data } })

describe("a turn of OpenCode", () => {
  it("starts with a message, which gives the title and the way back", () => {
    expect(prompt("Mend it")).toEqual([
      {
        event: "running",
        source: "opencode:chat.message",
        sessionId: ROOT,
        turnStart: true,
        resumeCommand: "opencode --session ses_root",
        sessionTitle: "Mend it",
        titleOrigin: "prompt",
      },
    ])
  })

  it("takes its title from what the person wrote, not from what a program added", () => {
    const [line] = tracker.chatMessage(ROOT, [
      { type: "file" },
      { type: "text", text: "added", synthetic: true },
      { type: "text", text: "written" },
    ])
    expect(line?.sessionTitle).toBe("written")
    expect(tracker.chatMessage(ROOT, "no parts")[0]).not.toHaveProperty("sessionTitle")
  })

  it("starts with the first busy where no message was seen, and only once", () => {
    expect(event("session.status", { status: { type: "busy" } })).toMatchObject([{ event: "running", turnStart: true }])
    expect(event("session.status", { status: { type: "busy" } })).toEqual([])
    expect(event("session.status", { status: { type: "idle" } })).toEqual([])
  })

  it("ends once with its last words, however often it is called idle", () => {
    prompt("go")
    says("first")
    says("<thinking>x</thinking>All done.")
    part({ type: "text", text: "half a wo", time: { start: 3 } })
    expect(event("session.idle")).toEqual([
      {
        event: "finished",
        source: "opencode:session.idle",
        sessionId: ROOT,
        summary: "All done.",
        resumeCommand: "opencode --session ses_root",
      },
    ])
    expect(event("session.idle")).toEqual([])
  })

  it("forgets the words and the failure of the turn before", () => {
    prompt("one")
    says("old words")
    error("ProviderError", { message: "529" })
    event("session.idle")
    prompt("two")
    expect(event("session.idle")).toEqual([
      {
        event: "finished",
        source: "opencode:session.idle",
        sessionId: ROOT,
        resumeCommand: "opencode --session ses_root",
      },
    ])
  })

  it.each<[string, string, unknown, unknown]>([
    [
      "an error",
      "ProviderError",
      { message: "529 overloaded" },
      { event: "finished", exitCode: 1, reason: "the model request failed: 529 overloaded" },
    ],
    [
      "an error without words",
      "ProviderAuthError",
      undefined,
      { event: "finished", exitCode: 1, reason: "the model request failed: ProviderAuthError" },
    ],
    ["Esc", "MessageAbortedError", { message: "aborted" }, { event: "idle", reason: "interrupted by the person" }],
  ])("that ended in %s says so at its end, once", (_, name, data, line) => {
    prompt("go")
    expect(error(name, data)).toEqual([])
    expect(event("session.idle")).toMatchObject([line as object])
    expect(event("session.idle")).toEqual([])
  })

  it("goes on through a retry, which is told", () => {
    prompt("go")
    expect(event("session.status", { status: { type: "retry", attempt: 2, message: "529" } })).toMatchObject([
      { event: "running", toolDetail: "Retrying (attempt 2): 529" },
    ])
  })
})

describe("a tool of OpenCode", () => {
  it("is told before it runs", () => {
    expect(tracker.toolBefore(ROOT, "edit", { filePath: "/shop/a.ts" })).toEqual([
      { event: "running", source: "opencode:tool.execute.before", sessionId: ROOT, toolDetail: "Edit a.ts" },
    ])
  })

  it.each<[string, Record<string, unknown>, boolean]>([
    ["an error", { status: "error", error: "ENOENT" }, true],
    ["a refusal", { status: "error", error: "The user rejected permission to use this specific tool call." }, false],
    ["a question nobody answered", { status: "error", error: "The user dismissed this question" }, false],
    ["a file it may not read", { status: "error", error: "EACCES: permission denied, open '/x'" }, true],
    ["a request that was cut off", { status: "error", error: "The request was aborted: cancelled by server" }, true],
    ["an abort", { status: "error", error: "Tool execution aborted" }, false],
    ["an exit code", { status: "completed", metadata: { exit: 2 } }, true],
    ["success", { status: "completed", metadata: { exit: 0 } }, false],
    ["no metadata", { status: "completed" }, false],
    ["still running", { status: "running", metadata: { exit: 1 } }, false],
  ])("with %s has failed or not, told once", (_, state, failed) => {
    expect(tool(state)).toEqual(
      failed ? [{ event: "note", source: "opencode:tool.error", sessionId: ROOT, toolError: true }] : [],
    )
    expect(tool(state)).toEqual([])
    expect(tool(state, "c2")).toHaveLength(failed ? 1 : 0)
  })
})

describe("a question of OpenCode", () => {
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ["permission.asked", { permission: "bash", patterns: ["rm *", "ls"] }, "bash: rm *, ls"],
    ["permission.asked", { permission: "webfetch" }, "webfetch"],
    ["permission.asked", {}, undefined],
    ["question.asked", { questions: [{ question: "Red?" }] }, "Red?"],
    ["question.asked", {}, undefined],
  ])("%s %j waits for the person with %j", (type, properties, detail) => {
    const [line] = event(type, properties)
    expect([line?.event, line?.toolDetail]).toEqual(["needsInput", detail])
  })

  it.each(["permission.replied", "question.replied", "question.rejected"])("is over with %s", (type) => {
    expect(event(type)).toMatchObject([{ event: "running" }])
  })
})

describe("questions of OpenCode that are open at once", () => {
  const asks = (id: string, command: string, session = ROOT) =>
    event("permission.asked", { id, permission: "bash", metadata: { command } }, session)
  const replied = (requestID: string, type = "permission.replied") => event(type, { requestID, reply: "once" })
  const shown = (lines: OpenCodeLine[]) => lines.map(({ event, toolDetail }) => [event, toolDetail])

  it("show the oldest until it is answered, then the next, and work only when none is left", () => {
    prompt("go")
    const one = [["needsInput", "bash: one"]]
    expect(shown(asks("per_1", "one"))).toEqual(one)
    expect(tracker.askerOf("per_1")).toBe(ROOT)
    expect(shown(tracker.toolBefore(ROOT, "bash", { command: "two" }))).toEqual(one)
    expect(shown(asks("per_2", "two"))).toEqual(one)
    expect(prompt("and then")).toMatchObject([{ turnStart: true }, { event: "needsInput", toolDetail: "bash: one" }])
    const next = replied("per_1")
    expect(shown(next)).toEqual([["needsInput", "bash: two"]])
    expect(next).toMatchObject([{ ask: "per_2", asks: expect.stringContaining("two") as unknown }])
    expect(shown(replied("per_2"))).toEqual([["running", undefined]])
    expect(tracker.askerOf("per_1")).toBeUndefined()
  })

  it("are shown in their order where the younger is answered first, and a question is one of them", () => {
    prompt("go")
    asks("per_1", "one")
    event("question.asked", { id: "que_1", questions: [{ question: "Red?" }] })
    expect(shown(replied("que_1", "question.replied"))).toEqual([["needsInput", "bash: one"]])
    event("question.asked", { id: "que_2", questions: [{ question: "Blue?" }] })
    const [next] = replied("per_1")
    expect(next).toMatchObject({ toolDetail: "Blue?", ask: "que_2" })
    expect(next).not.toHaveProperty("asks")
  })

  it("are over with the turn, a sub-agent's with its own or its lead's", () => {
    prompt("go")
    child()
    asks("per_1", "one")
    asks("per_2", "two", CHILD)
    event("session.idle", {}, CHILD)
    expect(shown(replied("per_1"))).toEqual([["running", undefined]])
    asks("per_3", "three")
    asks("per_4", "four", CHILD)
    event("session.idle")
    expect(prompt("again")).toMatchObject([{ event: "running" }])
  })
})

describe("a sub-agent of OpenCode", () => {
  beforeEach(() => {
    prompt("go")
    child()
  })

  it("neither starts nor ends the turn of its terminal", () => {
    expect(prompt("child's work", CHILD)).toEqual([{ event: "running", source: "opencode:chat.message" }])
    says("child's words", CHILD)
    expect(event("session.idle", {}, CHILD)).toEqual([])
    expect(event("session.idle")[0]).not.toHaveProperty("summary")
  })

  it("has questions that are the person's too, without a session to resume", () => {
    expect(event("permission.asked", { permission: "bash", patterns: [] }, CHILD)).toMatchObject([
      { event: "needsInput" },
    ])
    expect(event("permission.asked", {}, CHILD)[0]).not.toHaveProperty("sessionId")
  })

  it("does not fail its parent's turn with its tools", () => {
    expect(tool({ status: "error", error: "x" }, "c9", CHILD)).toEqual([
      { event: "note", source: "opencode:tool.error" },
    ])
  })

  it("gives no title", () => {
    expect(event("session.updated", { info: { id: CHILD, parentID: ROOT, title: "Child's" } })).toEqual([])
  })
})

describe("what OpenCode's events are not", () => {
  it.each<[string, unknown]>([
    ["session.updated", { info: { id: ROOT, title: "New session - 2026-01-01T00:00:00" } }],
    ["session.updated", { info: { id: ROOT, title: "  " } }],
    ["session.updated", {}],
    ["session.status", {}],
    ["message.part.updated", { part: "x" }],
    ["message.part.updated", { part: { type: "tool" } }],
    ["session.error", {}],
    ["session.idle", {}],
    ["something.new", {}],
    ["session.idle", null],
    ["permission.asked", "x"],
  ])("%s %j says nothing", (type, properties) => {
    expect(tracker.event(type, properties)).toEqual([])
  })

  it("a title the model made is one", () => {
    expect(event("session.updated", { info: { id: ROOT, title: "Login\nfix" } })).toEqual([
      {
        event: "note",
        source: "opencode:session.updated",
        sessionId: ROOT,
        sessionTitle: "Login fix",
        titleOrigin: "generated",
      },
    ])
  })
})

describe("OpenCode's configuration for one launch", () => {
  it.each<[string, string | undefined, unknown]>([
    ["nothing", undefined, { plugin: ["file:///p.js"] }],
    ["spaces", "  ", { plugin: ["file:///p.js"] }],
    ["other things", '{"theme":"x"}', { theme: "x", plugin: ["file:///p.js"] }],
    ["plugins", '{"plugin":["theirs"]}', { plugin: ["theirs", "file:///p.js"] }],
    ["ours already", '{"plugin":["file:///p.js","theirs"]}', { plugin: ["theirs", "file:///p.js"] }],
    ["a plugin that is no list", '{"plugin":"x"}', { plugin: ["file:///p.js"] }],
  ])("with %s in it has our plugin once", (_, current, config) => {
    expect(JSON.parse(openCodeConfigContent(current, "/p.js") ?? "")).toEqual(config)
  })

  it.each(["{broken", "[]", "7"])("is left alone when it says %s", (current) => {
    expect(openCodeConfigContent(current, "/p.js")).toBeUndefined()
  })
})
