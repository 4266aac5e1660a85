import { expect, it } from "vitest"
import { ownLine } from "./forebears.ts"

it("a process knows all that are above it", () => {
  const line = ownLine()
  expect(line[0]?.pid).toBe(process.pid)
  expect(line[1]?.pid).toBe(process.ppid)
  expect(line.at(-1)?.pid).toBe(1)
})
