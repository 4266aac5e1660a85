import { ChorusError } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { isGone } from "./gone.ts"

describe("what is gone", () => {
  it.each([
    ["what the server does not know", new ChorusError("not_found", "There is no idea.", { status: 404 }), true],
    ["what may not be changed", new ChorusError("forbidden", "You may not.", { status: 403 }), false],
    ["what cannot be reached now", new ChorusError("server_unreachable", "Nothing answers.", { status: 503 }), false],
    ["a fault of our own", new TypeError("cannot read"), false],
    ["nothing", undefined, false],
  ])("is %s: %s", (_, error, is) => {
    expect(isGone(error)).toBe(is)
  })
})
