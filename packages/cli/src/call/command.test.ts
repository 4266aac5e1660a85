import { expect, test } from "vitest"
import { fullName } from "./command.ts"

test("an operation is found with and without its prefix, and a name nobody knows stays as it is", () => {
  expect(fullName("chorus_whoami")).toBe("chorus_whoami")
  expect(fullName("whoami")).toBe("chorus_whoami")
  expect(fullName("make_coffee")).toBe("make_coffee")
})
