import { describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { DiffView } from "./DiffView.tsx"
import type { DiffLine } from "./lines.ts"

const same = (text: string): DiffLine => ({ kind: "same", text })
const rowsOf = (element: Element) =>
  [...element.querySelectorAll(".flex:not(.shrink-0)")].map(({ textContent }) => textContent)

describe("what changed", () => {
  it("says it by sign as well as by colour, with the numbers of both sides", async () => {
    const screen = await render(
      <DiffView
        label="Changes"
        lines={[
          same("one"),
          { kind: "removed", text: "two" },
          { kind: "added", text: "2" },
          { kind: "added", text: "" },
          same("three"),
        ]}
      />,
    )
    const view = screen.getByRole("group", { name: "Changes" })
    expect(rowsOf(view.element())).toEqual(["11 one", "2−two", "2+2", "3+ ", "34 three"])
    const ground = (at: number) =>
      getComputedStyle(view.element().querySelectorAll(".flex:not(.shrink-0)")[at] as Element).backgroundColor
    expect(new Set([ground(0), ground(1), ground(2)]).size).toBe(3)
  })

  it("has no numbers where the lines are only a part", async () => {
    const screen = await render(<DiffView label="Field" numbers={false} lines={[{ kind: "added", text: "safe" }]} />)
    expect(rowsOf(screen.getByRole("group", { name: "Field" }).element())).toEqual(["+safe"])
  })

  it("folds what did not change, opens one fold at a time, and keeps the others folded", async () => {
    const far = (from: string) => Array.from({ length: 12 }, (_, at) => same(`${from}${at}`))
    const screen = await render(
      <DiffView label="Changes" lines={[...far("a"), { kind: "added", text: "new" }, ...far("b")]} />,
    )
    const folds = screen.getByRole("button", { name: "9 unchanged lines" })
    expect(folds.elements()).toHaveLength(2)
    await expect.element(screen.getByText("a0", { exact: true })).not.toBeInTheDocument()
    await folds.first().click()
    await expect.element(screen.getByText("a0", { exact: true })).toBeVisible()
    expect(folds.elements()).toHaveLength(1)
    await expect.element(screen.getByText("b11", { exact: true })).not.toBeInTheDocument()
  })

  it("keeps spaces, and long lines inside its own frame", async () => {
    const screen = await render(
      <div style={{ width: 300 }}>
        <DiffView
          label="Changes"
          lines={[
            { kind: "added", text: "    indented" },
            { kind: "added", text: "long ".repeat(200) },
          ]}
        />
      </div>,
    )
    const view = screen.getByRole("group", { name: "Changes" }).element()
    expect(view.getBoundingClientRect().width).toBe(300)
    expect(getComputedStyle(screen.getByText("indented").element()).whiteSpace).toContain("pre-wrap")
    await expect.element(screen.getByRole("group", { name: "Changes" })).toHaveAttribute("tabindex", "0")
  })
})
