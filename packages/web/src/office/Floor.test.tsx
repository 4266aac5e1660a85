import { afterEach, describe, expect, it, vi } from "vitest"
import { present } from "../../test/present.ts"
import { showRouted } from "../../test/stage.tsx"
import { Floor } from "./Floor.tsx"
import { CELL_WIDTH, SCALE } from "./scene.ts"
import type { Occupant } from "./SeatLabel.tsx"

const people = (count: number): Occupant[] =>
  Array.from({ length: count }, (_, at) => ({
    session: present(`s${at}`, { state: "running" }),
    agent: { uuid: "ada", name: "Ada" },
    task: undefined,
  }))

async function room(count: number, width: number) {
  const { screen } = await showRouted(
    <div style={{ width }}>
      <Floor people={people(count)} joyful={new Set()} />
    </div>,
  )
  await expect
    .poll(() => document.querySelector("canvas")?.width)
    .toBe(Math.floor(width / (CELL_WIDTH * SCALE)) * CELL_WIDTH)
  const canvas = document.querySelector("canvas") ?? document.createElement("canvas")
  return { screen, canvas, picture: () => canvas.toDataURL() }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  delete document.documentElement.dataset["theme"]
})

describe("the floor", () => {
  it("is as wide as there is room, and grows down for more people", async () => {
    const { canvas } = await room(5, 300)
    expect(canvas.width / CELL_WIDTH).toBe(2)
    expect(canvas.height).toBeGreaterThan(3 * 46)
    expect(document.querySelectorAll("li")).toHaveLength(5)
  })

  it("leads from anywhere on a seat to the task it names", async () => {
    const [first] = people(1)
    const task = { uuid: "t1", shortId: "HALL-7", projectUuid: "p1", title: "Lay the wire", wasInSession: true }
    const session = present("s0", { state: "running", lastWords: "Measured it.\n\nNow I cut the wire." })
    const at = first === undefined ? [] : [{ ...first, session, task }]
    const { router, screen } = await showRouted(
      <div style={{ width: 300 }}>
        <Floor people={at} joyful={new Set()} />
      </div>,
    )
    const seat = screen.getByRole("listitem")
    await expect.element(seat.getByText("HALL-7 · Now I cut the wire.")).toBeVisible()
    await seat.click({ position: { x: 20, y: 12 } })
    await expect.poll(() => router.state.location.pathname).toBe("/projects/p1/tasks/t1")
  })

  it("moves while somebody looks, and stands still while nobody does", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const { picture } = await room(2, 600)
    const first = picture()
    vi.advanceTimersByTime(125)
    expect(picture()).not.toBe(first)
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden")
    document.dispatchEvent(new Event("visibilitychange"))
    const left = picture()
    vi.advanceTimersByTime(2000)
    expect(picture()).toBe(left)
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible")
    document.dispatchEvent(new Event("visibilitychange"))
    vi.advanceTimersByTime(125)
    expect(picture()).not.toBe(left)
  })

  it("is painted anew when the lights go out", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const { picture } = await room(1, 300)
    const light = picture()
    document.documentElement.dataset["theme"] = "dark"
    await expect.poll(picture).not.toBe(light)
  })

  it("names everybody in words, who has no task without a link", async () => {
    const { screen } = await room(1, 300)
    await expect.element(screen.getByText("Ada, Working")).toBeInTheDocument()
    await expect.element(screen.getByRole("link")).not.toBeInTheDocument()
  })
})
