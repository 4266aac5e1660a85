import { spawn } from "node:child_process"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { agentProgram, scratchHome } from "@chorus/testing"
import {
  addMarketplace,
  bindClaudeCode,
  installPlugin,
  loadPlugins,
  networkPolicy,
  pluginContext,
} from "@chorus/plugins"
import { market, plugin, yes } from "./workbench.ts"

const FORCED = { enabledPlugins: { "bell@bells": true } }
const RULES: readonly (readonly [managed: object, project?: object])[] = [
  [{}],
  [{ strictPluginOnlyCustomization: true }],
  [{ strictPluginOnlyCustomization: ["agents"] }],
  [{ strictPluginOnlyCustomization: [] }],
  [{ disableAllHooks: true, ...FORCED }],
  [{ allowManagedHooksOnly: true, ...FORCED }],
  [FORCED, { disableAllHooks: true }],
  [{}, { disableAllHooks: true }],
  [{ enabledPlugins: { "bell@bells": false, "mine@skills-dir": false } }],
  [{ strictKnownMarketplaces: [] }],
  [{ deniedPlugins: ["bell"] }],
  [{ allowedPlugins: ["bell"] }],
]

// The administrator's files lie where only a machine's owner may write: Claude Code sees ours there in a view of its
// own.
const IN_VIEW =
  'mount --make-rprivate / && mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1,workdir=$2" /etc && shift 2 && exec "$@"'

test("Claude Code runs the hooks that we say run, under every rule", { timeout: RULES.length * 60_000 }, async () => {
  await using home = scratchHome()
  const program = await agentProgram("claude-code")
  const upper = join(home.path, "etc")
  const managedSettings = join(upper, "claude-code/managed-settings.json")
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(content))
  }
  const marks = { "bell@bells": join(home.path, "rang"), "mine@skills-dir": join(home.path, "mine-ran") }
  const put = (folder: string, name: string, mark: string) => {
    write(join(folder, ".claude-plugin/plugin.json"), plugin(name))
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${mark}` }] }] }
    write(join(folder, "hooks/hooks.json"), { hooks })
  }
  put(join(home.path, "bells/bell"), "bell", marks["bell@bells"])
  put(join(home.path, ".claude/skills/mine"), "mine", marks["mine@skills-dir"])
  write(join(home.path, "bells/.claude-plugin/marketplace.json"), market("bells", [{ name: "bell", source: "./bell" }]))
  const env = { ...home.environment, CHORUS_MANAGED_SETTINGS: managedSettings }
  const context = pluginContext({ env, project: home.project, network: networkPolicy({}) })
  await addMarketplace(context, { source: "directory", path: join(home.path, "bells") }, "user")
  await installPlugin(context, { plugin: "bell@bells", scope: "user", ask: yes })

  const session = () => {
    const view = [IN_VIEW, "sh", upper, join(home.path, "work"), program, "-p", "hello"]
    const child = spawn("unshare", ["-rm", "sh", "-c", ...view], {
      cwd: home.project,
      env: { ...home.environment, CLAUDE_CODE_MAX_RETRIES: "0" },
      stdio: ["ignore", "ignore", "pipe"],
    })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
    return new Promise<string>((resolve) => child.once("close", () => resolve(said)))
  }
  const different: string[] = []
  for (const [managed, project = {}] of RULES) {
    for (const gone of [upper, join(home.path, "work"), ...Object.values(marks)])
      rmSync(gone, { recursive: true, force: true })
    mkdirSync(join(home.path, "work"))
    write(managedSettings, managed)
    write(join(home.project, ".claude/settings.json"), project)
    await bindClaudeCode(context, () => true)
    const said = await session()
    expect(said).not.toContain("mount:")
    const theirs = Object.entries(marks).flatMap(([id, mark]) => (existsSync(mark) ? [id] : []))
    const { plugins } = await loadPlugins(context)
    const ours = plugins.flatMap(({ id, loads, inventory }) => (loads && inventory?.hooks.length === 1 ? [id] : []))
    const verdict = `${JSON.stringify([managed, project])}: Claude Code ${theirs.join()}; ours ${ours.join()}`
    console.log(verdict)
    if (theirs.join() !== ours.join()) different.push(verdict)
  }
  expect(different).toEqual([])
})
