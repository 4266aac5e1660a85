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

test("leaves who takes long to answer as long in peace", async () => {
  let [busy, asked] = [0, 0]
  const probe = async () => {
    const began = performance.now()
    await new Promise((answer) => setTimeout(answer, 20))
    busy += performance.now() - began
    return ++asked === 4
  }
  const began = performance.now()
  await waitFor(probe, 60_000, "the fourth", 1)
  expect(performance.now() - began).toBeGreaterThan(busy * 1.5)
})

test("names what it waited for and keeps the last failure", async () => {
  const failed = waitFor(() => Promise.reject(new Error("refused")), 30, "the port")
  await expect(failed).rejects.toThrow("Waited 30 ms for the port.")
  await expect(failed).rejects.toMatchObject({ cause: { message: "refused" } })
})

test("asks once more when the time is over before it gives up, and asks at least once", async () => {
  let asked = 0
  await expect(waitFor(() => void asked++, 0)).rejects.toThrow("Waited 0 ms for a condition.")
  expect(asked).toBe(1)
  expect(await waitFor(() => "at once", 0)).toBe("at once")
})

test.each([[0], [""], [false], [null], [undefined]])("does not take %j for an answer", async (nothing) => {
  await expect(waitFor(() => nothing, 1, "something", 1)).rejects.toThrow("Waited 1 ms for something.")
})

test("says what it waited for as it was in the end", async () => {
  let seen = 0
  await expect(
    waitFor(
      () => (++seen, false),
      5,
      () => `more than ${seen}`,
      1,
    ),
  ).rejects.toThrow(/^Waited 5 ms for more than [1-9]/)
})

test("has no cause when the last look went well and saw nothing", async () => {
  let asked = 0
  const failed = waitFor(
    () => {
      if (asked++ === 0) throw new Error("too early")
      return false
    },
    10,
    "it",
    1,
  )
  await expect(failed).rejects.not.toHaveProperty("cause")
})
