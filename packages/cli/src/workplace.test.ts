import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { holdDirectory } from "@chorus/server"
import { afterEach, describe, expect, it, vi } from "vitest"
import { scratchFolder } from "../test/command-line.ts"
import { scriptedServer } from "../test/scripted-server.ts"
import { inWorkplace } from "./workplace.ts"

const scratch = scratchFolder()
const isFree = (data: string) => () => holdDirectory(data).release()

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe("the workplace", () => {
  it("is the data where no server runs, for one piece of work at a time, and has no address", async () => {
    const data = join(scratch, "own")
    const seen = await inWorkplace({ data }, async ({ call, url }) => {
      expect(isFree(data)).toThrow(expect.objectContaining({ code: "data_in_use" }))
      return { url, name: (await call("chorus_whoami", {})).name }
    })
    expect(seen).toEqual({ url: undefined, name: "Owner" })
    expect(isFree(data)).not.toThrow()
  })

  it("lets the data go when the work fails", async () => {
    const data = join(scratch, "failing")
    await expect(inWorkplace({ data }, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
    expect(isFree(data)).not.toThrow()
  })

  it("lets the data go when it cannot be opened", async () => {
    const data = join(scratch, "damaged")
    isFree(data)()
    writeFileSync(join(data, "chorus.sqlite"), "not a database".repeat(1000))
    await expect(inWorkplace({ data }, async () => undefined)).rejects.toThrow()
    expect(isFree(data)).not.toThrow()
  })

  it("is the server that runs, by the token it left", async () => {
    const data = join(scratch, "served")
    const held = holdDirectory(data)
    held.announce({ pid: process.pid, url: "http://chorus.test", startedAt: "", engine: "sqlite", token: "chl_token" })
    const authorizations: unknown[] = []
    const { fetch } = scriptedServer({ chorus_whoami: () => ({ name: "Owner" }) })
    vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
      authorizations.push(new Headers(init.headers).get("authorization"))
      return fetch(address, init)
    })
    expect(await inWorkplace({ data }, async ({ call, url }) => [url, (await call("chorus_whoami", {})).name])).toEqual(
      ["http://chorus.test", "Owner"],
    )
    expect(authorizations).toEqual(["Bearer chl_token"])
    held.release()
  })

  it("is none for a key whose server is not named, and no data is made here", async () => {
    const data = join(scratch, "unaddressed")
    await expect(inWorkplace({ data, key: "cho_k" }, async () => undefined)).rejects.toMatchObject({
      code: "no_address",
      next: expect.stringContaining("--url"),
    })
    expect(existsSync(data)).toBe(false)
  })

  it("is a server elsewhere when one is named, and no data is made here", async () => {
    const { fetch, calls } = scriptedServer({ chorus_whoami: () => ({ name: "bob" }) })
    vi.stubGlobal("fetch", fetch)
    const data = join(scratch, "untouched")
    expect(
      await inWorkplace({ data, url: "http://chorus.test/", key: "cho_k" }, ({ call }) => call("chorus_whoami", {})),
    ).toEqual({ name: "bob" })
    expect(calls).toHaveLength(1)
    expect(isFree(join(data))).not.toThrow()
  })

  it("waits for a server that has not said yet where it listens", async () => {
    const data = join(scratch, "starting")
    const held = holdDirectory(data)
    vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: () => ({ name: "Owner" }) }).fetch)
    const working = inWorkplace({ data }, async ({ url }) => url)
    held.announce({ pid: process.pid, url: "http://chorus.test", startedAt: "", engine: "sqlite", token: "t" })
    expect(await working).toBe("http://chorus.test")
    held.release()
  })

  it("waits for another command that is at work, and then works itself", async () => {
    const data = join(scratch, "busy")
    const order: string[] = []
    const first = inWorkplace({ data }, async ({ call }) => {
      await call("chorus_whoami", {})
      order.push("first")
    })
    await Promise.all([first, inWorkplace({ data }, async () => void order.push("second"))])
    expect(order).toEqual(["first", "second"])
  })

  it("gives up on a holder that says nothing, naming it", async () => {
    vi.useFakeTimers()
    const data = join(scratch, "stuck")
    const held = holdDirectory(data)
    const refused = expect(inWorkplace({ data }, async () => undefined)).rejects.toMatchObject({
      code: "data_in_use",
      details: { pid: process.pid },
    })
    await vi.advanceTimersByTimeAsync(11_000)
    await refused
    held.release()
  })
})
