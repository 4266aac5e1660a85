import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { createClient } from "@chorus/client"
import type { machines } from "@chorus/contracts"
import { addMarketplace, installPlugin, pluginContext } from "@chorus/plugins"
import { startServer } from "@chorus/server"
import { startStatusService } from "@chorus/status"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { startCompanion } from "../src/companion/companion.ts"

const HOOKS = { hooks: { PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "./lint.sh" }] }] } }

it("tells what the machine has and is offered, with what each plugin runs, and what the check at start found", async () => {
  const home = temporaryDirectory().path
  const market = join(home, "market")
  const manifest = (name: string, version: string) => ({
    name,
    version,
    description: `${name} things`,
    author: { name: "A" },
  })
  commit(market, {
    ".claude-plugin/marketplace.json": {
      name: "tools",
      owner: { name: "O" },
      plugins: [
        { name: "lint", source: "./lint" },
        { name: "words", source: "./words" },
        { name: "far", source: { source: "github", repo: "acme/far" } },
      ],
    },
    "lint/.claude-plugin/plugin.json": manifest("lint", "1.0.0"),
    "lint/hooks/hooks.json": HOOKS,
    "words/.claude-plugin/plugin.json": manifest("words", "3.0.0"),
  })
  const context = () =>
    pluginContext({ env: { PATH: process.env["PATH"], HOME: home, CHORUS_SECRETS: "file" }, project: home })
  await addMarketplace(context(), { source: "git", url: `file://${market}` }, "user")
  await installPlugin(context(), { plugin: "lint@tools", scope: "user", ask: () => true })
  commit(market, { "lint/.claude-plugin/plugin.json": manifest("lint", "2.0.0"), "later.txt": "x" })
  const settings = join(home, ".claude/settings.json")
  write(settings, {
    enabledPlugins: { "lint@tools": true },
    extraKnownMarketplaces: { tools: { source: { source: "git", url: `file://${market}` }, autoUpdate: true } },
  })

  const socketPath = join(home, "status.sock")
  const server = await startServer({ dataDirectory: temporaryDirectory().path, port: 0 })
  const service = await startStatusService({ socketPath, home: socketPath })
  const owner = await server.store.db
    .selectFrom("users")
    .selectAll()
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  const person = async <T>(name: string, input: object = {}) =>
    (await server.registry.execute(name, input, { actor, requestId: "test" })) as T
  const agent = await person<{ uuid: string }>("chorus_create_agent", { name: "laptop agent" })
  const { key } = await person<{ key: string }>("chorus_create_key", { agentUuid: agent.uuid })
  // Tomorrow, so that the catalogue is old enough to be fetched again.
  const tomorrow = () => ({ ...context(), now: () => new Date(Date.now() + 30 * 3_600_000) })
  const companion = startCompanion({
    client: createClient({ url: server.url, key }),
    machine: "laptop",
    socketPath,
    data: home,
    claudeDirectory: join(home, "claude"),
    plugins: tomorrow,
  })
  try {
    const known = async () => (await person<{ plugins: machines.KnownPlugin[] }>("chorus_browse_plugins")).plugins
    const machine = async () => (await person<{ machines: machines.MachineRow[] }>("chorus_list_machines")).machines[0]
    const updated = await waitFor(
      async () => (await machine())?.inventory?.plugins.find(({ update }) => update !== undefined),
      60_000,
    )
    expect(updated).toMatchObject({
      id: "lint@tools",
      version: "1.0.0",
      update: "2.0.0",
      surface: [{ kind: "hook", where: "PostToolUse(Edit)", does: "./lint.sh" }],
    })
    expect((await machine())?.inventory?.offers).toBeUndefined()
    expect(
      (await known()).map(({ id, version, installedOn, offeredOn }) => [
        id,
        version,
        installedOn.length,
        offeredOn.length,
      ]),
    ).toEqual([
      ["far@tools", undefined, 0, 1],
      ["lint@tools", "2.0.0", 0, 1],
      ["lint@tools", "1.0.0", 1, 0],
      ["words@tools", "3.0.0", 0, 1],
    ])
    expect((await known()).map(({ surface }) => surface?.length)).toEqual([undefined, 1, 1, 0])
  } finally {
    await companion.close()
    await service.close()
    await server.close()
  }
})

function commit(folder: string, files: Record<string, unknown>): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.invalid", ...args], {
      env: { PATH: process.env["PATH"], HOME: folder },
    })
  for (const [name, content] of Object.entries(files)) write(join(folder, name), content)
  git("init", "-q")
  git("add", "-A")
  git("commit", "-q", "-m", "change")
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(content))
}
