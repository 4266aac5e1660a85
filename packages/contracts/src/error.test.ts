import { describe, expect, it } from "vitest"
import { ChorusError } from "./error.ts"

describe("an error", () => {
  it("is the caller's fault where no status is given", () =>
    expect(new ChorusError("bad", "It is bad.").status).toBe(400))

  it("shows its code, what happened and what to do next", () => {
    const error = new ChorusError("already_claimed", "Bob has it.", {
      status: 409,
      next: "Take another.",
      details: { by: "Bob" },
    })
    expect(error.toBody()).toEqual({
      code: "already_claimed",
      message: "Bob has it.",
      next: "Take another.",
      details: { by: "Bob" },
    })
  })

  it("leaves out what it has nothing to say on", () => {
    expect(Object.keys(new ChorusError("bad", "It is bad.").toBody())).toEqual(["code", "message"])
    expect(Object.keys(new ChorusError("bad", "It is bad.", { next: undefined, details: undefined }).toBody())).toEqual(
      ["code", "message"],
    )
  })

  it("does not show its cause, which may hold more than callers should know", () => {
    const error = new ChorusError("store_unavailable", "No answer.", {
      status: 503,
      cause: new Error("password=hunter2"),
    })
    expect(error.cause).toMatchObject({ message: "password=hunter2" })
    expect(JSON.stringify(error.toBody())).not.toContain("hunter2")
  })

  it("has no cause where none is given", () => expect("cause" in new ChorusError("bad", "It is bad.")).toBe(false))

  it("is an Error by name, with a stack that leads here", () => {
    const error = new ChorusError("bad", "It is bad.")
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toBe("ChorusError: It is bad.")
    expect(error.stack).toContain("error.test.ts")
  })
})
