import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { showRouted } from "../../test/stage.tsx"
import { Secret } from "./Secret.tsx"

const shown = () => showRouted(<Secret value="cho_secret" label="Key" />)

// The button says so for a moment only, and a moment passes quickly on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("something to be copied", () => {
  it("is shown whole, reached with the keyboard, and copied with a click that says so", async () => {
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue()
    const { screen } = await shown()
    await expect.element(screen.getByLabelText("Key")).toHaveTextContent("cho_secret")
    await expect.element(screen.getByLabelText("Key")).toHaveAttribute("tabindex", "0")
    await screen.getByRole("button", { name: "Copy" }).click()
    await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible()
    expect(write).toHaveBeenCalledWith("cho_secret")
    vi.advanceTimersByTime(2000)
    await expect.element(screen.getByRole("button", { name: "Copy", exact: true })).toBeVisible()
  })

  it("is copied the old way where the browser offers no clipboard: over plain http", async () => {
    vi.spyOn(navigator, "clipboard", "get").mockReturnValue(undefined as never)
    const taken: string[] = []
    const take = (event: ClipboardEvent) => taken.push(event.clipboardData?.getData("text/plain") ?? "")
    document.addEventListener("copy", take)
    const { screen } = await shown()
    await screen.getByRole("button", { name: "Copy" }).click()
    await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible()
    document.removeEventListener("copy", take)
    expect(taken).toEqual(["cho_secret"])
  })

  it("says what to do where nothing can be copied", async () => {
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("no", "NotAllowedError"))
    vi.spyOn(document, "execCommand").mockReturnValue(false)
    const { screen } = await shown()
    await screen.getByRole("button", { name: "Copy" }).click()
    await expect.element(screen.getByText("This could not be copied. Select it and copy it by hand.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Copy", exact: true })).toBeVisible()
  })
})
