import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { agentProgram, temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { chorus, startChorus } from "./chorus-process.ts"

it.each(["opencode", "codex"] as const)(
  "connects %s with its own key, and leaves no trace when removed",
  async (program) => {
    const home = temporaryDirectory()
    const data = join(home.path, "data")
    const config =
      program === "codex"
        ? join(home.path, ".codex", "config.toml")
        : join(home.path, ".config", "opencode", "opencode.json")
    const env = {
      HOME: home.path,
      CODEX_HOME: join(home.path, ".codex"),
      PATH: `${dirname(await agentProgram(program))}:${process.env["PATH"]}`,
    }
    mkdirSync(dirname(config), { recursive: true })
    if (program === "opencode") writeFileSync(config, JSON.stringify({ theme: "dark" }))
    const server = await startChorus(["--data", data])

    const { code, stdout, stderr } = await chorus(["connect", program, "--data", data, "--json"], env)
    expect(code, stderr).toBe(0)
    const { key } = JSON.parse(stdout) as { key: string }
    expect(readFileSync(config, "utf8")).toContain(`${server.url}/api/mcp`)
    expect(readFileSync(config, "utf8")).not.toContain(key)
    const answer = await fetch(`${server.url}/api/v1/chorus_whoami`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await answer.json()).toMatchObject({ type: "agent", permissions: expect.arrayContaining(["task:write"]) })

    // With an agent's key, as the page shows it, that agent is connected; it could not make another.
    const given = await chorus(["connect", program, "--url", server.url, "--key", key, "--json"], env)
    expect(given.code, given.stderr).toBe(0)
    expect(JSON.parse(given.stdout)).toMatchObject({ connected: true, key })

    expect((await chorus(["connect", program, "--data", data, "--remove"], env)).code).toBe(0)
    expect(existsSync(config) ? readFileSync(config, "utf8") : "").not.toContain("chorus")
    if (program === "opencode") expect(JSON.parse(readFileSync(config, "utf8"))).toEqual({ theme: "dark" })
    await server.end()
    await home.remove()
  },
)
