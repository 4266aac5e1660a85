import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { Button } from "./Button.tsx"
import { Dialog, SidePanel } from "./Dialog.tsx"
import { Menu, MenuItem } from "./Menu.tsx"

describe("a dialog", () => {
  it("is named by its title and described by its lead", async () => {
    const screen = await render(
      <Dialog open onOpenChange={() => undefined} title="Delete the lamp?" description="It cannot be taken back.">
        body
      </Dialog>,
    )
    const dialog = screen.getByRole("dialog", { name: "Delete the lamp?" })
    await expect.element(dialog).toHaveAccessibleDescription("It cannot be taken back.")
  })

  it("has no description where none was given", async () => {
    const screen = await render(
      <Dialog open onOpenChange={() => undefined} title="Bare">
        body
      </Dialog>,
    )
    await expect.element(screen.getByRole("dialog", { name: "Bare" })).not.toHaveAttribute("aria-describedby")
  })

  it("takes the focus, keeps it, and gives it back when Escape closes it", async () => {
    const screen = await render(<Opener />)
    const opener = screen.getByRole("button", { name: "Open" })
    await opener.click()
    await expect.element(screen.getByRole("textbox", { name: "Name" })).toHaveFocus()
    await userEvent.keyboard("{Tab}{Tab}{Tab}")
    await expect.element(screen.getByRole("textbox", { name: "Name" })).toHaveFocus()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(opener).toHaveFocus()
  })

  it("gives the focus back to what opened the menu it was chosen from", async () => {
    const screen = await render(<Opener />)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Ask" }).click()
    await expect.element(screen.getByRole("textbox", { name: "Name" })).toHaveFocus()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("button", { name: "More" })).toHaveFocus()
  })

  it.each(["its cross", "a press beside it"])("asks to be closed by %s", async (how) => {
    const ask = vi.fn()
    const screen = await render(
      <Dialog open onOpenChange={ask} title="Question">
        body
      </Dialog>,
    )
    if (how === "its cross") await screen.getByRole("button", { name: "Close" }).click()
    else await userEvent.click(document.body, { position: { x: 5, y: 5 }, force: true })
    expect(ask).toHaveBeenCalledWith(false)
  })

  it("scrolls what is long and keeps its title and its buttons in view", async () => {
    const screen = await render(
      <Dialog open onOpenChange={() => undefined} title="Long" footer={<Button>Save</Button>}>
        <div style={{ height: 4000 }}>a lot</div>
      </Dialog>,
    )
    await expect.element(screen.getByRole("heading", { name: "Long" })).toBeInViewport({ ratio: 1 })
    await expect.element(screen.getByRole("button", { name: "Save" })).toBeInViewport({ ratio: 1 })
  })

  it("is read by the keys from the first one on, and then come its buttons", async () => {
    const screen = await render(
      <Dialog open onOpenChange={() => undefined} title="Long" footer={<Button>Save</Button>}>
        <div style={{ height: 4000 }}>a lot</div>
      </Dialog>,
    )
    const words = screen.getByText("a lot")
    await expect.element(words).toBeVisible()
    const before = words.element().getBoundingClientRect().top
    await userEvent.keyboard("{PageDown}")
    await expect.poll(() => words.element().getBoundingClientRect().top).toBeLessThan(before - 100)
    await userEvent.keyboard("{Tab}")
    await expect.element(screen.getByRole("button", { name: "Save" })).toHaveFocus()
  })

  it("is wider where there is much to write", async () => {
    const width = async (wide: boolean) => {
      const screen = await render(
        <Dialog open wide={wide} onOpenChange={() => undefined} title="Sized">
          body
        </Dialog>,
      )
      const width = screen.getByRole("dialog").element().getBoundingClientRect().width
      await screen.unmount()
      return width
    }
    expect(await width(true)).toBeGreaterThan((await width(false)) + 100)
  })
})

describe("a side panel", () => {
  it("leaves the page usable and does not go when the page is used", async () => {
    const press = vi.fn()
    const ask = vi.fn()
    const screen = await render(
      <>
        <Button onClick={press}>On the page</Button>
        <SidePanel open onOpenChange={ask} title="A task">
          <p>beside</p>
        </SidePanel>
      </>,
    )
    await screen.getByRole("button", { name: "On the page" }).click()
    expect(press).toHaveBeenCalledTimes(1)
    expect(ask).not.toHaveBeenCalled()
    await expect.element(screen.getByRole("dialog", { name: "A task" })).toBeVisible()
  })

  it("goes by Escape", async () => {
    const ask = vi.fn()
    await render(
      <SidePanel open onOpenChange={ask} title="A task">
        <button type="button">inside</button>
      </SidePanel>,
    )
    await userEvent.keyboard("{Escape}")
    await expect.poll(() => ask.mock.calls).toEqual([[false]])
  })
})

function Opener() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Menu trigger={<Button>More</Button>}>
        <MenuItem onSelect={() => setOpen(true)}>Ask</MenuItem>
      </Menu>
      <Dialog open={open} onOpenChange={setOpen} title="Asked" footer={<Button>Save</Button>}>
        <input aria-label="Name" autoFocus />
      </Dialog>
    </>
  )
}
