import { onTestFinished, vi } from "vitest"

export interface Line {
  /** What is sent from now on waits. */
  hold(): void
  /** What waited goes on, and what comes goes through. */
  release(): void
  /** What is sent from now on fails as without a network. */
  cut(): void
}

/** The line from the page to the server; taken before the page is shown, as the page keeps hold of it. */
export function takeLine(): Line {
  let held = Promise.withResolvers<void>()
  let state: "open" | "held" | "cut" = "open"
  const real = globalThis.fetch
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (...call) => {
    if (state === "held") await held.promise
    if (state === "cut") throw new TypeError("Failed to fetch")
    return real(...call)
  })
  const release = () => {
    state = "open"
    held.resolve()
    held = Promise.withResolvers()
  }
  onTestFinished(() => {
    release()
    spy.mockRestore()
  })
  return {
    hold: () => {
      state = "held"
    },
    release,
    cut: () => {
      state = "cut"
    },
  }
}
