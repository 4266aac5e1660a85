import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { standInForClaude } from "../../test/installed-package.ts"
import { openStage, type Stage } from "./stage.ts"
import { PATIENCE, signIn, visit, type Visit } from "./visitor.ts"

/** What the command line itself is made of, and what a stand-in for an agent program needs; nothing of ours. */
const TOOLS = ["sh", "cat", "sed", "git", "npm", "npx"]
const STRESS = process.env["CHORUS_STRESS"] === "1"

let machine: TemporaryDirectory
let home: string

/** A machine that has Node, npm and Claude Code, and has never heard of us. */
beforeEach(() => {
  machine = temporaryDirectory("chorus-stranger-")
  home = join(machine.path, "home")
  const bin = join(machine.path, "bin")
  for (const folder of [home, bin, join(home, ".claude"), join(machine.path, "code")]) mkdirSync(folder)
  symlinkSync(process.execPath, join(bin, "node"))
  for (const name of TOOLS) symlinkSync(found(name), join(bin, name))
  standInForClaude(bin)
  return () => machine.remove()
})

function found(name: string): string {
  const folder = (process.env["PATH"] ?? "").split(delimiter).find((each) => existsSync(join(each, name)))
  return realpathSync(join(folder ?? "", name))
}

function run(line: string, variables: NodeJS.ProcessEnv = {}): Promise<{ code: number; stdout: string; said: string }> {
  const env = {
    PATH: join(machine.path, "bin"),
    HOME: home,
    // Whatever is fetched comes from the server itself.
    npm_config_registry: "http://127.0.0.1:9",
    ...variables,
  }
  const place = { cwd: join(machine.path, "code"), env, timeout: PATIENCE }
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", line], place, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, said: stdout + stderr }),
    )
  })
}

describe.each([
  ["the address it is started with", "127.0.0.1", true],
  // Each further program would fetch the same package from it again.
  ["the address that colleagues have", "127.0.0.2", STRESS],
])("the command that the welcome page prints, at %s", (_, host, whole) => {
  let stage: Stage
  let visitor: Visit

  beforeAll(async () => {
    stage = await openStage({ start: ["--host", host] })
    visitor = await visit(stage)
    await signIn(visitor.page, stage.signIn)
  })
  afterAll(() => stage.close())

  async function printedFor(program: "Claude Code" | "OpenCode", name: string): Promise<string> {
    const { page, say } = visitor
    await page.goto(`${stage.url}/welcome`)
    // One that waits for its first session is gone on with; here there is to be another.
    const again = page.getByRole("button", { name: say("welcome.again") })
    await page.getByLabel(say("welcome.agentName")).or(again).waitFor()
    if (await again.isVisible()) await again.click()
    await page.getByLabel(say("welcome.agentName")).fill(name)
    await page.getByRole("button", { name: say("welcome.create") }).click()
    await page.getByRole("radio", { name: program }).click()
    return page.getByLabel(say("welcome.command1", { program })).innerText()
  }

  async function lineForClaude(): Promise<string> {
    const line = await printedFor("Claude Code", "Stranger")
    expect(line).toMatch(
      new RegExp(`^npx -y --allow-remote=root http://${host}:\\d+/chorus-[0-9a-f]{8}.tgz connect claude `),
    )
    return line
  }

  it.skipIf(whole)("names a package that is there", async () => {
    const [address = ""] = /http:\S+/.exec(await lineForClaude()) ?? []
    expect((await fetch(address)).status).toBe(200)
  })

  it.runIf(whole)("runs as it stands, is seen on the page and leaves a command that needs no PATH", async () => {
    const line = await lineForClaude()
    const connected = await run(line)
    expect(connected, connected.said).toMatchObject({ code: 0 })
    expect(connected.stdout).toContain("the server knows it as Stranger")
    await visitor.page.getByText(visitor.say("welcome.waitingSession", { name: "Stranger" })).waitFor()
    await visitor.page.getByLabel(visitor.say("welcome.command2", { program: "Claude Code" })).waitFor()

    const kept = join(home, ".chorus", "program")
    const known = readFileSync(join(home, ".claude", "plugins", "known_marketplaces.json"), "utf8")
    expect(known).toContain(`"${kept}"`)
    rmSync(join(home, ".npm"), { recursive: true })
    expect(readdirSync(home).toSorted()).toEqual([".cache", ".chorus", ".claude"])
    const command = join(home, ".chorus", "bin", "chorus")
    expect(connected.stdout).toContain(command)
    expect(await run(`${command} status --json`, { PATH: "/nowhere" })).toMatchObject({ code: 0, stdout: "[]\n" })
    const gone = await run(`${command} uninstall`)
    expect(gone, gone.said).toMatchObject({ code: 0 })
    expect(existsSync(join(home, ".chorus"))).toBe(false)
  })

  it.runIf(whole)("points what other programs load at files that stay", async () => {
    const connected = await run(await printedFor("OpenCode", "Other"))
    expect(connected, connected.said).toMatchObject({ code: 0 })
    const plugin = readFileSync(join(home, ".config", "opencode", "plugin", "chorus.js"), "utf8")
    const all = [...plugin.matchAll(/"(?:file:\/\/)?(\/[^"]+)"/g)].map(([, path = ""]) => path)
    // Where it tells the listener is no program.
    const named = all.filter((path) => !path.endsWith(".sock"))
    expect(named.length).toBeGreaterThan(1)
    for (const path of named) {
      expect(dirname(path)).toContain(join(home, ".chorus", "program"))
      expect(existsSync(path), path).toBe(true)
    }
  })

  it.runIf(whole)("is the one that the pages for signing in and for runs print too", async () => {
    const stranger = await visit(stage)
    await stranger.page.goto(stage.url)
    const line = await stranger.page.locator("code").innerText()
    const printed = await run(line, { CHORUS_DATA: stage.data })
    expect(printed.stdout, printed.said).toMatch(/http:\S+\/sign-in#\S+/)
    await stranger.page.goto(/http:\S+\/sign-in#\S+/.exec(printed.stdout)?.[0] ?? "")
    await stranger.page.getByRole("button", { name: stranger.say("nav.account") }).waitFor()

    // As from another machine: at the server's own there is a button instead.
    await stranger.context.setExtraHTTPHeaders({ "x-forwarded-for": "203.0.113.7" })
    await stranger.page.goto(`${stage.url}/runs`)
    const allow = await stranger.page.getByLabel(stranger.say("runs.allowCommand")).innerText()
    const allowed = await run(`git init -q && ${allow}`, { CHORUS_DATA: stage.data })
    expect(allowed, allowed.said).toMatchObject({ code: 0 })
    await stranger.page.getByRole("heading", { name: stranger.say("runs.machines") }).waitFor()
    await stranger.context.close()
  })
})
