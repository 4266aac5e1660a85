import { Pencil } from "lucide-react"
import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { Button } from "./Button.tsx"
import { Menu, MenuCheck, MenuChoice, MenuItem, MenuLabel, MenuLine } from "./Menu.tsx"

describe("a menu", () => {
  it("is walked by arrows and chosen from by Enter, and gives the focus back", async () => {
    const { screen, edit, remove } = await menu()
    const trigger = screen.getByRole("button", { name: "More" })
    ;(trigger.element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("menuitem", { name: "Edit" })).toHaveFocus()
    await userEvent.keyboard("{ArrowDown}")
    await expect.element(screen.getByRole("menuitem", { name: "Delete" })).toHaveFocus()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("menu")).not.toBeInTheDocument()
    expect(remove).toHaveBeenCalledTimes(1)
    expect(edit).not.toHaveBeenCalled()
    await expect.element(trigger).toHaveFocus()
  })

  it("leaves everything as it was by Escape", async () => {
    const { screen, edit, remove } = await menu()
    await screen.getByRole("button", { name: "More" }).click()
    await expect.element(screen.getByRole("menu")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("menu")).not.toBeInTheDocument()
    expect([edit.mock.calls, remove.mock.calls]).toEqual([[], []])
    await expect.element(screen.getByRole("button", { name: "More" })).toHaveFocus()
  })

  it("passes over what cannot be done now", async () => {
    const never = vi.fn()
    const screen = await render(
      <Menu trigger={<Button>More</Button>}>
        <MenuItem disabled onSelect={never}>
          Archive
        </MenuItem>
        <MenuItem onSelect={() => undefined}>Rename</MenuItem>
      </Menu>,
    )
    ;(screen.getByRole("button", { name: "More" }).element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("menuitem", { name: "Rename" })).toHaveFocus()
    await expect.element(screen.getByRole("menuitem", { name: "Archive" })).toHaveAttribute("aria-disabled", "true")
    ;(screen.getByRole("menuitem", { name: "Archive" }).element() as HTMLElement).click()
    expect(never).not.toHaveBeenCalled()
  })

  it("shows the keys that do the same, and parts groups by lines and labels", async () => {
    const screen = await render(
      <Menu trigger={<Button>More</Button>}>
        <MenuLabel>Agents</MenuLabel>
        <MenuItem hint="?" onSelect={() => undefined}>
          Shortcuts
        </MenuItem>
        <MenuLine />
      </Menu>,
    )
    await screen.getByRole("button", { name: "More" }).click()
    await expect.element(screen.getByRole("menuitem", { name: /^Shortcuts/ })).toHaveTextContent("Shortcuts?")
    await expect.element(screen.getByText("Agents")).toBeVisible()
    await expect.element(screen.getByRole("separator")).toBeInTheDocument()
  })
})

describe("choices in a menu", () => {
  it("are ticked one at a time", async () => {
    const screen = await render(<Theme />)
    await screen.getByRole("button", { name: "Theme" }).click()
    await expect.element(screen.getByRole("menuitemradio", { name: "Light" })).toHaveAttribute("aria-checked", "true")
    await screen.getByRole("menuitemradio", { name: "Dark" }).click()
    await screen.getByRole("button", { name: "Theme" }).click()
    await expect.element(screen.getByRole("menuitemradio", { name: "Light" })).toHaveAttribute("aria-checked", "false")
    await expect.element(screen.getByRole("menuitemradio", { name: "Dark" })).toHaveAttribute("aria-checked", "true")
  })

  it("that stand side by side can be set one after the other without opening the menu again", async () => {
    const set = vi.fn()
    const screen = await render(
      <Menu trigger={<Button>Columns</Button>}>
        <MenuCheck checked onChange={(on) => set("open", on)}>
          Open
        </MenuCheck>
        <MenuCheck checked={false} onChange={(on) => set("closed", on)}>
          Closed
        </MenuCheck>
      </Menu>,
    )
    await screen.getByRole("button", { name: "Columns" }).click()
    await screen.getByRole("menuitemcheckbox", { name: "Open" }).click()
    await screen.getByRole("menuitemcheckbox", { name: "Closed" }).click()
    expect(set.mock.calls).toEqual([
      ["open", false],
      ["closed", true],
    ])
    await expect.element(screen.getByRole("menu")).toBeVisible()
  })
})

async function menu() {
  const edit = vi.fn()
  const remove = vi.fn()
  const screen = await render(
    <Menu trigger={<Button>More</Button>}>
      <MenuItem icon={Pencil} onSelect={edit}>
        Edit
      </MenuItem>
      <MenuItem danger onSelect={remove}>
        Delete
      </MenuItem>
    </Menu>,
  )
  return { screen, edit, remove }
}

function Theme() {
  const [value, setValue] = useState<"light" | "dark">("light")
  return (
    <Menu trigger={<Button>Theme</Button>}>
      <MenuChoice
        label="Theme"
        value={value}
        onChange={setValue}
        options={[
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
    </Menu>
  )
}
