import { expect, it } from "vitest"
import { Bell } from "./bell.ts"

it("is heard by everybody who waits, by the next one when nobody did, and given away to be rung", async () => {
  const bell = new Bell()
  const { ring } = bell
  const both = Promise.all([bell.heard(), bell.heard(60_000)])
  ring()
  await both
  ring()
  await bell.heard()
})

it("is waited for no longer than was said", async () => {
  await expect(new Bell().heard(1)).resolves.toBeUndefined()
})
