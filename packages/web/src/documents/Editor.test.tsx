import { ChorusError } from "@chorus/contracts"
import { useState } from "react"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { page, userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { toasts } from "../design/index.ts"
import { Editor } from "./Editor.tsx"

const SUBJECT = { uuid: "wires", title: "Wires", content: "Copper.", version: 4 }

async function written(
  save: (written: {
    readonly title?: string
    readonly content?: string
    readonly expectedVersion: number
  }) => Promise<unknown>,
  subject = SUBJECT,
) {
  const done = vi.fn()
  const editor = (now: typeof SUBJECT) => <Editor subject={now} save={save} onDone={done} />
  const screen = await show(editor(subject))
  return {
    screen,
    done,
    editor,
    title: screen.getByRole("textbox", { name: "Title" }),
    content: screen.getByRole("textbox", { name: "Content" }),
    keep: screen.getByRole("button", { name: "Save" }),
  }
}

/** The editor of something that others save too. */
async function shared(save: (written: object) => Promise<unknown>) {
  const done = vi.fn()
  let others: (now: typeof SUBJECT) => void = () => undefined
  function Shared() {
    const [now, setNow] = useState(SUBJECT)
    others = setNow
    return <Editor subject={now} save={save} onDone={done} />
  }
  const screen = await show(<Shared />)
  return {
    screen,
    done,
    others: (now: typeof SUBJECT) => others(now),
    title: screen.getByRole("textbox", { name: "Title" }),
    content: screen.getByRole("textbox", { name: "Content" }),
    keep: screen.getByRole("button", { name: "Save" }),
  }
}

describe("the editor", () => {
  it("hands over what was written, for the version it was begun on", async () => {
    const save = vi.fn(async () => undefined)
    const { title, content, keep, done } = await written(save)
    await title.fill("  Wires and plugs ")
    await content.fill("  Silver.\n")
    await keep.click()
    await expect.poll(() => done.mock.calls.length).toBe(1)
    expect(save.mock.calls).toEqual([[{ title: "Wires and plugs", content: "  Silver.\n", expectedVersion: 4 }]])
  })

  it("sends what was touched and nothing else", async () => {
    const save = vi.fn(async () => undefined)
    const { content, keep, done } = await written(save)
    await content.fill("Silver.")
    await keep.click()
    await expect.poll(() => done.mock.calls.length).toBe(1)
    expect(save.mock.calls).toEqual([[{ content: "Silver.", expectedVersion: 4 }]])
  })

  it("sends nothing at all where nothing was touched", async () => {
    const save = vi.fn(async () => undefined)
    const { keep, done } = await written(save)
    await keep.click()
    await expect.poll(() => done.mock.calls.length).toBe(1)
    expect(save).not.toHaveBeenCalled()
  })

  it("follows what others save in a field that nobody touched here, and puts the rest on top", async () => {
    const refused = new ChorusError("stale_version", "Somebody was faster.", { status: 409 })
    const save = vi
      .fn<(written: object) => Promise<unknown>>()
      .mockRejectedValueOnce(refused)
      .mockResolvedValue(undefined)
    const { title, content, keep, done, others } = await shared(save)
    await content.fill("Silver.")
    await keep.click()
    await expect.poll(() => save.mock.calls.length).toBe(1)
    others({ ...SUBJECT, title: "Wires, renamed", content: "Copper.", version: 5 })
    await expect.element(title).toHaveValue("Wires, renamed")
    await expect.poll(() => done.mock.calls.length).toBe(1)
    expect(save.mock.lastCall).toEqual([{ content: "Silver.", expectedVersion: 5 }])
  })

  it("shows both texts where both wrote at the same field, and saves only on purpose", async () => {
    const save = vi.fn<(written: object) => Promise<unknown>>(async () => undefined)
    const { screen, content, others } = await shared(save)
    await content.fill("Mine")
    others({ ...SUBJECT, title: "Wires", content: "Theirs", version: 5 })
    await expect.element(screen.getByRole("alert")).toMatchTextContent("Somebody saved version 5 in the meantime.")
    await expect.element(screen.getByText("Theirs")).toBeVisible()
    await expect.element(content).toHaveValue("Mine")
    await screen.getByRole("button", { name: "Save anyway" }).click()
    await expect.poll(() => save.mock.lastCall).toEqual([{ content: "Mine", expectedVersion: 5 }])
  })

  it("saves once while it is being saved, by button and by keys", async () => {
    const saving = Promise.withResolvers<void>()
    const save = vi.fn(() => saving.promise)
    const { content, keep, done } = await written(save)
    await content.fill("Gold.")
    await keep.click()
    await expect.element(keep).toBeDisabled()
    await content.click()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    saving.resolve()
    await expect.poll(() => done.mock.calls.length).toBe(1)
    expect(save).toHaveBeenCalledTimes(1)
  })

  it("stays when the version is stale, without a word: the note above the text says it", async () => {
    const { content, keep, done } = await written(() =>
      Promise.reject(new ChorusError("stale_version", "Somebody was faster.", { status: 409 })),
    )
    await content.fill("Mine")
    await keep.click()
    await expect.element(keep).toBeEnabled()
    await expect.element(content).toHaveValue("Mine")
    expect(done).not.toHaveBeenCalled()
    expect(toasts()).toEqual([])
  })

  it("stays for any other reason and says it", async () => {
    const { content, keep, done } = await written(() =>
      Promise.reject(new ChorusError("too_long", "It is too long.", { next: "Shorten it." })),
    )
    await content.fill("Much.")
    await keep.click()
    await expect
      .poll(() => toasts().map(({ title, detail }) => [title, detail]))
      .toEqual([["It is too long.", "Shorten it."]])
    expect(done).not.toHaveBeenCalled()
  })

  it("shows text side by side with how it reads, or one of them where there is no room for both", async () => {
    const { screen, content } = await written(async () => undefined)
    await content.fill("Of **silver**.")
    await expect.element(screen.getByText("silver", { exact: true })).toBeVisible()
    await page.viewport(390, 800)
    onTestFinished(() => page.viewport(1280, 800))
    await expect.element(screen.getByText("silver", { exact: true })).not.toBeVisible()
    await screen.getByText("Preview").first().click()
    await expect.element(screen.getByText("silver", { exact: true })).toBeVisible()
    await expect.element(content).not.toBeInTheDocument()
    await screen.getByText("Write").click()
    await expect.element(content).toHaveValue("Of **silver**.")
  })

  it("takes no Enter of a composition for the keys that save", async () => {
    const save = vi.fn(async () => undefined)
    const { content } = await written(save)
    content
      .element()
      .dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, isComposing: true, bubbles: true }))
    content.element().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
    await expect.element(content).toBeVisible()
    expect(save).not.toHaveBeenCalled()
  })
})
