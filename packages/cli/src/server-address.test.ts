import { join } from "node:path"
import { holdDirectory } from "@chorus/server/data-directory"
import { afterEach, describe, expect, it, vi } from "vitest"
import { chorusHere, chorusHereJson, scratchFolders } from "../test/command-line.ts"
import { scriptedServer } from "../test/scripted-server.ts"

const folder = scratchFolders()

/** The folder of a server that listens elsewhere than one that was told nothing. */
function servedFolder() {
  const data = join(folder(), "data")
  const held = holdDirectory(data)
  held.announce({ pid: process.pid, url: "http://127.0.0.1:7811", startedAt: "", engine: "sqlite", token: "t" })
  return { env: { CHORUS_DATA: data }, leave: () => held.release() }
}

afterEach(() => vi.unstubAllGlobals())

describe("the address for any MCP client", () => {
  it("is that of the server which runs on this data, in `chorus connect`", async () => {
    const { env, leave } = servedFolder()
    const { stdout, stderr } = await chorusHere(["connect"], { env })
    expect(stdout + stderr).toContain("Any MCP client: http://127.0.0.1:7811/api/mcp?tools=lean ")
    leave()
  })

  it("is where one will listen while none runs", async () => {
    const { stdout } = await chorusHere(["connect", "--help"], { env: { CHORUS_DATA: folder() } })
    expect(stdout).toContain("Any MCP client: http://127.0.0.1:8637/api/mcp?tools=lean ")
  })

  it("comes with the key of an agent that is added", async () => {
    const { env, leave } = servedFolder()
    const { fetch } = scriptedServer({
      chorus_create_agent: () => ({ uuid: crypto.randomUUID(), name: "bob", presets: ["developer"], permissions: [] }),
      chorus_create_key: () => ({ uuid: crypto.randomUUID(), key: "cho_k", expiresAt: null }),
    })
    vi.stubGlobal("fetch", fetch)
    const { stdout } = await chorusHere(["agent", "add", "bob"], { env })
    expect(stdout).toMatch(/^mcp {3}http:\/\/127\.0\.0\.1:7811\/api\/mcp\?tools=lean$/m)
    expect(await chorusHereJson(["agent", "add", "bob"], { env })).toMatchObject({
      mcp: "http://127.0.0.1:7811/api/mcp?tools=lean",
    })
    leave()
  })

  it("is where `chorus mcp` asks when it is told no other", async () => {
    const { env, leave } = servedFolder()
    const asked: string[] = []
    vi.stubGlobal("fetch", async (address: URL) => {
      asked.push(String(address))
      return Response.json({ result: { tools: [] } })
    })
    expect(await chorusHere(["mcp", "list"], { env })).toMatchObject({ code: 0 })
    expect(asked).toEqual(["http://127.0.0.1:7811/api/mcp"])
    leave()
  })
})
