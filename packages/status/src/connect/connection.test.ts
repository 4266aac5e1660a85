import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { codexConnection, type ConnectionStep, openCodeConnection } from "./connection.ts"

const board = { url: "http://127.0.0.1:8637/api/mcp", keyVariable: "CHORUS_API_KEY" }

it("Codex is connected by its own command, the key by its variable's name", () => {
  const [command] = codexConnection(board, { HOME: "/h" })
  expect(command).toEqual({
    kind: "command",
    connect: ["codex", "mcp", "add", "chorus", "--url", board.url, "--bearer-token-env-var", "CHORUS_API_KEY"],
    disconnect: ["codex", "mcp", "remove", "chorus"],
  })
})

it("OpenCode's configuration gains one entry and loses it again", () => {
  const file = fileStep(openCodeConnection(board, { HOME: "/h" })[0])
  expect(file.path).toBe("/h/.config/opencode/opencode.json")
  const theirs = { theme: "dark", mcp: { mine: { type: "local" } } }
  const connected = JSON.parse(file.connect(JSON.stringify(theirs))) as typeof theirs
  expect(connected).toEqual({
    ...theirs,
    mcp: {
      ...theirs.mcp,
      chorus: {
        type: "remote",
        url: board.url,
        enabled: true,
        oauth: false,
        headers: { Authorization: "Bearer {env:CHORUS_API_KEY}" },
      },
    },
  })
  expect(JSON.parse(file.disconnect(JSON.stringify(connected)) ?? "")).toEqual(theirs)
  expect(JSON.parse(file.disconnect(file.connect(undefined)) ?? "")).toEqual({})
  expect(() => file.connect("{ // a comment\n}")).toThrow(/not plain JSON/)
})

it.each([
  ["codex", codexConnection(board, { CODEX_HOME: "/c" })[1], "/c/AGENTS.md"],
  ["opencode", openCodeConnection(board, { XDG_CONFIG_HOME: "/x" })[1], "/x/opencode/AGENTS.md"],
])("the instructions for %s stand beside the person's, once, and go without a trace", (_agent, step, path) => {
  const file = fileStep(step)
  expect(file.path).toBe(path)
  const theirs = "# Mine\n\nBe kind.\n"
  const twice = file.connect(file.connect(theirs))
  expect(twice.match(/chorus_checkin/g)).toHaveLength(1)
  expect(twice.startsWith(theirs)).toBe(true)
  expect(file.disconnect(twice)).toBe(theirs)
  expect(file.disconnect(file.connect(undefined))).toBeUndefined()
})

it("OpenCode gets a plugin that does nothing once Chorus is gone", async () => {
  const plugin = fileStep(openCodeConnection(board, { HOME: "/h" })[2])
  expect(plugin.path).toBe("/h/.config/opencode/plugin/chorus.js")
  expect(plugin.connect(undefined)).toContain('"url":"http://127.0.0.1:8637"')
  await using folder = temporaryDirectory("plugin-")
  const orphan = join(folder.path, "chorus.mjs")
  writeFileSync(orphan, plugin.connect(undefined).replace(/import\("[^"]+"\)/g, 'import("file:///gone.js")'))
  const parts = Object.values((await import(orphan)) as Record<string, (input: object) => Promise<object>>)
  expect(await Promise.all(parts.map((part) => part({})))).toEqual([{}, {}])
  expect(plugin.disconnect(plugin.connect(undefined))).toBeUndefined()
})

it("Codex's hooks stand behind the person's, each of ours trusted by its place, and go without a trace", async () => {
  await using folder = temporaryDirectory("codex-")
  const home = join(folder.path, ".codex")
  mkdirSync(home)
  const [, , trust, hooks] = codexConnection(board, { CODEX_HOME: home }).map((step) =>
    step.kind === "file" ? step : undefined,
  )
  const theirHooks = {
    note: "mine",
    hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }], PreCompact: [] },
  }
  const theirConfig = 'model = "x"\n\n[features]\nhooks = true\n'
  writeFileSync(join(home, "hooks.json"), JSON.stringify(theirHooks))
  writeFileSync(join(home, "config.toml"), theirConfig)
  const run = (way: "connect" | "disconnect") => {
    for (const step of [trust, hooks])
      writeFileSync(step?.path ?? "", step?.[way](readFileSync(step.path, "utf8")) ?? "")
  }
  run("connect")
  const connected = [readFileSync(join(home, "hooks.json"), "utf8"), readFileSync(join(home, "config.toml"), "utf8")]
  run("connect")
  expect([readFileSync(join(home, "hooks.json"), "utf8"), readFileSync(join(home, "config.toml"), "utf8")]).toEqual(
    connected,
  )
  expect(connected[1]).toContain(theirConfig)
  expect(connected[1]).toContain(`[hooks.state."${home}/hooks.json:stop:1:0"]\ntrusted_hash = "sha256:`)
  expect(connected[1]).not.toContain(":stop:0:0")
  expect(connected[1]?.match(/trusted_hash/g)).toHaveLength(8)
  run("disconnect")
  expect(readFileSync(join(home, "config.toml"), "utf8")).toBe(theirConfig)
  expect(JSON.parse(readFileSync(join(home, "hooks.json"), "utf8"))).toEqual({
    note: "mine",
    hooks: { Stop: theirHooks.hooks.Stop },
  })
  expect(() => trust?.connect("hooks = { state = {} }\n")).toThrow(/form that is not changed here/)
  writeFileSync(join(home, "hooks.json"), "[]")
  expect(() => run("connect")).toThrow(/not a file of hooks/)
})

function fileStep(step: ConnectionStep | undefined) {
  if (step?.kind !== "file") throw new Error("not a file")
  return step
}
