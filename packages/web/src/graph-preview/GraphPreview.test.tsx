import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { show } from "../../test/stage.tsx"
import { NODE_HEIGHT, NODE_WIDTH } from "../graph/layout.ts"
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
  const card = (uuid: string) => screen.getByRole("button", { name: `Task ${uuid}`, exact: false })
  const zoom = () => Number((box.element().firstElementChild as HTMLElement).style.zoom)
  return { screen, box, card, zoom }
}

describe("a preview of a graph", () => {
  it("stands in the order of work with an arrow for each dependency, and notes below titles", async () => {
    const { screen, box, card } = await preview(1000)
    await expect.element(screen.getByText("3 h")).toBeVisible()
    const x = (uuid: string) => card(uuid).element().getBoundingClientRect().left
    expect(x("a")).toBeLessThan(x("b"))
    expect(x("b")).toBeLessThan(x("c"))
    expect(box.element().querySelectorAll("path[marker-end]")).toHaveLength(2)
  })

  it("leaves out arrows to what is not shown", async () => {
    const { box, card } = await preview(1000, [node("a")], [edge("a", "elsewhere")])
    await expect.element(card("a")).toBeVisible()
    expect(box.element().querySelectorAll("path[marker-end]")).toHaveLength(0)
  })

  it("is as large as there is room for, and scrolls before it becomes too small to read", async () => {
    const roomy = await preview(1200)
    await expect.poll(roomy.zoom).toBe(1)
    await expect.element(roomy.card("a")).toBeVisible()
    expect(Math.round(roomy.card("a").element().getBoundingClientRect().width)).toBe(NODE_WIDTH)
    expect(Math.round(roomy.card("a").element().getBoundingClientRect().height)).toBe(NODE_HEIGHT)
  })

  it("shrinks in a narrow place, but not beyond reading", async () => {
    const { box, zoom } = await preview(300)
    await expect.poll(zoom).toBe(0.62)
    expect(box.element().scrollWidth).toBeGreaterThan(box.element().clientWidth)
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(innerWidth)
  })

  it("makes a high one smaller to be seen whole", async () => {
    const many = Array.from({ length: 12 }, (_, at) => node(`n${at}`))
    const { zoom } = await preview(
      1200,
      [node("root"), ...many],
      many.map(({ uuid }) => edge(uuid, "root")),
    )
    await expect.poll(zoom).toBeLessThan(1)
    expect(zoom()).toBeGreaterThanOrEqual(0.7)
  })

  it("lets one choose by pointer and by keys, where there is something to choose for", async () => {
    const onChoose = vi.fn()
    const { card } = await preview(1000, undefined, undefined, onChoose)
    await card("b").click()
    card("c").element().focus()
    await userEvent.keyboard("{Enter}")
    expect(onChoose.mock.calls).toEqual([["b"], ["c"]])
  })

  it("is only to look at otherwise", async () => {
    const { card, screen } = await preview(1000)
    await expect.element(card("a")).toBeDisabled()
    await expect.element(screen.getByRole("group", { name: "The plan" })).toHaveAttribute("tabindex", "0")
  })

  it("shows nothing but its frame for an empty plan", async () => {
    const { box } = await preview(600, [], [])
    await expect.element(box).toBeInTheDocument()
    expect(box.element().querySelectorAll("li")).toHaveLength(0)
  })
})
