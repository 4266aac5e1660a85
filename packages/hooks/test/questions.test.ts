import { join } from "node:path"
import { waitFor } from "@chorus/testing"
import type { attentions } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { directive, everyVersion, openBoard, openClaude, type Version } from "./board.ts"

const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
}
const PLAN = "# Paint\n\n1. Paint **it**."

const ASKING: readonly Version[] = process.env["CHORUS_STRESS"] === "1" ? await everyVersion() : ["2.1.325"]

describe.each(ASKING)("what Claude Code %s asks its person", (version) => {
  it("is answered on the page or in the terminal, and the model is told what was chosen", async () => {
    await using board = await openBoard({ version })
    let step: "ask" | "plan" = "ask"
    board.model.script((request) => {
      if (request.tools.length === 0 || request.purpose !== "turn") return { text: "Nothing." }
      if (step === "ask")
        return request.sincePrompt === 0
          ? { tools: [{ name: "AskUserQuestion", input: { questions: [COLOUR] } }] }
          : { text: "Thanks." }
      // Programs of today have the plan in a file that they name, those of February in the call.
      const file = version === "2.1.41" ? undefined : /(\/\S+\/plans\/[\w-]+\.md)/.exec(request.all)?.[1]
      if (request.sincePrompt === 0 && file !== undefined)
        return { tools: [{ name: "Write", input: { file_path: file, content: PLAN } }] }
      const asked = request.sincePrompt === (file === undefined ? 0 : 1)
      return asked ? { tools: [{ name: "ExitPlanMode", input: { plan: PLAN } }] } : { text: "Thanks." }
    })
    const open = async () =>
      (await board.call<{ attentions: attentions.AttentionRow[] }>("chorus_list_attentions", { open: true })).attentions
    const asked = () => waitFor(async () => (await open())[0], 60_000, "a question on the page")
    const state = async (attentionUuid: string) =>
      (await board.call<attentions.AttentionRow>("chorus_get_attention", { attentionUuid })).state

    await using terminal = await openClaude(board, { version, mode: "plan" })
    await terminal.submit("Ask me.")
    const first = await asked()
    expect(first).toMatchObject({ kind: "input", title: "Which colour?", answerable: true })
    expect(first.detail["questions"]).toMatchObject([{ header: "Colour", options: COLOUR.options }])
    await terminal.waitForText(/2\. Blue/)
    const answer = { text: "Blue", data: { answers: { "Which colour?": "Blue, like the sea" } } }
    await board.call("chorus_answer_attention", { attentionUuid: first.uuid, answer })
    await board.model.waitFor(({ newest }) => newest.includes('"Which colour?"="Blue, like the sea"'))
    expect(await state(first.uuid)).toBe("delivered")
    await terminal.waitForText(/Thanks\./)

    await terminal.submit("Ask again.")
    const second = await asked()
    const heard = () => board.model.requests.some(({ newest }) => newest.includes('"Which colour?"="Red"'))
    await waitFor(async () => heard() || (await terminal.key("Enter")), 60_000, "the answer", 500)
    await waitFor(async () => (await state(second.uuid)) === "withdrawn")

    step = "plan"
    await waitFor(async () => !/esc to interrupt/.test(await terminal.screen()))
    await terminal.submit("Plan it.")
    const third = await asked()
    expect(third).toMatchObject({ kind: "plan", title: "Paint", detail: { plan: PLAN } })
    const no = { decision: "deny", text: "Use less paint." }
    await board.call("chorus_answer_attention", { attentionUuid: third.uuid, answer: no })
    await board.model.waitFor(({ newest }) => newest.includes("Use less paint."))
    await waitFor(async () => !/esc to interrupt/.test(await terminal.screen()))
    await terminal.submit("Plan it again.")
    const fourth = await asked()
    await board.call("chorus_answer_attention", { attentionUuid: fourth.uuid, answer: { decision: "approve" } })
    await board.model.waitFor(({ newest }) => /User has approved/.test(newest))
  })
})

describe.each(ASKING)("what a server that is connected to Claude Code %s asks", (version) => {
  it("is shown with its options while its dialog is open, and answered there", { tags: ["stress"] }, async () => {
    await using board = await openBoard({ version })
    const shop = { command: process.execPath, args: [join(import.meta.dirname, "asking-server.mjs")] }
    await using terminal = await openClaude(board, {
      version,
      args: ["--mcp-config", JSON.stringify({ mcpServers: { shop } })],
    })
    await terminal.submit(directive([{ name: "mcp__shop__ask", input: {} }]))
    if (version === "2.1.41") {
      // It tells a server that it cannot ask.
      await board.model.waitFor(({ newest }) => newest.includes("There is nobody to ask."))
      return
    }
    const open = async () =>
      (await board.call<{ attentions: attentions.AttentionRow[] }>("chorus_list_attentions", { open: true })).attentions
    const asked = await waitFor(async () => (await open())[0], 60_000, "the question on the page")
    expect(asked).toMatchObject({ kind: "input", title: "shop: Which shirt?", answerable: false })
    expect(asked.detail["questions"]).toEqual([{ question: "Size", options: [{ label: "small" }, { label: "large" }] }])
    await terminal.waitForText(/Which shirt/)
    for (const [key, shows] of [
      ["Right", /❯ ◯ small/],
      ["Down", /❯ ◯ large/],
      ["Enter", /Size: large[^]*❯ Accept/],
    ] as const) {
      await terminal.key(key)
      await terminal.waitForText(shows)
    }
    expect(await open()).toMatchObject([{ uuid: asked.uuid }])
    const heard = () => board.model.requests.some(({ newest }) => /The shirt: .*"size":"large"/.test(newest))
    // It takes no Enter that comes too soon after another.
    await waitFor(async () => heard() || (await terminal.key("Enter")), 60_000, "the answer", 500)
    await waitFor(async () => (await open()).length === 0, 60_000, "the question to be taken back")
  })
})
