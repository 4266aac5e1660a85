import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { unrefPipe } from "./last-will.ts"

describe("a pipe that does not keep the process", () => {
  test("is let go where it can be", () => {
    let released = 0
    unrefPipe({ unref: () => released++ })
    expect(released).toBe(1)
  })

  test.each([[null], [{}], [{ unref: true }], [new PassThrough()]])("may be one that cannot be let go", (pipe) => {
    expect(() => unrefPipe(pipe)).not.toThrow()
  })
})
