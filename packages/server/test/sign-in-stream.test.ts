import { get } from "node:http"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

/** Between two questions whether the reader may still listen; the server, which runs in this process, lets them pass at once. */
const KEEP_ALIVE_MS = 15_000
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

describe("an event stream that a browser holds open", () => {
  it("outlives the replacing of its cookie, and ends soon after the person was signed out", async () => {
    await using directory = temporaryDirectory()
    const chorus = await startServer({ dataDirectory: directory.path, port: 0 })
    const owner = new Browser(chorus)
    await owner.open(chorus.firstSignIn ?? "")
    let text = ""
    let ended = false
    get(
      `${chorus.url}/api/events`,
      { headers: { cookie: `chorus_session=${owner.cookies.get("chorus_session")}` } },
      (response) => {
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("close", () => (ended = true))
      },
    )
    await waitFor(() => text.includes(": connected"))

    const old = new Date(Date.now() - 2 * 3_600_000).toISOString()
    await chorus.store.write(({ db }) => db.updateTable("signIns").set({ rotatedAt: old, lastUsedAt: old }).execute())
    const before = owner.cookies.get("chorus_session")
    await owner.call("chorus_get_me")
    expect(owner.cookies.get("chorus_session")).not.toBe(before)
    await chorus.store.write(({ db }) => db.updateTable("signIns").set({ rotatedAt: old }).execute())
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
    await waitFor(() => text.includes(": alive"))

    await owner.call("chorus_end_sign_ins")
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
    await waitFor(() => ended)
    await chorus.close()
  })
})
