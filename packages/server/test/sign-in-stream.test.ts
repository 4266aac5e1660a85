import { get } from "node:http"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type ChorusServer, startServer } from "../src/index.ts"
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

    // From here on the keep-alive stands still: the word of the log ends the stream.
    await owner.call("chorus_end_sign_ins")
    await waitFor(() => ended)
    await chorus.close()
  })
})

/** The keep-alive stands still here, so only the word of the log can end a stream. */
describe("an event stream that an agent holds open ends at once, and does not come back with more,", () => {
  it.each([
    ["its key is revoked", (owner: Browser, { keyUuid }: Mia) => owner.call("chorus_revoke_key", { keyUuid })],
    [
      "it is confined to other projects",
      (owner: Browser, { agentUuid, projectUuid }: Mia) =>
        owner.call("chorus_update_agent", { agentUuid, projectUuids: [projectUuid] }),
    ],
    [
      "its person is disabled",
      (owner: Browser, { userUuid }: Mia) => owner.call("chorus_update_member", { userUuid, disabled: true }),
    ],
  ])("when %s", async (_, takeAway) => {
    await using directory = temporaryDirectory()
    const chorus = await startServer({ dataDirectory: directory.path, port: 0 })
    const owner = new Browser(chorus)
    await owner.open(chorus.firstSignIn ?? "")
    const mia = await miaAndHerAgent(chorus, owner)
    let text = ""
    const headers = { authorization: `Bearer ${mia.key}` }
    const ended = new Promise<void>((close) =>
      get(`${chorus.url}/api/events`, { headers }, (response) => {
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("close", close)
      }),
    )
    await waitFor(() => text.includes(": connected"))
    expect((await takeAway(owner, mia)).status).toBe(200)
    await ended
    await chorus.close()
  })
})

interface Mia {
  readonly userUuid: string
  readonly agentUuid: string
  readonly keyUuid: string
  readonly key: string
  readonly projectUuid: string
}

async function miaAndHerAgent(chorus: ChorusServer, owner: Browser): Promise<Mia> {
  const project = await owner.call("chorus_admin_create_project", { name: "Another" })
  const invited = await owner.call("chorus_invite_member", { name: "Mia" })
  const mia = new Browser(chorus)
  await mia.open(String(invited.body["signInPath"]))
  const agent = await mia.call("chorus_create_agent", { name: "Agent", presets: ["pm"] })
  const made = await mia.call("chorus_create_key", { agentUuid: agent.body["uuid"] })
  return {
    userUuid: (invited.body["member"] as { uuid: string }).uuid,
    agentUuid: String(agent.body["uuid"]),
    keyUuid: String(made.body["uuid"]),
    key: String(made.body["key"]),
    projectUuid: String(project.body["uuid"]),
  }
}
