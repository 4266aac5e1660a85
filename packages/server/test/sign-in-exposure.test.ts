import { chmodSync } from "node:fs"
import { temporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { describe, expect, it } from "vitest"
import { startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

const refusal = expect.objectContaining({ code: "insecure_bind", next: expect.stringContaining("password") })

describe("listening beyond this machine", () => {
  it("is refused until somebody can prove who they are, and leaves nothing behind", async () => {
    await using directory = temporaryDirectory()
    const dataDirectory = directory.path
    chmodSync(dataDirectory, 0o755)
    for (const host of ["0.0.0.0", "::"])
      await expect(startServer({ dataDirectory, port: 0, host })).rejects.toThrow(refusal)

    const local = await startServer({ dataDirectory, port: 0 })
    expect(local.firstSignIn).toMatch(/\/sign-in#[\w-]{43}$/)
    const owner = new Browser(local)
    await owner.open(local.firstSignIn ?? "")
    await owner.call("chorus_update_me", { email: "owner@example.com" })
    await local.close()
    await expect(startServer({ dataDirectory, port: 0, host: "0.0.0.0" })).rejects.toThrow(refusal)

    const again = await startServer({ dataDirectory, port: 0 })
    expect(again.firstSignIn).toBeUndefined()
    const page = new Browser(again)
    page.cookies.set("chorus_sign_in", owner.cookies.get("chorus_sign_in") ?? "")
    expect((await page.post("/api/auth/password", { password: "a long enough password" })).status).toBe(200)
    await again.close()

    const open = await startServer({ dataDirectory, port: 0, host: "0.0.0.0" })
    expect((await fetch(open.url.replace("0.0.0.0", "127.0.0.1") + "/api/health")).status).toBe(200)
    await open.close()
  })

  it("is allowed where an OIDC provider is set", async () => {
    await using directory = temporaryDirectory()
    const open = await startServer({
      dataDirectory: directory.path,
      port: 0,
      host: "0.0.0.0",
      oidc: { issuer: "https://id.example.com", clientId: "chorus" },
    })
    await open.close()
  })
})

describe("the first start", () => {
  it("offers its link again until somebody has signed in", async () => {
    await using directory = temporaryDirectory()
    const first = await startServer({ dataDirectory: directory.path, port: 0 })
    await first.close()
    const second = await startServer({ dataDirectory: directory.path, port: 0 })
    expect(second.firstSignIn).toBeDefined()
    expect((await new Browser(second).open(second.firstSignIn ?? "")).status).toBe(200)
    await second.close()
  })

  it("makes one workspace and one owner when several servers start on an empty database at once", async () => {
    const database = await sharedDatabase()
    const directories = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()]
    const servers = await Promise.all(
      directories.map(({ path }) => startServer({ dataDirectory: path, port: 0, database })),
    )
    const [one] = servers
    expect(await one?.store.db.selectFrom("workspaces").selectAll().execute()).toHaveLength(1)
    expect(await one?.store.db.selectFrom("users").selectAll().execute()).toHaveLength(1)
    const outcomes = await Promise.all(
      servers.flatMap((server) => Array.from({ length: 10 }, () => new Browser(server).open(one?.firstSignIn ?? ""))),
    )
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const server of servers) await server.close()
    for (const directory of directories) await directory.remove()
  })
})
