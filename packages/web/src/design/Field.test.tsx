import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { Checkbox, Field, Input, Select, Switch, TextArea } from "./Field.tsx"

describe("a field", () => {
  it("gives its control a name, and the hint as description", async () => {
    const screen = await render(
      <Field label="Name" hint="As others see it">
        {(ids) => <Input {...ids} />}
      </Field>,
    )
    const input = screen.getByRole("textbox", { name: "Name" })
    await expect.element(input).toHaveAccessibleDescription("As others see it")
    await expect.element(input).not.toHaveAttribute("aria-invalid")
    await screen.getByText("Name").click()
    await expect.element(input).toHaveFocus()
  })

  it("says what is wrong in place of the hint, and marks the control", async () => {
    const screen = await render(
      <Field label="Name" hint="As others see it" error="It is too long">
        {(ids) => <Input {...ids} />}
      </Field>,
    )
    const input = screen.getByRole("textbox", { name: "Name" })
    await expect.element(input).toHaveAccessibleDescription("It is too long")
    await expect.element(input).toHaveAttribute("aria-invalid", "true")
    await expect.element(screen.getByText("As others see it")).not.toBeInTheDocument()
  })

  it("describes nothing where there is nothing to say", async () => {
    const screen = await render(<Field label="Brief">{(ids) => <TextArea {...ids} />}</Field>)
    await expect.element(screen.getByRole("textbox", { name: "Brief" })).not.toHaveAttribute("aria-describedby")
  })

  it("keeps two fields of one name apart", async () => {
    const screen = await render(
      <>
        <Field label="Title">{(ids) => <Input {...ids} defaultValue="one" />}</Field>
        <Field label="Title">{(ids) => <Input {...ids} defaultValue="two" />}</Field>
      </>,
    )
    const values = screen
      .getByRole("textbox", { name: "Title" })
      .elements()
      .map((input) => (input as HTMLInputElement).value)
    expect(values).toEqual(["one", "two"])
  })
})

describe("a list of choices", () => {
  it("hands over what is chosen", async () => {
    const change = vi.fn()
    const screen = await render(
      <Field label="Kind">
        {(ids) => (
          <Select {...ids} defaultValue="a" onChange={(event) => change(event.target.value)}>
            <option value="a">Apple</option>
            <option value="b">Pear</option>
          </Select>
        )}
      </Field>,
    )
    await screen.getByRole("combobox", { name: "Kind" }).selectOptions("Pear")
    expect(change).toHaveBeenCalledWith("b")
  })

  it("is lower in a toolbar, like what stands beside it", async () => {
    const screen = await render(
      <>
        <Input compact aria-label="Filter" />
        <Select compact aria-label="Kind" className="w-40">
          <option>All</option>
        </Select>
        <Input aria-label="Title" />
      </>,
    )
    const height = (name: string) => screen.getByLabelText(name).element().getBoundingClientRect().height
    expect([height("Filter"), height("Kind"), height("Title")]).toEqual([32, 32, 36])
  })
})

describe.each([
  ["a switch", Switch, "switch"],
  ["a checkbox", Checkbox, "checkbox"],
] as const)("%s", (_, Toggle, role) => {
  function Kept({ disabled = false }: { readonly disabled?: boolean }) {
    const [on, setOn] = useState(false)
    return <Toggle checked={on} onChange={setOn} label="Loud" hint="Heard next door" disabled={disabled} />
  }

  it("is set by its words, by itself and by the space bar", async () => {
    const screen = await render(<Kept />)
    const toggle = screen.getByRole(role, { name: /^Loud/ })
    await expect.element(toggle).not.toBeChecked()
    await screen.getByText("Heard next door").click()
    await expect.element(toggle).toBeChecked()
    await toggle.click()
    await expect.element(toggle).not.toBeChecked()
    await userEvent.keyboard(" ")
    await expect.element(toggle).toBeChecked()
  })

  it("cannot be set while it is disabled", async () => {
    const screen = await render(<Kept disabled />)
    await expect.element(screen.getByRole(role, { name: /^Loud/ })).toBeDisabled()
    screen.container.querySelector("label")?.click()
    await expect.element(screen.getByRole(role, { name: /^Loud/ })).not.toBeChecked()
  })
})
