import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { GraphPreview } from "./GraphPreview.tsx"

const edge = (taskUuid: string, dependsOnUuid: string) => ({ taskUuid, dependsOnUuid })
const node = (uuid: string, note?: string) => ({ uuid, title: `Task ${uuid}`, note, tone: "todo" as const })

async function preview(
  width: number,
  nodes = [node("a"), node("b", "3 h"), node("c")],
  edges = [edge("b", "a"), edge("c", "b")],
  onChoose?: (uuid: string) => void,
) {
  const screen = await show(
    <div style={{ width }}>
      <GraphPreview label="The plan" nodes={nodes} edges={edges} {...(onChoose === undefined ? {} : { onChoose })} />
    </div>,
  )
  const box = screen.getByRole("group", { name: "The plan" })
  const card = (uuid: string) => box.getByRole("group", { name: `Task ${uuid}`, exact: true })
  const boxOf = (uuid: string) => card(uuid).element().getBoundingClientRect()
  const lines = () =>
    [...box.element().querySelectorAll("[data-lines]")].reduce(
      (sum, group) => sum + Number(group.getAttribute("data-count")),
      0,
    )
  return { screen, box, card, boxOf, lines }
}

describe("a preview of a graph", () => {
  it("stands in the order of work with a line for each dependency, and notes below titles", async () => {
    const { screen, card, boxOf, lines } = await preview(1200)
    await expect.element(card("c")).toBeVisible()
    await expect.element(screen.getByText("3 h")).toBeVisible()
    expect(boxOf("a").left).toBeLessThan(boxOf("b").left)
    expect(boxOf("b").left).toBeLessThan(boxOf("c").left)
    expect(lines()).toBe(2)
  })

  it("leaves out lines to what is not shown", async () => {
    const { card, lines } = await preview(1000, [node("a")], [edge("a", "elsewhere")])
    await expect.element(card("a")).toBeVisible()
    expect(lines()).toBe(0)
  })

  it("shows everything in whatever room there is, and can be zoomed and fitted again", async () => {
    const { screen, box, card, boxOf } = await preview(360)
    await expect.element(card("c")).toBeVisible()
    const frame = box.element().getBoundingClientRect()
    await expect.poll(() => boxOf("c").right <= frame.right && boxOf("a").left >= frame.left).toBe(true)
    const fitted = boxOf("a").width
    await screen.getByRole("button", { name: "Zoom in" }).click()
    await expect.poll(() => boxOf("a").width).toBeGreaterThan(fitted)
    await screen.getByRole("button", { name: "Show everything" }).click()
    await expect.poll(() => Math.round(boxOf("a").width)).toBe(Math.round(fitted))
  })

  it("lets the page scroll on over it", async () => {
    const { card, boxOf } = await preview(1200)
    await expect.element(card("a")).toBeVisible()
    await expect.poll(() => Math.round(boxOf("a").width)).toBe(220)
    await userEvent.wheel(card("a"), { delta: { y: 200 } })
    expect(Math.round(boxOf("a").width)).toBe(220)
  })

  it("lets one choose by pointer and by keys", async () => {
    const onChoose = vi.fn()
    const { card } = await preview(1000, undefined, undefined, onChoose)
    await card("b").click()
    ;(card("c").element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    expect(onChoose.mock.calls).toEqual([["b"], ["c"]])
  })

  it("shows nothing but its frame for an empty plan", async () => {
    const { box } = await preview(600, [], [])
    await expect.element(box).toBeInTheDocument()
    expect(box.element().querySelectorAll(".react-flow__node")).toHaveLength(0)
  })
})
