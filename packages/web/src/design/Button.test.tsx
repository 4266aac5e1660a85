import { Trash2 } from "lucide-react"
import { describe, expect, it, vi } from "vitest"
import { render } from "vitest-browser-react"
import { Button, type ButtonTone, IconButton } from "./Button.tsx"

describe("a button", () => {
  it("sends no form unless it is told to", async () => {
    const send = vi.fn((event: SubmitEvent) => event.preventDefault())
    const screen = await render(
      <form ref={(form) => form?.addEventListener("submit", send)}>
        <Button>Look</Button>
        <Button type="submit">Send</Button>
      </form>,
    )
    await screen.getByRole("button", { name: "Look" }).click()
    expect(send).not.toHaveBeenCalled()
    await screen.getByRole("button", { name: "Send" }).click()
    expect(send).toHaveBeenCalledTimes(1)
  })

  it("is pressed by Enter and by the space bar, and not at all while it is disabled", async () => {
    const press = vi.fn()
    const screen = await render(<Button onClick={press}>Go</Button>)
    const button = screen.getByRole("button", { name: "Go" })
    const element = button.element() as HTMLButtonElement
    element.focus()
    await expect.element(button).toHaveFocus()
    await button.click()
    await screen.rerender(
      <Button onClick={press} disabled>
        Go
      </Button>,
    )
    element.click()
    expect(press).toHaveBeenCalledTimes(1)
    await expect.element(button).toBeDisabled()
  })

  it("lends its looks to a link, which stays a link", async () => {
    const screen = await render(
      <Button asChild tone="primary">
        <a href="#there">There</a>
      </Button>,
    )
    const link = screen.getByRole("link", { name: "There" })
    await expect.element(link).toHaveAttribute("href", "#there")
    expect(screen.container.querySelector("button")).toBeNull()
    const button = await render(<Button tone="primary">Here</Button>)
    // Not the computed colour: the pointer may rest on one of the two.
    expect(link.element().className).toBe(button.getByRole("button", { name: "Here" }).element().className)
  })

  it("looks different for each of its meanings", async () => {
    const tones: ButtonTone[] = ["primary", "secondary", "ghost", "danger"]
    const screen = await render(
      <>
        {tones.map((tone) => (
          <Button key={tone} tone={tone}>
            {tone}
          </Button>
        ))}
      </>,
    )
    const looks = tones.map((tone) => {
      const { color, backgroundColor, borderTopWidth } = getComputedStyle(
        screen.getByRole("button", { name: tone }).element(),
      )
      return `${color} ${backgroundColor} ${borderTopWidth}`
    })
    expect(new Set(looks).size).toBe(4)
  })
})

describe("a button without words", () => {
  it("says what it does to those who do not see it, and to those who wait with the mouse over it", async () => {
    const press = vi.fn()
    const screen = await render(<IconButton icon={Trash2} label="Delete the lamp" onClick={press} />)
    const button = screen.getByRole("button", { name: "Delete the lamp", exact: true })
    await expect.element(button).toHaveAttribute("title", "Delete the lamp")
    await button.click()
    expect(press).toHaveBeenCalledTimes(1)
  })

  it("is square in both sizes", async () => {
    const screen = await render(
      <>
        <IconButton icon={Trash2} label="small" size="sm" />
        <IconButton icon={Trash2} label="usual" />
      </>,
    )
    const sizes = ["small", "usual"].map((name) => {
      const { width, height } = screen.getByRole("button", { name }).element().getBoundingClientRect()
      return [width, height]
    })
    expect(sizes).toEqual([
      [28, 28],
      [32, 32],
    ])
  })
})
