import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { type Board, directive, openBoard, openClaude } from "./board.ts"
import { teammatesHandIn } from "./teammates.ts"
import { compacted, withoutServer } from "./terminal-steps.ts"

describe("teammates", () => {
  it("hand in by their words and by their list, and end when they are shut down", () =>
    teammatesHandIn("2.1.325", "in-process"))
})

describe("a session in a terminal", () => {
  it("hears a person's answer, and is introduced anew when it was compacted", { tags: ["stress"] }, async () => {
    await using board = await openBoard()
    await using terminal = await openClaude(board)
    const ask = {
      name: "mcp__plugin_chorus_chorus__chorus_create_attention",
      input: { title: "Which way?", options: ["left", "right"] },
    }
    const wait = { name: "Bash", input: { command: "until [ -e answered ]; do :; done", description: "wait" } }
    await terminal.submit(directive([ask], [wait], { text: "I end my turn." }))
    const question = await waitFor(
      async () =>
        (await board.call<{ items: { uuid: string; title: string }[] }>("chorus_needs_you")).items.find(
          ({ title }) => title === "Which way?",
        ),
      30_000,
    )
    await board.call("chorus_answer_attention", { attentionUuid: question.uuid, answer: { text: "Left, by the oak." } })
    writeFileSync(join(board.home.project, "answered"), "")
    const told = await board.model.waitFor(({ newest }) => newest.includes("Left, by the oak."))
    expect(told.all).toContain('answered your question "Which way?": Left, by the oak.')
    expect(await board.call("chorus_get_attention", { attentionUuid: question.uuid })).toMatchObject({
      state: "delivered",
    })
    await terminal.waitForText(/Done\./)

    await compacted(board, terminal, "I end my turn.")
  })

  const away = "shows no error where the server is away, and has its hooks again when that is back"
  it(away, { tags: ["stress"] }, async () => {
    await using board = await openBoard()
    await using terminal = await openClaude(board)
    await withoutServer(board, terminal, "2.1.325")
  })
})

describe("a permission prompt", () => {
  const ask = directive([{ name: "Bash", input: { command: "touch made-by-tool", description: "make a file" } }])
  const waiting = (board: Board) =>
    waitFor(
      async () =>
        (
          await board.call<{ attentions: { uuid: string; title: string; answerable: boolean }[] }>(
            "chorus_list_attentions",
            { open: true },
          )
        ).attentions[0],
      20_000,
    )

  it("can be answered on the page while the terminal shows it", async () => {
    await using board = await openBoard()
    await using terminal = await openClaude(board, { mode: "default" })
    await terminal.submit(ask)
    const question = await waiting(board)
    expect(question).toMatchObject({ title: "Bash: touch made-by-tool", answerable: true })
    await terminal.waitForText(/Do you want to proceed|made-by-tool/)
    await board.call("chorus_answer_attention", { attentionUuid: question.uuid, answer: { decision: "approve" } })
    await board.model.waitFor((request) => request.sincePrompt === 1)
    await waitFor(
      async () =>
        (await board.call<{ state: string }>("chorus_get_attention", { attentionUuid: question.uuid })).state ===
        "delivered",
    )
  })

  const off = "is only shown where answering was switched off, and taken back when the session has ended"
  it(off, { tags: ["stress"] }, async () => {
    await using board = await openBoard({ config: { answer_seconds: "0" } })
    await using terminal = await openClaude(board, { mode: "default" })
    await terminal.submit(ask)
    const question = await waiting(board)
    expect(question).toMatchObject({ answerable: false })
    await terminal.waitForText(/Do you want to proceed/)
    const answered = () => board.model.requests.some((request) => request.sincePrompt === 1)
    await waitFor(async () => answered() || (await terminal.key("Enter")), 60_000, "the answer", 500)
    await terminal.submit("/exit")
    await waitFor(
      async () =>
        (await board.call<{ state: string }>("chorus_get_attention", { attentionUuid: question.uuid })).state ===
        "withdrawn",
      20_000,
    )
  })
})
