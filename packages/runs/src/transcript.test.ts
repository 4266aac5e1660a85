import { redaction } from "./redaction.ts"
import { describe, expect, it } from "vitest"
import { openTranscript } from "./transcript.ts"

const open = (secrets: string[] = []) =>
  openTranscript({ redact: redaction(secrets), root: () => "s", now: () => new Date(0), first: { place: 0, turn: 0 } })
const chunk = (text: string, sessionUpdate = "agent_message_chunk") => ({
  sessionUpdate,
  content: { type: "text", text },
})

describe("a transcript", () => {
  it("puts chunks together, and tells only what changed", () => {
    const transcript = open()
    transcript.turn()
    for (const text of ["a", "b"]) transcript.update("s", chunk(text))
    expect(transcript.changed()).toMatchObject([{ kind: "message", text: "ab", turn: 1, place: 0 }])
    transcript.update("s", chunk("?", "agent_thought_chunk"))
    transcript.update("child", chunk("c"))
    expect(transcript.changed()).toMatchObject([
      { kind: "thought", text: "?" },
      { kind: "message", text: "c", child: "child" },
    ])
    expect(transcript.changed()).toEqual([])
    expect(transcript.lastWords()).toBe("ab")
  })

  it("keeps a report above what was answered to a person's word after it, unless there is a newer one", () => {
    const transcript = open()
    const said = (text: string) => {
      transcript.turn()
      transcript.update("s", chunk(text))
      return transcript.lastWords()
    }
    expect(said("I look.")).toBe("I look.")
    expect(said("DONE. It is red.")).toBe("DONE. It is red.")
    expect(said("Short it is.")).toBe("DONE. It is red.\n\nShort it is.")
    transcript.turn()
    expect(transcript.lastWords()).toBe("DONE. It is red.\n\nShort it is.")
    expect(said("UNFINISHED: no paint")).toBe("UNFINISHED: no paint")
  })

  it("keeps messages apart that come one right after the other, and the report among them", () => {
    const transcript = open()
    const said = (messageId: string, text: string) => transcript.update("s", { ...chunk(text), messageId })
    transcript.turn()
    for (const text of ["DONE It ", "is red."]) said("m1", text)
    said("m2", "The cat is well.")
    transcript.say("user", "Which red?", { status: "steered" })
    said("m3", "Ruby.")
    expect(transcript.changed().map(({ kind, text }) => [kind, text])).toEqual([
      ["message", "DONE It is red."],
      ["message", "The cat is well."],
      ["user", "Which red?"],
      ["message", "Ruby."],
    ])
    expect(transcript.lastWords()).toBe("DONE It is red.\n\nRuby.")
  })

  it("hears a report whole in the middle of which somebody spoke", () => {
    const transcript = open()
    const said = (text: string) => transcript.update("s", { ...chunk(text), messageId: "m1" })
    said("DONE It ")
    transcript.say("user", "Which red?", { status: "steered" })
    said("is red.")
    expect(transcript.changed().map(({ text }) => text)).toEqual(["DONE It ", "Which red?", "is red."])
    expect(transcript.lastWords()).toBe("DONE It is red.")
  })

  it("puts together what an agent says while its sub-agent is at work", () => {
    const transcript = open()
    transcript.update("s", chunk("DONE It "))
    transcript.update("c", chunk("I look."))
    transcript.update("c", { sessionUpdate: "tool_call", toolCallId: "1", title: "ls" })
    transcript.update("s", chunk("is red."))
    expect(transcript.changed()).toMatchObject([{ text: "DONE It is red." }, { child: "c" }, { child: "c" }])
    expect(transcript.lastWords()).toBe("DONE It is red.")
  })

  it("tells what a program says of itself as a note, and not as the words of its agent", () => {
    const transcript = open()
    const _meta = { claudeCode: { kind: "mcpServerStatus", server: "plants", status: "failed" } }
    transcript.update("s", { ...chunk("MCP server plants failed to start."), _meta })
    transcript.update("s", chunk("DONE It is red."))
    expect(transcript.changed()).toMatchObject([
      { kind: "note", text: "MCP server plants failed to start." },
      { kind: "message", text: "DONE It is red." },
    ])
    expect(transcript.lastWords()).toBe("DONE It is red.")
  })

  it("merges what is told of a call, wherever a program puts its output, and bears an update without its call", () => {
    const transcript = open()
    const call = (more: object) =>
      transcript.update("s", { sessionUpdate: "tool_call_update", toolCallId: "1", ...more })
    call({ title: "ls", status: "in_progress" })
    call({ _meta: { terminal_output_delta: { data: "one\n" } } })
    call({ _meta: { terminal_output_delta: { data: "two\n" } } })
    call({ status: "failed", _meta: { terminal_exit: { exit_code: 3 } } })
    expect(transcript.changed()).toMatchObject([
      { title: "ls", status: "failed", text: "one\ntwo\n", data: { exitCode: 3 } },
    ])
  })

  it.each([
    ["as Claude Code says it", "Exit code 3\ncat: nothere.txt: No such file", undefined, 3],
    ["as Qwen Code says it", "Command: false\nExit Code: 1", { output: "", exitCode: 1 }, 1],
    ["not as a command printed it", "It said:\nExit code 7", undefined, undefined],
  ])("shows how a command that failed ended, %s, and takes off the fence it came in", (_how, said, raw, exitCode) => {
    const transcript = open()
    const text = `\`\`\`console\n${said}\n\`\`\``
    const told = {
      status: "failed",
      rawOutput: raw ?? said,
      content: [{ type: "content", content: { type: "text", text } }],
    }
    transcript.update("s", { sessionUpdate: "tool_call", toolCallId: "1", title: "false", kind: "execute", ...told })
    const [entry] = transcript.changed()
    expect([entry?.text, entry?.data["exitCode"]]).toEqual([said, exitCode])
    expect(transcript.commands()).toEqual([`\`false\` (${exitCode === undefined ? "failed" : `exit ${exitCode}`})`])
  })

  it("says which sub-agent said or did it", () => {
    const transcript = open()
    const child = { sessionUpdate: "subagent_update", sessionId: "c" }
    transcript.update("s", { ...child, title: "Look around" })
    transcript.update("s", { ...child, state: { state: "running" } })
    transcript.update("c", chunk("I look."))
    transcript.update("c", chunk(" And look."))
    transcript.update("c", { sessionUpdate: "tool_call", toolCallId: "1", title: "ls", kind: "execute" })
    transcript.update("s", chunk("It looked."))
    expect(transcript.changed()).toMatchObject([
      { child: "c", text: "I look. And look.", data: { agent: "Look around" } },
      { child: "c", title: "ls", data: { agent: "Look around", kind: "execute" } },
      { child: null, text: "It looked.", data: {} },
    ])
  })

  it("cuts what is too long and hides what is secret", () => {
    const transcript = open(["cho_secret_key"])
    transcript.update("s", chunk("x".repeat(7999)))
    transcript.update("s", chunk("the key is cho_secret_key"))
    const content = [{ type: "content", content: { type: "text", text: "y".repeat(400_000) } }]
    transcript.update("s", { sessionUpdate: "tool_call", toolCallId: "1", title: "cat", content })
    const [first, second, call] = transcript.changed()
    expect(first?.text).toHaveLength(7999)
    expect(second?.text).toBe("the key is •••")
    expect(call?.text?.length).toBeLessThan(17_000)
    expect(call?.text).toContain("characters left out")
  })

  it("shows begin and end of what was printed, and tells all of it once, when the call is over", () => {
    const transcript = open(["cho_secret_key"])
    const call = (more: object) =>
      transcript.update("s", { sessionUpdate: "tool_call_update", toolCallId: "1", title: "make", ...more })
    for (let at = 0; at < 5000; at++) call({ _meta: { terminal_output_delta: { data: `line ${at}\n` } } })
    call({ _meta: { terminal_output_delta: { data: "cho_secret_key" } } })
    const [running] = transcript.changed()
    expect(running).not.toHaveProperty("whole")
    expect(running?.text?.match(/characters left out/g)).toHaveLength(1)
    call({ status: "completed" })
    const [over] = transcript.changed()
    expect(over?.whole).toMatch(/^line 0\n(line \d+\n)+•••$/)
    expect(over?.whole?.split("\n")).toHaveLength(5001)
    expect(over?.data).toMatchObject({ more: true })
    call({ title: "make all" })
    expect(transcript.changed()).toMatchObject([{ title: "make all", text: over?.text, data: { more: true } }])
    call({ status: "completed", _meta: { terminal_output_delta: { data: "x".repeat(900_000) } } })
    expect(transcript.changed()[0]?.whole).toBe("x".repeat(300_000))
    call({ toolCallId: "2", _meta: { terminal_output_delta: { data: "y".repeat(20_000) } } })
    transcript.closeCalls()
    expect(transcript.changed()).toMatchObject([{ status: "ended", data: { more: true }, whole: "y".repeat(20_000) }])
  })

  it("is not upset by anything a program may say", () => {
    const transcript = open()
    for (const update of [
      {},
      { sessionUpdate: 7 },
      { sessionUpdate: "news" },
      { sessionUpdate: "plan" },
      { sessionUpdate: "tool_call" },
    ])
      transcript.update("s", update)
    expect(transcript.changed()).toMatchObject([{ kind: "plan", data: { steps: [] } }])
  })
})
