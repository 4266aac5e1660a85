import { describe, expect, test } from "vitest"
import { conversationView } from "./conversation.ts"

const reminder = "<system-reminder>be kind</system-reminder>"

describe("Messages", () => {
  test("a prompt is what somebody said, not a reminder, a system message or a tool result", () => {
    const view = conversationView("messages", {
      model: "m",
      system: [{ type: "text", text: "you are" }],
      tools: [{ name: "Bash" }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: reminder },
            { type: "text", text: "first" },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "yes" }] },
        { role: "user", content: [{ type: "text", text: "second" }] },
        { role: "assistant", content: [{ type: "tool_use", name: "Bash" }] },
        {
          role: "user",
          content: [
            { type: "tool_result", content: [{ type: "text", text: "result" }] },
            { type: "text", text: "by the way" },
          ],
        },
        { role: "system", content: "mid-conversation" },
        { role: "user", content: reminder },
      ],
    })
    expect(view).toMatchObject({
      firstPrompt: "first",
      prompt: "second",
      sincePrompt: 1,
      turns: 2,
      newest: reminder,
      tools: ["Bash"],
    })
    expect(view.system).toBe("you are\nmid-conversation")
    expect(view.all).toContain("result")
  })

  test("a prompt that comes with the result of an interrupted call counts", () => {
    const content = [
      { type: "tool_result", content: "stopped" },
      { type: "text", text: "[Request interrupted by user]" },
      { type: "text", text: "go on" },
    ]
    const view = conversationView("messages", {
      messages: [
        { role: "user", content: "one" },
        { role: "assistant", content: "" },
        { role: "user", content },
      ],
    })
    expect(view).toMatchObject({ prompt: "[Request interrupted by user]\ngo on", sincePrompt: 0 })
  })
})

test("Responses: the items of one turn count as one, and Codex's surroundings are no prompt", () => {
  const view = conversationView("responses", {
    instructions: "you are",
    tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }],
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<environment_context>cwd</environment_context>" }],
      },
      { type: "message", role: "user", content: [{ type: "input_text", text: "list files" }] },
      { type: "reasoning", summary: [] },
      { type: "function_call", name: "exec_command", arguments: "{}" },
      { type: "function_call_output", output: "a.txt" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "There is one." }] },
    ],
  })
  expect(view).toMatchObject({
    prompt: "list files",
    firstPrompt: "list files",
    sincePrompt: 2,
    turns: 2,
    newest: "a.txt",
    tools: ["exec_command", "web_search"],
  })
  expect(view.system).toBe("you are\nrules")
})

test("Responses: what a sub-agent of Codex is given to do is its prompt", () => {
  const from = (kind: string, words: string) => ({
    type: "agent_message",
    content: [
      { type: "input_text", text: `Message Type: ${kind}` },
      { type: "encrypted_content", encrypted_content: words },
    ],
  })
  const input = [from("NEW_TASK", "Look around."), from("FINAL_ANSWER", "It is red.")]
  expect(conversationView("responses", { input })).toMatchObject({
    firstPrompt: "Message Type: NEW_TASK\nLook around.",
    prompt: "Message Type: NEW_TASK\nLook around.",
    newest: "Message Type: FINAL_ANSWER\nIt is red.",
  })
})

test("Chat Completions", () => {
  const view = conversationView("chat", {
    tools: [{ type: "function", function: { name: "bash" } }],
    messages: [
      { role: "system", content: "you are" },
      { role: "user", content: [{ type: "text", text: "list files" }] },
      { role: "assistant", content: null, tool_calls: [{}] },
      { role: "tool", content: "a.txt" },
    ],
  })
  expect(view).toMatchObject({
    system: "you are",
    prompt: "list files",
    sincePrompt: 1,
    newest: "a.txt",
    tools: ["bash"],
  })
})

test("Chat Completions: the quotes that `opencode run` puts around a prompt are no part of it", () => {
  const prompt = (content: string): string => conversationView("chat", { messages: [{ role: "user", content }] }).prompt
  expect(prompt('"say \\"hello\\""')).toBe('say "hello"')
  expect(prompt('"two\nlines"')).toBe("two\nlines")
  expect(prompt('say "hello"')).toBe('say "hello"')
})

describe("a conversation of nothing", () => {
  test.each(["messages", "responses", "chat", "other"] as const)(
    "in the format %s is empty, whatever stands in its place",
    (api) => {
      const empty = { model: "", tools: [], prompt: "", firstPrompt: "", sincePrompt: 0, turns: 0, newest: "" }
      for (const body of [
        {},
        { messages: "text", input: 7, tools: {} },
        { messages: [null, 7, "text"], input: [null] },
      ])
        expect(conversationView(api, body)).toMatchObject(empty)
    },
  )
})

describe("what the client itself puts into a user's message", () => {
  test.each([
    "<system-reminder>be kind</system-reminder>",
    "  <system-reminder>two\nlines</system-reminder>\n",
    "<environment_context>cwd</environment_context>",
    "<user_instructions>rules</user_instructions>",
    "<INSTRUCTIONS>rules</INSTRUCTIONS>",
    "# AGENTS.md instructions for /home/ada",
  ])("is no prompt: %j", (content) => {
    expect(conversationView("chat", { messages: [{ role: "user", content }] })).toMatchObject({
      prompt: "",
      newest: content,
    })
  })

  test.each([
    "say <system-reminder>x</system-reminder>",
    "<system-reminder>x</system-reminder> and more",
    "<other>x</other>",
  ])("does not hide what a person said: %j", (content) => {
    expect(conversationView("chat", { messages: [{ role: "user", content }] }).prompt).toBe(content)
  })
})

describe("a tool's name", () => {
  test("is found in every format's place for it", () => {
    const tools = [{ name: "Bash" }, { type: "function", function: { name: "exec" } }, { type: "web_search" }, {}, null]
    expect(conversationView("messages", { tools }).tools).toEqual(["Bash", "exec", "web_search"])
  })
})

test("Responses: an input that is a text is the prompt", () => {
  expect(conversationView("responses", { input: "list files" })).toMatchObject({
    prompt: "list files",
    firstPrompt: "list files",
    turns: 0,
  })
})

test("Messages: what a tool said is read also where it lies in blocks of blocks", () => {
  const content = [
    {
      type: "tool_result",
      content: [
        { type: "text", text: "a.txt" },
        { type: "text", text: "b.txt" },
      ],
    },
  ]
  expect(conversationView("messages", { messages: [{ role: "user", content }] }).newest).toBe("a.txt\nb.txt")
})
