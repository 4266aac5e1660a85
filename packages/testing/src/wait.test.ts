import { expect, test } from "vitest"
import { waitFor } from "./wait.ts"

test("gives the first truthy answer", async () => {
  let asked = 0
  expect(await waitFor(() => (++asked === 3 ? "third" : undefined))).toBe("third")
})

test("takes a probe that throws as not yet", async () => {
  let asked = 0
  const answer = await waitFor(() => {
    if (++asked < 2) throw new Error("too early")
    return asked
  })
  expect(answer).toBe(2)
})

test("names what it waited for and keeps the last failure", async () => {
  const failed = waitFor(() => Promise.reject(new Error("refused")), 30, "the port")
  await expect(failed).rejects.toThrow("Waited 30 ms for the port.")
  await expect(failed).rejects.toMatchObject({ cause: { message: "refused" } })
})
