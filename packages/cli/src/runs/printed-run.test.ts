import { describe, expect, it } from "vitest"
import { entryPrinter, whyOf } from "./printed-run.ts"

const run = { uuid: "one", state: "waiting", reason: null, warning: null } as const
const ask = (kind: "permission" | "input", title: string, runUuid = "one") => ({ kind, title, detail: { runUuid } })

describe("why a run is in its state", () => {
  it("says what one that waits was asked for, whatever it is warned of beside that", () => {
    const asked = [ask("permission", "npm\ntest"), ask("input", "Left or right?"), ask("input", "Not mine.", "two")]
    expect(whyOf(run, asked)).toBe("permission: npm test; question: Left or right?")
    expect(whyOf({ ...run, reason: "Sign in." }, [ask("input", "PAINT the door")])).toBe("Sign in.")
    expect(whyOf({ ...run, warning: "Tells no cost." }, [ask("permission", "ls")])).toBe(
      "permission: ls Tells no cost.",
    )
    expect(whyOf({ ...run, state: "running", warning: "Silent." }, [])).toBe("Silent.")
    expect(whyOf({ ...run, state: "failed", reason: "Away." }, [])).toBe("Away.")
  })
})

describe("a run that is watched", () => {
  it("prints each entry on lines of its own, and goes on with a message that grows", () => {
    const said = { place: 1, turn: 1, child: null, title: null, text: null, status: null, data: {}, at: "" }
    const printed = entryPrinter()
    const shown = [
      { ...said, id: "a", kind: "message", text: "I be" } as const,
      { ...said, id: "a", kind: "message", text: "I begin." } as const,
      { ...said, id: "b", kind: "user", status: "steered", text: "Be shorter." } as const,
      { ...said, id: "c", kind: "tool", title: "ls", status: "completed" } as const,
      { ...said, id: "d", kind: "message", text: "Done." } as const,
    ].map(printed)
    expect(shown.join("")).toBe("I begin.\n[user, steered] Be shorter.\n[tool] ls completed\nDone.")
  })
})
