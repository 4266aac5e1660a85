import { describe, expect, it } from "vitest"
import { programAnswer, readProgramRequest } from "./hook-program.ts"

const lines = (...all: unknown[]) => all.map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
const read = (event: object, query = {}, ...below: unknown[]) =>
  readProgramRequest(lines(event, ...below).join("\n"), query)
const end = { hook_event_name: "SubagentStop", session_id: "s", agent_transcript_path: "/t/a.jsonl" }
const user = (content: unknown) => ({ type: "user", message: { role: "user", content } })
const agent = (...content: unknown[]) => ({ type: "assistant", message: { role: "assistant", content } })
const text = (words: string) => ({ type: "text", text: words })

describe("what the hook program sends", () => {
  it("is the event as its program wrote it, on one line or on many, without what was not said", () => {
    const event = { hook_event_name: "Stop", session_id: "s", last_assistant_message: null }
    for (const body of [JSON.stringify(event), JSON.stringify(event, null, 2), `${JSON.stringify(event)}\n`])
      expect(readProgramRequest(body, { program: "codex" }).event).toEqual({
        hook_event_name: "Stop",
        session_id: "s",
        program: "codex",
      })
    expect(() => readProgramRequest("half an ev", {})).toThrow(expect.objectContaining({ code: "invalid_json" }))
  })

  it("tells the prompt and the last words from the lines of a transcript, whole or torn", () => {
    const { event } = read(end, {}, '{"torn', user("Build it."), agent(text("On it.")), agent(text("DONE.")), '{"to')
    expect(event).toMatchObject({ transcript_head: user("Build it."), transcript_tail: agent(text("DONE.")) })
  })

  it.each([
    ["a tool call", agent(text("Let me look."), { type: "tool_use", name: "Bash" })],
    ["a tool's result", user([{ type: "tool_result" }])],
  ])("has no last words where the last line is %s", (_, last) => {
    const { event } = read(end, {}, user("Build it."), agent(text("First.")), last)
    expect(event).toMatchObject({ awaits_words: true, transcript_head: user("Build it.") })
    expect(event).not.toHaveProperty("transcript_tail")
  })

  it("tells what was said last by its time, where the program wrote that first", () => {
    const at = (second: number, line: object) => ({ ...line, timestamp: `2026-02-12T10:00:0${second}.000Z` })
    const [prompt, words] = [at(1, user("Build it.")), at(2, agent(text("DONE.")))]
    expect(read(end, {}, words, prompt).event).toMatchObject({ transcript_head: prompt, transcript_tail: words })
    // A short transcript is its own beginning and end.
    expect(read(end, {}, words, prompt, words, prompt).event["transcript_tail"]).toEqual(words)
    const call = at(3, agent({ type: "tool_use", name: "Bash" }))
    expect(read(end, {}, call, words).event).not.toHaveProperty("transcript_tail")
  })

  it("waits for words only where they were left out and may still come", () => {
    expect(read(end).event["awaits_words"]).toBe(true)
    expect(read(end, { last: "1" }).event).not.toHaveProperty("awaits_words")
    expect(read({ ...end, last_assistant_message: "" }).event).not.toHaveProperty("awaits_words")
    expect(read({ ...end, agent_transcript_path: undefined }).event).not.toHaveProperty("awaits_words")
  })

  it("of a question that it waits for is that, and what it is about", () => {
    const asked = { hook_event_name: "PermissionRequest", session_id: "s", tool_input: { command: "ls" } }
    const answer = {
      hook_event_name: "PermissionAnswer",
      session_id: "s",
      program: undefined,
      attention_uuid: "u",
      tool_input: { command: "ls" },
    }
    expect(read(asked, { asked: "u" }).event).toEqual(answer)
    expect(read(asked, { asked: "u", gaveUp: "1" }).event).toEqual({ ...answer, reason: "gave_up" })
    expect(read(asked, { asked: "u", gaveUp: "late" }).event).toEqual({ ...answer, reason: "late" })
    const call = (type: string, more: object) => ({ message: { role: "assistant", content: [{ type, ...more }] } })
    const use = call("tool_use", { id: "t2", name: "Bash", input: { command: "ls" } })
    const hooked = { data: { type: "hook_progress" }, parentToolUseID: "t2" }
    const runs = { data: { type: "bash_progress" }, parentToolUseID: "t2" }
    const ended = call("tool_result", { tool_use_id: "t2" })
    const bash = { ...asked, tool_name: "Bash" }
    const tail = (...lines: object[]) => read(bash, { asked: "u" }, ...lines).event["transcript_tail"]
    expect(tail(use, hooked)).toBeUndefined()
    expect([tail(use, hooked, runs), tail(use, runs, ended)]).toEqual([runs, ended])
    expect(tail({ ...use, message: { content: "ls" } }, ended)).toBeUndefined()
    expect(read(asked, { answerSeconds: "0", dialog: "1" }).event).toMatchObject({ dialog: true })
    expect(read(asked, { answerSeconds: "60" }).event).toMatchObject({ answer_seconds: "60" })
  })

  it("from the spool is taken with the agent's prompt only, which may be all that says whose end it is", () => {
    const kept = { kept: "1" }
    expect(read({ ...end, last_assistant_message: "DONE." }, kept).needsPrompt).toBe(true)
    expect(read(end, kept).needsPrompt).toBe(false)
    expect(read({ ...end, last_assistant_message: "DONE." }, kept, user("Build it.")).needsPrompt).toBe(false)
    expect(read(end, { ...kept, last: "1" }).needsPrompt).toBe(false)
    expect(read({ ...end, hook_event_name: "SessionEnd" }, kept).needsPrompt).toBe(false)
    expect(read(end).needsPrompt).toBe(false)
  })

  it("of Codex tells a sub-agent's name and its prompt from where its record begins", () => {
    const start = { hook_event_name: "SubagentStart", session_id: "s", transcript_path: "/c/r.jsonl" }
    expect(read(start, { program: "codex" }).needsPrompt).toBe(true)
    const told = { type: "response_item", payload: { type: "agent_message", content: "Build it." } }
    const begun = read(start, { program: "codex" }, { payload: { agent_path: "/root/basket" } }, told)
    expect(begun.event).toMatchObject({ agent_path: "/root/basket", transcript_head: told })
    expect(begun.needsPrompt).toBe(false)
    expect(read(start, { program: "codex", last: "1" }).needsPrompt).toBe(false)
    expect(read(start).needsPrompt).toBe(false)
  })
})

describe("what the hook program is answered", () => {
  it("begins with a word that no other server says, and may be nothing else", () => {
    expect(programAnswer(read(end), {})).toBe("chorus\n\n")
  })

  it("is kept for every prompt at a start, with what to tell should the program be found dead, in plain characters", () => {
    const start = read({ hook_event_name: "SessionStart", session_id: "ß", transcript_path: "/t/s.jsonl" })
    expect(programAnswer(start, { systemMessage: 'Chorus: "é"' })).toBe(
      'chorus\nstate Chorus: \\"\\u00e9\\"\nwill {"hook_event_name":"SessionEnd","session_id":"\\u00df","transcript_path":"/t/s.jsonl","reason":"crashed"}\n\n{"systemMessage":"Chorus: \\"é\\""}',
    )
  })

  it("has with a sign of life what to tell, as nobody may have answered the start, and after a turn only the line", () => {
    const beat = read({ hook_event_name: "Stop", session_id: "s" }, { beat: "1" })
    expect(programAnswer(beat, { systemMessage: "Chorus: Dev" })).toMatch(/^chorus\nstate Chorus: Dev\nwill \{.*\}\n\n/)
    const turn = read({ hook_event_name: "Stop", session_id: "s" })
    expect(programAnswer(turn, { chorus: { state: 'Chorus: "é"' } })).toBe('chorus\nstate Chorus: \\"\\u00e9\\"\n\n')
  })

  it("is news at an agent's end, on one line", () => {
    expect(programAnswer(read(end), { systemMessage: "one\ntwo" })).toMatch(/^chorus\nnews one\\ntwo\n\n\{/)
  })

  it("is no news where the call that waits tells it, unless the end was kept and the call has long returned", () => {
    const output = { systemMessage: "one", chorus: { awaited: true } }
    expect(programAnswer(read(end), output)).toBe('chorus\n\n{"systemMessage":"one"}')
    expect(programAnswer(read(end, { kept: "1" }), output)).toMatch(/^chorus\nnews one\n/)
  })

  it("asks for the transcript at once or later, and never for one that nothing more comes from", () => {
    expect(programAnswer(read(end), { chorus: { needs: "prompt" } })).toBe("chorus\nbring now /t/a.jsonl\n\n")
    expect(programAnswer(read(end), { chorus: { needs: "words" } })).toBe("chorus\nbring later /t/a.jsonl\n\n")
    expect(programAnswer(read(end, { last: "1" }), { chorus: { needs: "prompt" } })).toBe("chorus\n\n")
    expect(programAnswer(read({ ...end, agent_transcript_path: "/t\nasked x" }), { chorus: { needs: "words" } })).toBe(
      "chorus\n\n",
    )
  })

  it("asks for what the transcript says was used also with what comes last of it", () => {
    const counts = { chorus: { counts: true } }
    for (const query of [{}, { last: "1" }])
      expect(programAnswer(read(end, query), counts)).toBe("chorus\ncount /t/a.jsonl\n\n")
  })

  it("says which work was handed in and since when, so that what it changed can be shown", () => {
    const change = { taskUuid: "t1", since: "2026-03-01T10:00:00.000Z" }
    expect(programAnswer(read(end), { chorus: { changes: [change] } })).toBe(
      "chorus\nchange t1 2026-03-01T10:00:00.000Z\n\n",
    )
  })

  it("says which work begins, so that what lies there is not taken for its own", () => {
    expect(programAnswer(read(end), { chorus: { begun: ["t1", "t2"] } })).toBe("chorus\nbegin t1\nbegin t2\n\n")
  })

  it("names the sub-agents that did not come to their end beside the transcript by which theirs are found", () => {
    const told = { hook_event_name: "PostToolUseFailure", session_id: "s", agent_id: "", transcript_path: "/t/s.jsonl" }
    const call = { method: "tools/call", params: { name: "chorus_hook", arguments: told }, jsonrpc: "2.0", id: 7 }
    const lost = { chorus: { lost: ["u1", "a1"] } }
    expect(programAnswer(read(told), lost)).toBe("chorus\nlost u1|a1 /t/s.jsonl\n\n")
    expect(programAnswer(read(call, { call: "1" }), lost)).toMatch(/^chorus\nlost u1\|a1 \/t\/s\.jsonl\n\n\{"jsonrpc"/)
    const head = user('Build it.\n\n<chorus session="u1">')
    for (const first of [told, call])
      expect(
        read(first, { used: "1", agent: "a1" }, head, '3:"model":"opus', '3:"output_tokens":7').event,
      ).toMatchObject({
        hook_event_name: "Usage",
        session_id: "s",
        agent_id: "a1",
        transcript_head: head,
        usage: [{ outputTokens: 7 }],
      })
  })

  it("names the question while it is open", () => {
    const asked = read({ hook_event_name: "PermissionRequest", session_id: "s" })
    expect(programAnswer(asked, { chorus: { attentionUuid: "u", settled: false } })).toBe("chorus\nasked u\n\n")
    expect(programAnswer(asked, { chorus: { attentionUuid: "u", settled: true } })).toBe("chorus\n\n")
    const told = read({ hook_event_name: "PermissionRequest", session_id: "s", transcript_path: "/t/s.jsonl" })
    expect(programAnswer(told, { chorus: { attentionUuid: "u", settled: false } })).toBe(
      "chorus\nasked u\nwatch /t/s.jsonl\n\n",
    )
  })
})

it("that comes as a tool call is answered as one, and has no other words than its event", () => {
  const event = { hook_event_name: "PreToolUse", session_id: "s", tool_input: '{"prompt":"Say \\"é\\"."}' }
  const call = { method: "tools/call", params: { name: "chorus_hook", arguments: event }, jsonrpc: "2.0", id: 7 }
  const request = readProgramRequest(JSON.stringify(call), { program: "claude", call: "1" })
  expect(request.event).toEqual({ ...event, program: "claude" })
  const output = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { prompt: "x" } } }
  const answer = programAnswer(request, { ...output, chorus: { counts: true, begun: ["t1"] } })
  const [first, begins, empty, line = ""] = answer.split("\n")
  expect([first, begins, empty]).toEqual(["chorus", "begin t1", ""])
  expect(JSON.parse(line)).toEqual({
    jsonrpc: "2.0",
    id: 7,
    result: { content: [{ type: "text", text: JSON.stringify(output) }] },
  })
})
