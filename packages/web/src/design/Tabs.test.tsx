import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { render } from "vitest-browser-react"
import { Segmented } from "./Segmented.tsx"
import { Tabs } from "./Tabs.tsx"

describe("tabs", () => {
  it("show one part at a time, by pointer and by arrows", async () => {
    const screen = await render(<Parts />)
    await expect.element(screen.getByText("what was said")).toBeVisible()
    await expect.element(screen.getByText("what happened")).not.toBeInTheDocument()
    await screen.getByRole("tab", { name: "Activity" }).click()
    await expect.element(screen.getByText("what happened")).toBeVisible()
    await userEvent.keyboard("{ArrowLeft}")
    await expect.element(screen.getByRole("tab", { name: "Reviews" })).toHaveFocus()
    await userEvent.keyboard("{ArrowLeft}")
    await expect.element(screen.getByRole("tab", { name: /^Comments/ })).toHaveFocus()
    await expect.element(screen.getByText("what was said")).toBeVisible()
    await userEvent.keyboard("{End}")
    await expect.element(screen.getByText("what happened")).toBeVisible()
  })

  it("are named as a group, and each part by its tab", async () => {
    const screen = await render(<Parts />)
    await expect.element(screen.getByRole("tablist", { name: "More" })).toBeVisible()
    await expect.element(screen.getByRole("tabpanel", { name: /^Comments/ })).toHaveTextContent("what was said")
  })

  it("tell how much is behind them, but not that it is nothing", async () => {
    const screen = await render(<Parts />)
    await expect.element(screen.getByRole("tab", { name: /^Comments/ })).toHaveTextContent("Comments3")
    await expect.element(screen.getByRole("tab", { name: "Reviews" })).toHaveTextContent("Reviews")
    await expect.element(screen.getByRole("tab", { name: "Activity" })).toHaveTextContent("Activity")
  })
})

describe("ways to look", () => {
  it("are always one: the chosen one cannot be let go", async () => {
    const look = vi.fn()
    const screen = await render(
      <Segmented<"list" | "tree">
        label="View"
        value="list"
        onChange={look}
        options={[
          { value: "list", label: "List" },
          { value: "tree", label: "Tree" },
        ]}
      />,
    )
    await expect
      .element(screen.getByRole("group", { name: "View" }).or(screen.getByRole("radiogroup", { name: "View" })))
      .toBeVisible()
    await screen.getByText("List").click()
    expect(look).not.toHaveBeenCalled()
    await screen.getByText("Tree").click()
    expect(look.mock.calls).toEqual([["tree"]])
  })
})

function Parts() {
  const [part, setPart] = useState<"comments" | "reviews" | "activity">("comments")
  return (
    <Tabs
      label="More"
      value={part}
      onChange={setPart}
      tabs={[
        { value: "comments", label: "Comments", count: 3, content: "what was said" },
        { value: "reviews", label: "Reviews", count: 0, content: "what was found" },
        { value: "activity", label: "Activity", content: "what happened" },
      ]}
    />
  )
}
