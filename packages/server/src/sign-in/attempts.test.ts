import { join } from "node:path"
import { openSqliteStore, type Store } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { beginAttempt, type Counted, forgetAttempts, giveBack, tooManyAttempts } from "./attempts.ts"

const MINUTE = 60_000
const directory = temporaryDirectory()
let store: Store
beforeAll(async () => {
  store = await openSqliteStore(join(directory.path, "chorus.sqlite"))
})
afterAll(async () => {
  await store.close()
  await directory.remove()
})

let counters = 0
/** A counter that nobody else uses, and what it says at a time. */
function counting(most: number, windowMs = 15 * MINUTE) {
  const limit = { counter: `c${++counters}`, most, windowMs }
  const of = (key: string): Counted => [limit, key]
  return {
    of,
    begin: (key: string, at: number) => beginAttempt(store, [of(key)], new Date(at)),
    wait: async (key: string, at: number) => (await beginAttempt(store, [of(key)], new Date(at))).waitMs,
  }
}

describe("attempts", () => {
  it("go through up to the limit, then are told how long to wait", async () => {
    const { wait } = counting(3)
    for (const at of [0, 1000, 2000]) expect(await wait("ada", at)).toBe(0)
    expect(await wait("ada", 3000)).toBe(15 * MINUTE - 3000)
    expect(await wait("bob", 3000)).toBe(0)
  })

  it("go through again as the window slides, one by one", async () => {
    const { wait } = counting(2, MINUTE)
    await wait("ada", 0)
    await wait("ada", 30_000)
    expect(await wait("ada", MINUTE + 1)).toBe(0)
    expect(await wait("ada", MINUTE + 2)).toBe(30_000 - 2)
  })

  it("that succeeded do not count", async () => {
    const { begin } = counting(1)
    for (let at = 0; at < 5; at++) {
      const attempt = await begin("ada", at)
      expect(attempt.waitMs).toBe(0)
      await store.write(({ db }) => giveBack(db, attempt))
    }
  })

  it("are forgotten when told to", async () => {
    const { of, wait } = counting(1)
    await wait("ada", 0)
    await store.write(({ db }) => forgetAttempts(db, of("ada")))
    expect(await wait("ada", 1)).toBe(0)
  })

  it("count against each of several limits, and no more of them get through at once than one by one", async () => {
    const [place, account] = [counting(10), counting(3)]
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => beginAttempt(store, [place.of("here"), account.of("ada")], new Date(n))),
    )
    expect(all.filter(({ waitMs }) => waitMs === 0)).toHaveLength(3)
  })

  it("that are refused write nothing", async () => {
    const { wait } = counting(1)
    const rows = async () => (await store.db.selectFrom("signInAttempts").select("uuid").execute()).length
    await wait("ada", 0)
    const before = await rows()
    for (let at = 1; at < 20; at++) await wait("ada", at)
    expect(await rows()).toBe(before)
  })

  it("are refused with the time to wait, at least a second", () => {
    expect(tooManyAttempts(90_500)).toMatchObject({
      code: "too_many_attempts",
      status: 429,
      details: { retryAfterSeconds: 91 },
    })
    expect(tooManyAttempts(1)).toMatchObject({ details: { retryAfterSeconds: 1 } })
  })
})
