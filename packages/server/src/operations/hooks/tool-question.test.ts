import type { HookEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { askedByServer, askedByTool, decisionFor } from "./tool-question.ts"

const event = (tool_name: string, tool_input: Record<string, unknown>): HookEvent => ({
  hook_event_name: "PermissionRequest",
  session_id: "s",
  tool_name,
  tool_input,
})
const question = (text: string, ...labels: string[]) => ({
  question: text,
  header: "H",
  options: labels.map((label) => ({ label, description: `${label}!` })),
})
const colours = event("AskUserQuestion", {
  questions: [question("Which?", "Red", "Blue"), { ...question("Where?", "In", "Out"), multiSelect: true }],
  metadata: { source: "x" },
})

describe("what a tool asks", () => {
  it("is its questions with their options", () => {
    expect(askedByTool(colours)).toMatchObject({
      kind: "input",
      title: "Which? (+1)",
      detail: { questions: [{ question: "Which?", options: [{ label: "Red" }, {}] }, { multiSelect: true }] },
    })
  })

  it("is its plan, called by how that begins", () => {
    const plan = "\n# Paint it\n\n1. blue"
    expect(askedByTool(event("ExitPlanMode", { plan }))).toEqual({ kind: "plan", title: "Paint it", detail: { plan } })
    expect(askedByTool(event("ExitPlanMode", {}))).toMatchObject({ kind: "plan", title: "A plan" })
  })

  it.each([
    ["Bash", { command: "ls" }],
    ["AskUserQuestion", {}],
    ["AskUserQuestion", { questions: [7, { question: 7 }] }],
  ])("of %s with %j is nothing but to be allowed", (tool, input) => {
    expect(askedByTool(event(tool, input))).toBeUndefined()
  })

  it("a server asks too, with the values of a field as options", () => {
    const properties = { size: { type: "string", title: "Size", enum: ["S", "M"] }, note: { type: "string" } }
    const schema = {
      requested_schema: { type: "object", properties },
      mcp_server_name: "shop",
      message: "Which shirt?",
    }
    expect(askedByServer({ ...event("", {}), ...schema })).toEqual({
      kind: "input",
      title: "shop: Which shirt?",
      detail: {
        questions: [
          { question: "Size", options: [{ label: "S" }, { label: "M" }] },
          { question: "note", options: [] },
        ],
      },
    })
  })
})

describe("the answer to it", () => {
  it("goes back in the tool's own input, each to its question", () => {
    const answers = { "Which?": "Blue", "Where?": "In, Out" }
    expect(decisionFor(colours, { text: "Blue / In, Out", data: { answers } }, "Ann")).toEqual({
      behavior: "allow",
      updatedInput: { ...(colours.tool_input as object), answers },
    })
    expect(decisionFor(colours, { text: "Whatever you like" }, "Ann")).toMatchObject({
      updatedInput: { answers: { "Which?": "Whatever you like", "Where?": "Whatever you like" } },
    })
  })

  it("to a plan is a yes with that plan, or a no with the reason", () => {
    const plan = event("ExitPlanMode", { plan: "# P" })
    expect(decisionFor(plan, { decision: "approve" }, "Ann")).toEqual({
      behavior: "allow",
      updatedInput: { plan: "# P" },
    })
    expect(decisionFor(plan, { decision: "deny", text: "Less." }, "Ann")).toEqual({
      behavior: "deny",
      message: "Less.",
    })
  })

  it("to any other tool is a yes or a no", () => {
    const bash = event("Bash", { command: "ls" })
    expect(decisionFor(bash, { decision: "approve" }, "Ann")).toEqual({ behavior: "allow" })
    expect(decisionFor(bash, { decision: "deny" }, "Ann")).toEqual({
      behavior: "deny",
      message: "Ann said no on the Chorus page.",
    })
  })
})
