import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { tapPoint } from "../../test/press.ts"
import { show } from "../../test/stage.tsx"
import { hire } from "../../test/workplace.ts"
import { Composer } from "./Composer.tsx"

interface Options {
  readonly arrives?: boolean
  readonly mentions?: boolean
  readonly initial?: string
  readonly onCancel?: () => void
}

async function compose({ arrives = true, ...rest }: Options = {}) {
  const answer = Promise.withResolvers<boolean>()
  const onSend = vi.fn(async (text: string) => (text === "slow" ? answer.promise : arrives))
  const screen = await show(<Composer draft="here" placeholder="Write here" send="Send" onSend={onSend} {...rest} />)
  return {
    screen,
    onSend,
    field: screen.getByLabelText("Write here"),
    send: screen.getByRole("button", { name: "Send" }),
    list: screen.getByRole("listbox", { name: "Mentions and links" }),
    answer,
  }
}

/** Two agents of one unusual beginning, so that a search finds just them. */
async function hireTwins() {
  const tag = `zq${crypto.randomUUID().slice(0, 6)}`
  const twins = [await hire(`${tag}a`), await hire(`${tag}b`)]
  return { tag, names: twins.map(({ name }) => name) }
}

describe("writing", () => {
  it("sends once while an answer is on its way", async () => {
    const { field, send, onSend, answer } = await compose()
    await field.fill("slow")
    await send.click()
    await expect.element(send).toBeDisabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    field.element().focus()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(onSend).toHaveBeenCalledOnce()
    answer.resolve(true)
    await expect.element(field).toHaveValue("")
  })

  it("keeps what did not arrive and lets one try again", async () => {
    const { field, send, onSend } = await compose({ arrives: false })
    await field.fill("Precious")
    await send.click()
    await expect.poll(() => onSend.mock.calls.length).toBe(1)
    await expect.element(field).toHaveValue("Precious")
    await send.click()
    await expect.poll(() => onSend.mock.calls.length).toBe(2)
  })

  it("is there to be written in again after what was looked at has been sent", async () => {
    const { screen, field, send, onSend } = await compose()
    await field.fill("Look at **this**")
    await screen.getByRole("button", { name: "Preview" }).click()
    await expect.element(field).not.toBeVisible()
    await send.click()
    expect(onSend).toHaveBeenCalledExactlyOnceWith("Look at **this**")
    await expect.element(field).toBeVisible()
    await expect.element(field).toHaveValue("")
    await field.fill("And that")
    await expect.element(screen.getByRole("button", { name: "Preview" })).toBeVisible()
    await expect.element(field).toBeVisible()
  })

  it("grows for longer texts", async () => {
    const { field } = await compose()
    await expect.element(field).toHaveAttribute("rows", "2")
    await field.fill("1\n2\n3\n4")
    await expect.element(field).toHaveAttribute("rows", "6")
  })

  it("can be left only where there is somewhere to go back to", async () => {
    const onCancel = vi.fn()
    const { screen, field } = await compose({ onCancel })
    field.element().focus()
    await userEvent.keyboard("{Escape}")
    await screen.getByRole("button", { name: "Cancel" }).click()
    expect(onCancel).toHaveBeenCalledTimes(2)
  })

  it("offers no way back where there is none", async () => {
    const { screen } = await compose()
    await expect.element(screen.getByRole("button", { name: "Cancel" })).not.toBeInTheDocument()
  })
})

describe("mentioning", () => {
  it("offers who fits while one types, walks by arrows around the ends, and puts the chosen in", async () => {
    const { tag, names } = await hireTwins()
    const { screen, field, list } = await compose()
    await userEvent.type(field, `Ask @${tag}`)
    // What was found for half of the name may be offered first.
    await expect.poll(() => list.getByRole("option").elements().length).toBe(2)
    const option = (name: string | undefined) => screen.getByRole("option", { name: name ?? "", exact: false })
    await expect.element(option(names[0])).toHaveAttribute("aria-selected", "true")
    await expect.element(field).toHaveAttribute("aria-activedescendant", option(names[0]).element().id)
    await userEvent.keyboard("{ArrowDown}")
    await expect.element(option(names[1])).toHaveAttribute("aria-selected", "true")
    await userEvent.keyboard("{ArrowDown}")
    await expect.element(option(names[0])).toHaveAttribute("aria-selected", "true")
    await userEvent.keyboard("{ArrowUp}{Enter}")
    await expect.element(list).not.toBeInTheDocument()
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard("please")
    const value = (field.element() as HTMLTextAreaElement).value
    expect(value.startsWith("Ask @[")).toBe(true)
    expect(value).toContain(names[1])
    expect(value.endsWith(") please")).toBe(true)
  })

  it("is chosen by Tab and by pointer too", async () => {
    const { tag, names } = await hireTwins()
    const { screen, field, list } = await compose()
    await userEvent.type(field, `@${tag}`)
    await expect.element(list).toBeVisible()
    await userEvent.keyboard("{Tab}")
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard(`and @${tag}`)
    await screen.getByRole("option", { name: names[1] ?? "", exact: false }).click()
    await expect.element(list).not.toBeInTheDocument()
    const value = (field.element() as HTMLTextAreaElement).value
    expect(value).toContain(names[0])
    expect(value).toContain(names[1])
  })

  it("takes the name a finger taps, and does not press what lies below the list", async () => {
    const { tag, names } = await hireTwins()
    const { screen, field, list } = await compose()
    await userEvent.type(field, `@${tag}`)
    await expect.poll(() => list.getByRole("option").elements().length).toBe(2)
    const below = screen.getByRole("button", { name: "Preview" })
    const { x, y, width, height } = below.element().getBoundingClientRect()
    const point = { x: x + width / 2, y: y + height / 2 }
    const hit = document.elementFromPoint(point.x, point.y)?.closest("[role=option]")
    expect(hit?.textContent).toContain(tag)
    await tapPoint(point)
    await expect.element(list).not.toBeInTheDocument()
    await expect.element(field).toBeVisible()
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard("please")
    await expect.element(field).toHaveValue(expect.stringMatching(/\) please$/))
    const tapped = names.find((name) => hit?.textContent?.includes(name)) ?? "nobody"
    expect((field.element() as HTMLTextAreaElement).value).toContain(tapped)
  })

  it("closes the list with Escape before anything else", async () => {
    const { tag } = await hireTwins()
    const onCancel = vi.fn()
    const { field, list } = await compose({ onCancel })
    await userEvent.type(field, `@${tag}`)
    await expect.element(list).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(list).not.toBeInTheDocument()
    expect(onCancel).not.toHaveBeenCalled()
    await userEvent.keyboard("{Escape}")
    expect(onCancel).toHaveBeenCalledOnce()
  })

  it("sends by Ctrl+Enter also while the list is open", async () => {
    const { tag } = await hireTwins()
    const { field, list, onSend } = await compose()
    await userEvent.type(field, `@${tag}`)
    await expect.element(list).toBeVisible()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(onSend).toHaveBeenCalledExactlyOnceWith(`@${tag}`)
  })

  it("offers nobody in the middle of a word, nor where nobody reads along", async () => {
    const { tag } = await hireTwins()
    const { field, list } = await compose({ mentions: false })
    await userEvent.type(field, `@${tag}`)
    await expect.element(list).not.toBeInTheDocument()
    await userEvent.clear(field)
    await userEvent.type(field, `me@${tag}`)
    await expect.element(list).not.toBeInTheDocument()
  })
})
