import { afterEach, describe, expect, it, vi } from "vitest"
import { openPage, show } from "../../test/stage.tsx"
import { CrashPage } from "./CrashPage.tsx"
import { startStaleCheck } from "./stale-page.ts"
import { startStyleNonce } from "./style-nonce.ts"

const realCreate = document.createElement.bind(document)
afterEach(() => {
  document.createElement = realCreate as typeof document.createElement
  document.querySelector("meta[property=csp-nonce]")?.remove()
  sessionStorage.clear()
  vi.useRealTimers()
})

function giveNonce(nonce: string) {
  const meta = document.createElement("meta")
  meta.setAttribute("property", "csp-nonce")
  meta.nonce = nonce
  document.head.append(meta)
}

describe("style elements of our own", () => {
  it("carry the nonce of this answer, and nothing else does", () => {
    giveNonce("n-1")
    startStyleNonce()
    expect(document.createElement("style").nonce).toBe("n-1")
    expect(document.createElement("STYLE").nonce).toBe("n-1")
    expect(document.createElement("script").nonce).toBe("")
  })

  it("are made as ever where the answer has none", () => {
    const before = document.createElement
    startStyleNonce()
    expect(document.createElement).toBe(before)
    expect(document.createElement("style").nonce).toBe("")
  })
})

describe("a page that is older than its server", () => {
  it("is not loaded anew twice within half a minute: then the fault is another one", () => {
    // As if it had been loaded anew ten seconds ago, so that nothing here really is.
    sessionStorage.setItem("chorus.reloadedAt", String(Date.now() - 10_000))
    startStaleCheck()
    const missing = new Event("vite:preloadError", { cancelable: true })
    dispatchEvent(missing)
    expect(missing.defaultPrevented).toBe(false)
  })
})

describe("a page that could not be drawn", () => {
  it("says why, and is tried again on request", async () => {
    const reset = vi.fn()
    const screen = await show(<CrashPage error={new Error("A wire is loose")} reset={reset} />)
    await expect.element(screen.getByRole("main").getByText("A wire is loose")).toBeVisible()
    await screen.getByRole("button", { name: "Try again" }).click()
    expect(reset).toHaveBeenCalledOnce()
  })
})

describe("whoever has the page before them", () => {
  it("is known to be there, again when the page comes back into sight, and not while it is hidden", async () => {
    const told = () =>
      performance.getEntriesByType("resource").filter(({ name }) => name.includes("chorus_note_page_in_view")).length
    const before = told()
    const { screen } = await openPage("/projects")
    await expect.element(screen.getByRole("main")).toBeVisible()
    await expect.poll(told).toBe(before + 1)
    document.dispatchEvent(new Event("visibilitychange"))
    await expect.poll(told).toBe(before + 2)
    const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden")
    document.dispatchEvent(new Event("visibilitychange"))
    hidden.mockRestore()
    document.dispatchEvent(new Event("visibilitychange"))
    await expect.poll(told).toBe(before + 3)
  })
})
