import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { ReasonDialog } from "./ReasonDialog.tsx"

function Asking({ required, onConfirm }: { readonly required: boolean; onConfirm(reason: string): Promise<unknown> }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Ask
      </button>
      <ReasonDialog
        open={open}
        draft="why"
        title="Why?"
        lead="Say it plainly."
        confirm="Send"
        required={required}
        onClose={() => setOpen(false)}
        onConfirm={onConfirm}
      />
    </>
  )
}

async function ask(required = false) {
  const onConfirm = vi.fn<(reason: string) => Promise<unknown>>(async () => true)
  const screen = await show(<Asking required={required} onConfirm={onConfirm} />)
  await screen.getByRole("button", { name: "Ask" }).click()
  const dialog = screen.getByRole("dialog", { name: "Why?" })
  return {
    screen,
    dialog,
    onConfirm,
    field: dialog.getByRole("textbox"),
    send: dialog.getByRole("button", { name: "Send" }),
  }
}

describe("asking for a reason", () => {
  it("has the field ready to write in, and says what it is for", async () => {
    const { dialog, field } = await ask()
    await expect.element(field).toHaveFocus()
    await expect.element(dialog.getByText("Say it plainly.")).toBeVisible()
  })

  it("sends what was written without the blanks around it, closes, and is empty the next time", async () => {
    const { screen, dialog, field, send, onConfirm } = await ask()
    await field.fill("  It leaks.\n")
    await send.click()
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith("It leaks.")
    await expect.element(dialog).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Ask" }).click()
    await expect.element(field).toHaveValue("")
  })

  it("sends nothing at all where no words are needed", async () => {
    const { send, onConfirm } = await ask()
    await send.click()
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith("")
  })

  it("waits for words where they are needed, by button and by key", async () => {
    const { field, send, onConfirm } = await ask(true)
    await expect.element(send).toBeDisabled()
    await field.fill("   ")
    await expect.element(send).toBeDisabled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(onConfirm).not.toHaveBeenCalled()
    await field.fill("Because.")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(onConfirm).toHaveBeenCalledExactlyOnceWith("Because.")
  })

  it("makes a new line with Enter alone", async () => {
    const { field, onConfirm } = await ask()
    await userEvent.type(field, "one{Enter}two")
    await expect.element(field).toHaveValue("one\ntwo")
    expect(onConfirm).not.toHaveBeenCalled()
  })

  it.each(["Cancel", "Close"])("keeps what was written after %s, and offers to begin anew", async (name) => {
    const { screen, dialog, field, onConfirm } = await ask()
    await field.fill("Never mind")
    await dialog.getByRole("button", { name }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(onConfirm).not.toHaveBeenCalled()
    await expect.element(screen.getByRole("button", { name: "Ask" })).toHaveFocus()
    await screen.getByRole("button", { name: "Ask" }).click()
    await expect.element(field).toHaveValue("Never mind")
    await userEvent.keyboard("{Escape}")
    await screen.unmount()
    screen.container.remove()
    const again = await ask()
    await expect.element(again.field).toHaveValue("Never mind")
    await again.dialog.getByRole("button", { name: "Start over" }).click()
    await expect.element(again.field).toHaveValue("")
  })

  it("stays open with the words when they are not taken", async () => {
    const { dialog, field, send, onConfirm } = await ask()
    onConfirm.mockResolvedValueOnce(undefined)
    await field.fill("It leaks.")
    await send.click()
    await expect.poll(() => onConfirm.mock.calls.length).toBe(1)
    await expect.element(send).toBeEnabled()
    await expect.element(field).toHaveValue("It leaks.")
    await send.click()
    await expect.element(dialog).not.toBeInTheDocument()
  })
})
