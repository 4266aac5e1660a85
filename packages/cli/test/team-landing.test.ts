import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { livenessOf } from "@chorus/disk"
import { createClient } from "@chorus/client"
import type { OutputOf, teamRoom } from "@chorus/contracts"
import { startServer } from "@chorus/server"
import { hostOf, openTeam } from "@chorus/teams"
import { agentProgram, CHORUS_MAIN, drive, scratchHome, startModel, temporaryDirectory, waitFor } from "@chorus/testing"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startCompanion } from "../src/companion/companion.ts"
import { chorus } from "./chorus-process.ts"

const PATIENCE = 60_000
const cleanups: (() => unknown)[] = []
let home: string
let repository: string
let env: NodeJS.ProcessEnv

beforeEach(async () => {
  home = realpathSync(temporaryDirectory().path)
  repository = join(home, "garden")
  env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude") }
  mkdirSync(repository)
  git("init", "-q", "-b", "main")
  git("config", "user.name", "Ada")
  git("config", "user.email", "ada@example.com")
  writeFileSync(join(repository, "bed.txt"), "earth\n")
  git("add", ".")
  git("commit", "-q", "-m", "Ground")
  await json("create", "garden", "--worktrees")
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim()
const team = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => chorus(["team", ...args], { ...env, ...more })

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const [command = "", ...more] = args
  const { stdout, stderr } = await team(command === "tasks" ? [...args, "--json"] : [command, "--json", ...more])
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout) as T
}

const members = async () => (await json<{ members: { name: string; state?: string }[] }[]>("status"))[0]?.members ?? []

/** A member that does what it is told by a shell, in its own checkout, until that is committed. */
async function member(name: string, command: string): Promise<{ branch: string; path: string }> {
  await json("tasks", "add", `The work of ${name}`)
  const words = ["spawn", name, "--program", "command", "--prompt", "Begin.", "--cwd", repository, "--"]
  const script = `cat > /dev/null; ${command}; git add -A; git commit -q -m "${name}"; echo done`
  const spawned = await json<{ worktree: { branch: string; path: string } }>(...words, "/bin/sh", "-c", script)
  cleanups.push(() => team(["shutdown", name, "--kill", "--timeout", "5"]))
  const { branch } = spawned.worktree
  await waitFor(() => git("rev-list", "--count", `main..${branch}`) === "1", PATIENCE, `${name} to commit`)
  const [task] = (await json<{ id: string; subject: string }[]>("tasks")).filter(({ subject }) =>
    subject.endsWith(name),
  )
  await json("claim", task?.id ?? "", "--as", name)
  await json("tasks", "set", task?.id ?? "", "--status", "completed")
  return spawned.worktree
}

describe("chorus team land", () => {
  it("brings a member's commits into the branch it began from, looked at first, and once; also after it left", async () => {
    const { branch, path } = await member("rose", "echo roses > rose.txt")
    const before = git("rev-parse", "main")
    git("switch", "-q", "-c", "elsewhere")
    expect(await json("land", "rose", "--preview")).toMatchObject({ state: "clean", branch: "main" })
    expect(git("rev-parse", "main")).toBe(before)
    const [head = "", where, next] = (await team(["land", "rose"])).stdout.split("\n")
    const landed = /^landed as (\w{12}) in main$/.exec(head)?.[1] ?? ""
    expect(where).toBe(`${branch} is in main of ${repository}`)
    expect(next).toBe(`next  git -C ${repository} show --stat ${landed}`)
    expect(git("rev-parse", "main")).toMatch(new RegExp(`^${landed}`))
    expect(git("show", "main:rose.txt")).toBe("roses")
    expect(git("log", "-1", "--format=%B", "main")).toMatch(
      /^rose: The work of rose\n\nChorus-Member: rose@garden\nChorus-Landing: [\w-]+$/,
    )
    expect(git("rev-parse", "main^2")).toBe(git("rev-parse", branch))
    const looked = await team(["land", "rose", "--preview"])
    expect([looked.code, looked.stdout]).toEqual([0, "nothing to land\nEverything in it is in main already.\n"])
    expect((await team(["land", "rose"])).stdout).toBe("nothing to land\nEverything in it is in main already.\n")

    // What a sandbox kept it from committing.
    writeFileSync(join(path, "seed.txt"), "seeds\n")
    const dirty = await team(["land", "rose"])
    expect([dirty.code, dirty.stderr]).toEqual([
      1,
      expect.stringMatching(/not committed: seed\.txt[^]*Ask rose to commit/),
    ])
    await waitFor(
      async () => (await members()).some(({ name, state }) => name === "rose" && state === "idle"),
      PATIENCE,
    )
    expect(await json("land", "rose", "--commit")).toMatchObject({ state: "landed", branch: "main" })
    expect([git("show", "main:seed.txt"), git("log", "-1", "--format=%s", branch)]).toEqual([
      "seeds",
      "The work of rose",
    ])

    // Once all of it is merged, nothing of it lies about when the member leaves.
    const { told } = await json<{ told: string }>("shutdown", "rose")
    expect([told, git("branch", "--list", branch)]).toEqual([
      `All of its work is in main, so its branch ${branch} has gone as well.`,
      "",
    ])

    git("switch", "-q", "main")
    git("config", "branch.main.remote", "origin")
    const tulip = await member("tulip", "echo tulips > tulip.txt")
    expect(await json("shutdown", "tulip")).toMatchObject({ ended: true })
    const squashed = await team(["land", "tulip", "--how", "squash"])
    expect(squashed.stdout).toMatch(
      /^landed as \w{12} in main\n.*, not pushed yet\nnext {2}git -C \S+ push origin main\n$/,
    )
    expect(readFileSync(join(repository, "tulip.txt"), "utf8")).toBe("tulips\n")
    expect(git("branch", "--list", tulip.branch)).toBe("")
    const again = await team(["land", "tulip"])
    expect([again.code, again.stdout]).toEqual([0, "nothing to land\nEverything in it is in main already.\n"])
    expect(git("status", "--porcelain")).toBe("")
    expect(git("rev-list", "--count", "--min-parents=2", "main")).toBe("2")
  })

  it("leaves nothing behind without a word: what conflicts, and who may not", async () => {
    const { path } = await member("rose", "echo roses > bed.txt")
    for (const refused of ["rose", "../evil", "team-lead"])
      expect(
        (await team(["spawn", "--program", "command", "--prompt", "x", "--cwd", repository, "--", refused, "true"]))
          .code,
      ).toBe(1)
    expect(git("branch", "--list", "chorus/*").split("\n")).toHaveLength(1)
    expect(git("worktree", "list").split("\n")).toHaveLength(2)

    const asked = await team(["land", "rose", "--commit", "--preview"])
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/say_which/)])

    writeFileSync(join(repository, "bed.txt"), "stones\n")
    git("commit", "-q", "-a", "-m", "Stones")
    const before = git("rev-parse", "main")
    const conflicting = await team(["land", "rose"])
    expect([conflicting.code, conflicting.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^conflict\nrose's work conflicts with main \(\w{12}\) in bed\.txt\. Ask rose to merge main/,
      ),
    ])
    expect(git("rev-parse", "main")).toBe(before)

    // What lies in its checkout is the member's word: another repository in there is not believed, nor run.
    const inside = (...args: string[]) => execFileSync("git", args, { cwd: path })
    rmSync(join(path, ".git"))
    inside("init", "-q")
    inside("config", "filter.evil.clean", `touch ${join(home, "ran")}; cat`)
    writeFileSync(join(path, ".gitattributes"), "* filter=evil\n")
    for (const words of [[], ["--commit"]]) expect((await team(["land", "rose", ...words])).code).toBe(1)
    expect(existsSync(join(home, "ran"))).toBe(false)

    const own = await team(["land", "rose"], { CHORUS_TEAM_MODE: "bypassPermissions" })
    expect([own.code, own.stderr]).toEqual([1, expect.stringMatching(/not_your_name/)])
    expect((await team(["land", "team-lead"])).stderr).toMatch(/no_branch/)
  })
})

describe("the checkout of a member that has left", () => {
  const gone = async (name: string) => {
    const host = hostOf((await openTeam("garden", { root: join(home, "claude") })).paths, name)
    if (host === undefined) throw new Error(`${name} should run`)
    process.kill(host.pid, "SIGKILL")
    await waitFor(() => livenessOf(host) === "dead", PATIENCE, `${name} to be dead`)
  }

  it("goes with it, whichever command took it off the roster, and its branch too where all of that is merged", async () => {
    const rose = await member("rose", "echo roses > rose.txt")
    await json("land", "rose")
    await gone("rose")
    expect((await team(["doctor", "--repair"])).stdout).toMatch(
      /ghost ✔[^]*checkout ✔ +rose has left, and its checkout/,
    )
    expect([existsSync(rose.path), git("branch", "--list", rose.branch)]).toEqual([false, ""])
    expect((await team(["doctor"])).stdout).toContain("in order")

    const tulip = await member("tulip", "echo tulips > tulip.txt")
    await gone("tulip")
    expect(await json("leave", "--as", "tulip")).toMatchObject({
      left: true,
      told: expect.stringMatching(/land "tulip"/),
    })
    expect([existsSync(tulip.path), git("branch", "--list", tulip.branch)]).toEqual([false, `  ${tulip.branch}`.trim()])
  })

  it("stays where something in it would be lost, and is not forgotten with its team", async () => {
    const { path, branch } = await member("rose", "echo roses > rose.txt")
    writeFileSync(join(path, "seed.txt"), "seeds\n")
    await gone("rose")
    expect(await json("shutdown", "rose")).toMatchObject({ told: expect.stringMatching(/stays: It holds changes/) })
    const refused = await team(["delete", "garden"])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/checkout_stays/)])
    expect(refused.stderr).toContain(path)
    expect(await json("doctor")).toMatchObject([{ what: "checkout", where: path, repaired: false }])
    expect(await json("land", "rose", "--commit")).toMatchObject({ state: "landed" })
    expect([existsSync(path), git("branch", "--list", branch)]).toEqual([false, ""])
    const fern = await member("fern", "echo ferns > fern.txt")
    expect(await json("delete", "garden", "--force")).toEqual({
      deleted: "garden",
      left: [{ member: "fern", ...fern, repository, baseCommit: expect.any(String), onto: "main" }],
    })
  })
})

describe("a member that is started otherwise than by spawn", () => {
  interface Started {
    readonly name: string
    readonly hostedBy?: number
    readonly branch?: string
  }
  const started = (name: string) =>
    waitFor(
      async () =>
        (await json<{ members: Started[] }[]>("status"))[0]?.members.find((one) => one.name === name && one.hostedBy),
      PATIENCE,
      `${name} to run`,
    )

  /** What an agent that leads is given. */
  async function leadTools() {
    const bin = join(home, "bin")
    mkdirSync(bin)
    const codex = `#!/bin/sh\ncat >/dev/null\necho '{"type":"turn.completed"}'\n`
    writeFileSync(join(bin, "codex"), codex, { mode: 0o755 })
    const lead = new Client({ name: "test", version: "1" })
    await lead.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [CHORUS_MAIN, "team", "mcp", "--as", "team-lead"],
        env: { HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude"), PATH: `${bin}:${process.env["PATH"]}` },
        cwd: repository,
      }),
    )
    cleanups.push(() => lead.close())
    return lead
  }

  it("by an agent's tool is in a checkout of its own, is ended, and starts again", async () => {
    const lead = await leadTools()
    await lead.callTool({
      name: "Spawn",
      arguments: { name: "rose", prompt: "Begin.", program: "codex", mode: "bypassPermissions" },
    })
    cleanups.push(() => team(["shutdown", "rose", "--kill", "--timeout", "0"]))
    const { branch, hostedBy = 0 } = await started("rose")
    expect(branch).toMatch(/^chorus\/garden-rose-/)
    expect(git("worktree", "list")).toContain(branch)
    process.kill(hostedBy, "SIGKILL")
    await waitFor(async () => (await members()).some(({ state }) => state === "dead"), PATIENCE, "rose to be dead")
    expect((await team(["respawn", "rose"], { PATH: `${join(home, "bin")}:${process.env["PATH"]}` })).code).toBe(0)
    const again = await started("rose")
    expect(again.branch).toBe(branch)
    const host = hostOf((await openTeam("garden", { root: join(home, "claude") })).paths, "rose")
    if (host === undefined) throw new Error("rose should run")
    expect(await json("shutdown", "rose", "--kill", "--timeout", "0")).toMatchObject({ ended: true })
    expect(livenessOf(host)).toBe("dead")
  })

  it("by an agent's tool, and asked to go by another, leaves no checkout behind", async () => {
    const lead = await leadTools()
    const asks = (name: string, args: object) => lead.callTool({ name, arguments: { ...args } })
    await asks("Spawn", { name: "rose", prompt: "Begin.", program: "codex", mode: "bypassPermissions" })
    cleanups.push(() => team(["shutdown", "rose", "--kill", "--timeout", "0"]))
    const { branch = "" } = await started("rose")
    await asks("SendMessage", { type: "shutdown_request", recipient: "rose", content: "Done." })
    await waitFor(() => !git("worktree", "list").includes(branch), PATIENCE, "its checkout to go")
    await waitFor(() => git("branch", "--list", branch) === "", PATIENCE, "its branch to go")
  })

  it("by joining as one that an agent hosts is in a checkout of its own too", async () => {
    const words = ["join", "--as", "fern", "--host", "--program", "command", "--prompt", "x", "--", "/bin/cat"]
    const { stdout } = await chorus(["team", ...words.toSpliced(-2, 0, "--json")], env, repository)
    expect(JSON.parse(stdout)).toMatchObject({ name: "fern" })
    cleanups.push(() => team(["shutdown", "fern", "--kill", "--timeout", "0"]))
    expect((await started("fern")).branch).toMatch(/^chorus\/garden-fern-/)
  })
})

it("is where Claude Code writes without asking in the mode for that", { tags: ["stress"] }, async () => {
  await using model = await startModel(drive)
  await using own = scratchHome({ model })
  env = { ...own.environment, CLAUDE_CONFIG_DIR: undefined }
  repository = own.project
  git("commit", "-q", "--allow-empty", "-m", "Ground")
  await json("create", "beds", "--worktrees")
  const write = { name: "Write", input: { file_path: "bed.txt", content: "earth" } }
  const words = ["--mode", "acceptEdits", "--cwd", repository, "--prompt", `DO: ${JSON.stringify([[write]])}`]
  const { worktree } = await json<{ worktree: { path: string } }>(
    "spawn",
    "clover",
    ...words,
    await agentProgram("claude-code"),
  )
  cleanups.push(() => team(["shutdown", "clover", "--kill", "--timeout", "5"]))
  await waitFor(
    async () => (await members()).some(({ name, state }) => name === "clover" && state === "idle"),
    PATIENCE,
  )
  expect(await json("decide")).toEqual([])
  expect(readFileSync(join(worktree.path, "bed.txt"), "utf8")).toBe("earth")
})

it("is landed from the page where its machine allows it, once though the companion cannot say so, and failing is told", async () => {
  const server = await startServer({ dataDirectory: join(home, "server"), port: 0 })
  cleanups.push(() => server.close())
  const owner = await server.store.db
    .selectFrom("users")
    .selectAll()
    .where("role", "=", "owner")
    .executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  const person = async <T>(name: string, input: object = {}) =>
    (await server.registry.execute(name, input, { actor, requestId: "test" })) as T
  const { uuid: agentUuid } = await person<{ uuid: string }>("chorus_create_agent", { name: "desk" })
  const { key } = await person<{ key: string }>("chorus_create_key", { agentUuid })
  const client = createClient({ url: server.url, key })
  let deaf = false
  const call: typeof client.call = (name, ...more) =>
    deaf && name === "chorus_settle_delivery" ? Promise.reject(new Error("away")) : client.call(name, ...more)
  const start = () =>
    startCompanion({
      client: { ...client, call },
      machine: "desk",
      socketPath: join(home, "status.sock"),
      data: join(home, "data"),
      claudeDirectory: env["CLAUDE_CONFIG_DIR"],
    })
  let companion = start()
  cleanups.push(() => companion.close())

  const { branch } = await member("rose", "echo roses > rose.txt")
  type Listed = OutputOf<typeof teamRoom.listTeams>
  const { uuid: teamUuid } = await waitFor(
    async () =>
      (await person<Listed>("chorus_list_teams")).teams.find(({ members }) =>
        members.some((one) => one.branch === branch),
      ),
    PATIENCE,
    "rose and its branch on the board",
  )
  const room = () => person<OutputOf<typeof teamRoom.getTeam>>("chorus_get_team", { teamUuid })
  const land = async (name: string) => {
    const { orderUuid } = await person<{ orderUuid: string }>("chorus_land_member", { teamUuid, member: name })
    return () => room().then(({ orders }) => orders.find(({ uuid }) => uuid === orderUuid))
  }
  await expect(land("team-lead")).rejects.toMatchObject({ code: "no_branch" })

  const refused = await land("rose")
  await waitFor(async () => (await refused())?.error !== null, PATIENCE, "the machine to refuse")
  expect((await refused())?.error).toBe(`This machine lets nobody land work in ${repository} from the page.`)
  const { items } = await person<{ items: { kind: string; uuid: string }[] }>("chorus_needs_you")
  expect(items).toContainEqual(expect.objectContaining({ kind: "delivery", title: "rose: land" }))

  await chorus(["runner", "allow", repository, "--land", "--data", join(home, "data")], env)
  deaf = true
  const landed = await land("rose")
  await waitFor(() => git("rev-list", "--count", "--min-parents=2", "main") === "1", PATIENCE, "the merge")
  await companion.close()
  deaf = false
  companion = start()
  await waitFor(async () => (await landed())?.deliveredAt !== null, PATIENCE, "it to be said")
  expect(git("rev-list", "--count", "--min-parents=2", "main")).toBe("1")
  expect((await landed())?.next).toBe(`main ${git("rev-parse", "main").slice(0, 12)} · ${repository}`)
  expect(readFileSync(join(repository, "rose.txt"), "utf8")).toBe("roses\n")

  // Asked from here, it leaves as little behind as at a command.
  await person("chorus_ask_shutdown", { teamUuid, member: "rose" })
  await waitFor(() => git("branch", "--list", branch) === "", PATIENCE, "the branch to go with rose")
  expect(git("worktree", "list").split("\n")).toHaveLength(1)

  // Of a member that has left, the branch goes with the merge: a second time there is none, and the merge was made.
  const tulip = await member("tulip", "echo tulips > tulip.txt")
  const branchOf = async (name: string) => (await room()).members.find((one) => one.name === name)?.branch
  await waitFor(async () => (await branchOf("tulip")) === tulip.branch, PATIENCE, "tulip on the board")
  await json("shutdown", "tulip")
  deaf = true
  const landedLate = await land("tulip")
  await waitFor(() => git("branch", "--list", tulip.branch) === "", PATIENCE, "the merge of one that left")
  await companion.close()
  deaf = false
  companion = start()
  await waitFor(async () => (await landedLate())?.error ?? (await landedLate())?.deliveredAt, PATIENCE, "an answer")
  expect(await landedLate()).toMatchObject({
    error: null,
    next: `main ${git("rev-parse", "main").slice(0, 12)} · ${repository}`,
  })
  expect(git("rev-list", "--count", "--min-parents=2", "main")).toBe("2")
  await waitFor(async () => (await branchOf("tulip")) === null, PATIENCE, "no branch on the board any more")
  await expect(land("tulip")).rejects.toMatchObject({ code: "no_branch" })
})
