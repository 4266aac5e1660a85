import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunnerPolicy } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders } from "../../test/command-line.ts"
import { scriptedServer } from "../../test/scripted-server.ts"

const folder = scratchFolders()
let home: string
let shop: string

beforeEach(() => {
  home = folder()
  shop = join(home, "shop")
  mkdirSync(shop, { recursive: true })
  execFileSync("git", ["init", "-q", shop])
})
afterEach(() => void vi.unstubAllGlobals())

const data = () => ["--data", join(home, "data")]
const folders = (...args: string[]) =>
  chorusHereJson<RunnerPolicy>(["runner", ...args, ...data()]).then((policy) => policy.folders)

describe("what a machine allows", () => {
  it("is taken back by the folder's name, also when the folder itself has gone", async () => {
    expect(await folders("allow", shop)).toEqual([{ path: shop }])
    expect(await folders("disallow", shop)).toEqual([])
    await folders("allow", shop)
    rmSync(shop, { recursive: true })
    expect(await folders("disallow", shop)).toEqual([])
    expect(await refusalOf(["runner", "disallow", shop, ...data()])).toMatchObject({ code: "folder_unknown" })
  })

  it("is taken back with its programs, one by one or with the last folder", async () => {
    const commands = (...args: string[]) =>
      chorusHereJson<RunnerPolicy>(["runner", ...args, ...data()]).then((policy) => policy.commands)
    expect(await commands("allow", shop, "--command", "agent --acp", "other")).toEqual(["agent --acp", "other"])
    expect(await commands("disallow", shop, "--command", "other")).toEqual(["agent --acp"])
    expect(await refusalOf(["runner", "disallow", shop, "--command", "other", ...data()])).toMatchObject({
      code: "command_unknown",
    })
    expect(await commands("disallow", shop)).toEqual([])
    expect(await commands("allow", shop)).toEqual([])
  })

  it("names only projects that there are, as far as a server can be asked", async () => {
    vi.stubGlobal(
      "fetch",
      scriptedServer({ chorus_list_projects: () => ({ projects: [{ name: "Shop" }], total: 1 }) }).fetch,
    )
    const at = ["--url", "http://chorus.test", "--key", "cho_k"]
    expect(await refusalOf(["runner", "allow", shop, "--project", "Nope", ...at, ...data()])).toMatchObject({
      code: "project_unknown",
      next: "Name one of these: Shop.",
    })
    expect(await folders("allow", shop, "--project", "Shop", ...at)).toEqual([{ path: shop, project: "Shop" }])
    const alone = await chorusHere(["runner", "allow", shop, "--project", "Later", ...data()])
    expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining("nobody knows yet") })
  })
})

describe("fetching what a program needs", () => {
  const setUp = (path: string) =>
    refusalOf(["runner", "setup", "claude"], { env: { PATH: path, CHORUS_CACHE: join(home, "cache") } })

  it("says that npm is missing", async () => {
    expect(await setUp(join(home, "nothing"))).toMatchObject({ code: "no_npm" })
  })

  it("says in a line what npm said in a page", async () => {
    mkdirSync(join(home, "bin"))
    const said = "npm error code E404\nnpm error 404 Not Found - GET http://registry.test/x\nnpm error A complete log"
    writeFileSync(join(home, "bin", "npm"), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 })
    const refused = await setUp(`${join(home, "bin")}:/usr/bin:/bin`)
    expect(refused).toMatchObject({ code: "fetch_failed", next: expect.stringContaining("npm ping") })
    expect(refused.message).toBe(
      "npm could not fetch @agentclientprotocol/claude-agent-acp@0.99.1: 404 Not Found - GET http://registry.test/x",
    )
  })
})
