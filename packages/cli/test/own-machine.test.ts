import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { FolderOutlook, RunnerPolicy } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser } from "../../server/test/browser.ts"
import { type RunningChorus, startChorus } from "./chorus-process.ts"

const home = temporaryDirectory("own-machine-").path
const [data, shop, bin] = ["data", "shop", "bin"].map((name) => join(home, name)) as [string, string, string]
const adapter = "@agentclientprotocol/claude-agent-acp@0.99.1"
let server: RunningChorus
let owner: Browser

beforeAll(async () => {
  for (const folder of [shop, bin]) mkdirSync(folder)
  execFileSync("git", ["init", "-q", shop])
  writeFileSync(join(bin, "claude"), "#!/bin/sh\necho 2.1.325\n", { mode: 0o755 })
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$@" >>${home}/npm.log\n`, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env["PATH"]}`, INIT_CWD: shop, CHORUS_CACHE: join(home, "cache"), HOME: home }
  server = await startChorus(["--data", data], env)
  owner = new Browser(server)
  await owner.open(server.signIn ?? "")
})
afterAll(() => server.end())

const policy = () => JSON.parse(readFileSync(join(data, "runner", "policy.json"), "utf8")) as RunnerPolicy
const local = () => createClient({ url: server.url, key: runningServer(data)?.token ?? "" })
const look = async (folder: string) =>
  (await owner.post("/api/machine/look", { folder })).body as unknown as FolderOutlook

describe("what the server's own machine allows", () => {
  it("is for nobody to change but the owner, signed in there", async () => {
    const { policy: shown } = await look(shop)
    const wish = { folder: shop, shown }
    const { uuid: agentUuid } = await local().call("chorus_create_agent", { name: "Dev", presets: ["admin"] })
    const { key } = await local().call("chorus_create_key", { agentUuid: agentUuid as never })
    const { signInPath } = await local().call("chorus_invite_member", {
      name: "Ada",
      email: "ada@chorus.example",
      role: "admin",
    })
    const admin = new Browser(server)
    await admin.open(signInPath)
    const post = (headers: Record<string, string>, by = new Browser(server)) =>
      by.post("/api/machine/allow", wish, headers)
    expect(await post({})).toMatchObject({ status: 403, code: "not_at_the_machine" })
    expect((await post({ authorization: `Bearer ${key}` })).code).toBe("not_at_the_machine")
    expect((await post({}, admin)).code).toBe("not_at_the_machine")
    for (const name of ["x-forwarded-for", "forwarded", "x-real-ip"])
      expect((await post({ [name]: "192.0.2.7" }, owner)).code).toBe("not_at_the_machine")
    // The command has its own way, which an agent's process is refused.
    const token = await fetch(`${server.url}/api/machine/allow`, {
      method: "POST",
      headers: { authorization: `Bearer ${runningServer(data)?.token}`, "content-type": "application/json" },
      body: JSON.stringify(wish),
    })
    expect(token.status).toBe(403)
    expect((await admin.post("/api/machine")).body).toEqual({ machine: null })
    expect(policy).toThrow("ENOENT")
  })

  it("is shown first, becomes what was shown, and is taken back", async () => {
    expect((await owner.post("/api/machine")).body).toMatchObject({ machine: { suggested: shop } })
    expect(await owner.post("/api/machine/look", { folder: "shop" })).toMatchObject({ code: "folder_refused" })
    expect(await owner.post("/api/machine/look", { folder: home })).toMatchObject({ code: "no_repository" })
    const { path, policy: shown, adapters } = await look(shop)
    expect([path, shown.folders, shown.mode, adapters]).toEqual([
      shop,
      [{ path: shop }],
      "edit",
      [{ program: "claude", adapter }],
    ])
    const wider = { ...shown, mode: "all" }
    expect((await owner.post("/api/machine/allow", { folder: shop, shown: wider })).code).toBe("policy_changed")
    expect(policy).toThrow("ENOENT")
    const fetch = [adapter, "left-pad"]
    expect((await owner.post("/api/machine/allow", { folder: "~/shop", shown, fetch })).body).toEqual({ allowed: true })
    expect(policy()).toEqual(shown)
    const fetched = readFileSync(join(home, "npm.log"), "utf8")
    expect([fetched.includes(adapter), fetched.includes("left-pad")]).toEqual([true, false])
    const here = async () => (await local().call("chorus_list_runners", {})).runners[0]?.folders
    await waitFor(async () => (await here())?.[0]?.path === shop, 60_000, "its runner to ask for work", 200)
    const further = { folder: shop, checks: true, land: true }
    expect((await owner.post("/api/machine/allow", { ...further, shown })).code).toBe("policy_changed")
    const { body } = await owner.post("/api/machine/look", further)
    const { policy: more } = body as unknown as FolderOutlook
    expect(more).toEqual({ ...shown, checks: true, land: true })
    await owner.post("/api/machine/allow", { ...further, shown: more })
    expect(policy()).toEqual(more)
    expect((await owner.post("/api/machine/disallow", { folder: shop })).body).toEqual({ allowed: false })
    expect(policy().folders).toEqual([])
  })
})
