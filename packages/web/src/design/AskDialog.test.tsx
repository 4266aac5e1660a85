import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { AskDialog } from "./AskDialog.tsx"

async function asked(changes: { readonly disabled?: boolean; readonly tone?: "danger" } = {}) {
  const close = vi.fn()
  const confirm = vi.fn()
  const screen = await render(
    <AskDialog open title="Delete the lamp?" confirm="Delete" onClose={close} onConfirm={confirm} {...changes}>
      <p>It cannot be taken back.</p>
    </AskDialog>,
  )
  return { screen, close, confirm, dialog: screen.getByRole("dialog", { name: "Delete the lamp?" }) }
}

describe("a dialog that asks", () => {
  it("goes through with it by its main button, which stands last", async () => {
    const { dialog, close, confirm } = await asked()
    expect(
      dialog
        .getByRole("button")
        .elements()
        .map(({ textContent, ariaLabel }) => ariaLabel ?? textContent),
    ).toEqual(["Close", "Cancel", "Delete"])
    await dialog.getByRole("button", { name: "Delete" }).click()
    expect([confirm.mock.calls.length, close.mock.calls.length]).toEqual([1, 0])
  })

  it("is gone through with by the keys alone, when it is ready, and once where a field sends by them too", async () => {
    const { dialog, confirm } = await asked()
    await expect.element(dialog).toBeVisible()
    await userEvent.keyboard("{Enter}")
    expect(confirm).not.toHaveBeenCalled()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(confirm).toHaveBeenCalledTimes(1)
    await userEvent.keyboard("{Tab}{Control>}{Enter}{/Control}")
    expect(confirm).toHaveBeenCalledTimes(2)
    const early = await asked({ disabled: true })
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    expect(early.confirm).not.toHaveBeenCalled()
  })

  it.each(["Cancel", "Close", "Escape"])("is left by %s, and nothing happens", async (way) => {
    const { dialog, close, confirm } = await asked()
    await expect.element(dialog).toBeVisible()
    if (way === "Escape") await userEvent.keyboard("{Escape}")
    else await dialog.getByRole("button", { name: way }).click()
    await expect.poll(() => close.mock.calls.length).toBe(1)
    expect(confirm).not.toHaveBeenCalled()
  })

  it("cannot be gone through with before it is ready, but can always be left", async () => {
    const { dialog, close, confirm } = await asked({ disabled: true })
    await expect.element(dialog.getByRole("button", { name: "Delete" })).toBeDisabled()
    ;(dialog.getByRole("button", { name: "Delete" }).element() as HTMLButtonElement).click()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    expect([confirm.mock.calls.length, close.mock.calls.length]).toEqual([0, 1])
  })

  it("looks dangerous where it is", async () => {
    const colour = async (changes: { readonly tone?: "danger" }) => {
      const { screen, dialog } = await asked(changes)
      const { color } = getComputedStyle(dialog.getByRole("button", { name: "Delete" }).element())
      await screen.unmount()
      return color
    }
    expect(await colour({ tone: "danger" })).not.toBe(await colour({}))
  })
})
