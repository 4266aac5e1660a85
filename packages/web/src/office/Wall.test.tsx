import { describe, expect, it, vi } from "vitest"
import { present } from "../../test/present.ts"
import { showRouted } from "../../test/stage.tsx"
import type { PresentSession } from "../agents/presence.ts"
import type { Occupant } from "./SeatLabel.tsx"
import { Wall } from "./Wall.tsx"

const somebody = (name: string, more: Partial<PresentSession>): Occupant => ({
  session: present(name, more),
  agent: { uuid: name, name },
  task: undefined,
})

describe("the wall of the office", () => {
  it("has a door for each machine, and at the coffee machine those who wait, first come first", async () => {
    const onMachine = vi.fn()
    const people = [
      somebody("Bea", { state: "needsInput", stateSince: "2026-01-02T00:00:00.000Z", machine: "mill" }),
      somebody("Ada", { state: "needsInput", stateSince: "2026-01-01T00:00:00.000Z", machine: "mill" }),
      somebody("Cyd", { state: "running", machine: "forge" }),
      somebody("Dan", { state: "running", machine: null }),
    ]
    const { screen, router } = await showRouted(<Wall people={people} machine="forge" onMachine={onMachine} />)
    await screen.getByRole("button", { name: /^mill/ }).click()
    expect(onMachine).toHaveBeenCalledWith("mill")
    await expect.element(screen.getByRole("button", { name: /^forge/ })).toHaveAttribute("aria-pressed", "true")
    await screen.getByRole("button", { name: /^forge/ }).click()
    expect(onMachine).toHaveBeenLastCalledWith(undefined)
    const queue = screen.getByRole("link", { name: /2 wait for you/ })
    const hues = [...queue.element().querySelectorAll("[data-hue]")].map((face) => face.getAttribute("title"))
    expect(hues).toEqual(["Ada", "Bea"])
    await queue.click()
    await expect.poll(() => router.state.location.pathname).toBe("/")
  })
})
