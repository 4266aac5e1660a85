import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { showRouted } from "../../test/stage.tsx"
import { Field, Input } from "../design/index.ts"
import { ConfirmDialog } from "./ConfirmDialog.tsx"
import { FormDialog, wordsIn } from "./FormDialog.tsx"
import { Pending } from "./Section.tsx"

async function form(busy = false) {
  const onSubmit = vi.fn((given: FormData) => wordsIn(given, "name"))
  const onClose = vi.fn()
  const { screen } = await showRouted(
    <FormDialog
      title="New thing"
      description="It is made at once."
      submit="Make it"
      busy={busy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <Field label="Name">{(ids) => <Input {...ids} name="name" required />}</Field>
    </FormDialog>,
  )
  return { dialog: screen.getByRole("dialog", { name: "New thing" }), onSubmit, onClose }
}

describe("a form in a dialog", () => {
  it("hands over what was written, by its button and by Enter, and stays until it is taken away", async () => {
    const { dialog, onSubmit, onClose } = await form()
    await dialog.getByLabelText("Name").fill("  lamp ")
    await dialog.getByRole("button", { name: "Make it" }).click()
    await dialog.getByLabelText("Name").click()
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => onSubmit.mock.results.map(({ value }) => value)).toEqual(["lamp", "lamp"])
    await expect.element(dialog.getByLabelText("Name")).toHaveValue("  lamp ")
    expect(onClose).not.toHaveBeenCalled()
  })

  it("hands over nothing to whoever keeps writing", async () => {
    const { dialog, onSubmit, onClose } = await form()
    await dialog.getByLabelText("Name").fill("lamp")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.getByRole("button", { name: "Keep writing" }).click()
    await expect.element(dialog.getByRole("button", { name: "Make it" })).toBeVisible()
    expect(onSubmit).not.toHaveBeenCalled()
    expect(onClose).not.toHaveBeenCalled()
  })

  it("hands over nothing that the browser finds wanting, and nothing while it is busy", async () => {
    const empty = await form()
    await empty.dialog.getByRole("button", { name: "Make it" }).click()
    expect(empty.onSubmit).not.toHaveBeenCalled()
    const busy = await form(true)
    await expect.element(busy.dialog.last().getByRole("button", { name: "Make it" })).toBeDisabled()
    expect(busy.onSubmit).not.toHaveBeenCalled()
  })

  it.each(["Cancel", "Close"])("is given up by %s", async (way) => {
    const { dialog, onClose, onSubmit } = await form()
    await dialog.getByRole("button", { name: way }).click()
    expect([onClose.mock.calls.length, onSubmit.mock.calls.length]).toEqual([1, 0])
  })

  it("is described to those who do not see it", async () => {
    const { dialog } = await form()
    await expect.element(dialog).toHaveAccessibleDescription("It is made at once.")
  })
})

describe("what is written in a field", () => {
  it("comes without the blanks around it, and is nothing where there is no such field", () => {
    const given = new FormData()
    given.set("name", "  a b \n")
    expect([wordsIn(given, "name"), wordsIn(given, "other")]).toEqual(["a b", ""])
  })
})

describe("asking before something that nobody can take back", () => {
  it("goes first and does it then, or does nothing at all", async () => {
    const order: string[] = []
    const { screen } = await showRouted(
      <ConfirmDialog
        title="Delete it?"
        lead="It is gone then."
        confirm="Delete"
        onClose={() => order.push("closed")}
        onConfirm={() => order.push("done")}
      />,
    )
    await expect.element(screen.getByText("It is gone then.")).toBeVisible()
    await screen.getByRole("button", { name: "Cancel" }).click()
    expect(order).toEqual(["closed"])
    await screen.getByRole("button", { name: "Delete" }).click()
    expect(order).toEqual(["closed", "closed", "done"])
  })
})

describe("what is not there yet", () => {
  it("is on its way, or says why it does not come", async () => {
    const reload = vi.fn()
    const { screen } = await showRouted(
      <>
        <Pending of={{ status: "loading", error: undefined, reload }} rows={2} />
        <Pending of={{ status: "failed", error: new Error("The line is dead."), reload }} />
      </>,
    )
    await expect.element(screen.getByRole("status", { name: "Loading" })).toBeVisible()
    await expect.element(screen.getByRole("alert").getByText("The line is dead.")).toBeVisible()
    await screen.getByRole("button", { name: "Try again" }).click()
    expect(reload).toHaveBeenCalledTimes(1)
  })
})
