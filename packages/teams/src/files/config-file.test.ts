import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { TeamConfig } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { codeOf, jsonIn, scratchFolder, scratchTeam } from "../../test/scratch-team.ts"
import { createTeam } from "../team.ts"
import {
  addMember,
  createConfig,
  patchMember,
  readConfig,
  removeMember,
  requireMember,
  updateConfig,
} from "./config-file.ts"
import { keepSnapshot, restoreFromSnapshot } from "./config-snapshot.ts"
import { teamPaths, type TeamPaths } from "./team-paths.ts"

const namesIn = async (paths: TeamPaths) => (await readConfig(paths)).members.map(({ name }) => name)

describe("a roster", () => {
  it("is made once; a second team of that name is refused and the first stays", async () => {
    const team = await scratchTeam(["bob"])
    const before = readFileSync(team.paths.config, "utf8")
    await expect(createTeam({ name: "t" }, { root: team.paths.root })).rejects.toMatchObject({
      code: "team_exists",
      status: 409,
      next: expect.stringContaining("another name") as unknown,
    })
    expect(readFileSync(team.paths.config, "utf8")).toBe(before)
  })

  it("is made by one of several that try at once", async () => {
    const root = scratchFolder()
    const tries = await Promise.allSettled(Array.from({ length: 4 }, () => createTeam({ name: "t" }, { root })))
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("of a team that is not there is named as gone", async () => {
    const paths = teamPaths(scratchFolder(), "nowhere")
    await expect(readConfig(paths)).rejects.toMatchObject({
      code: "team_gone",
      message: 'There is no team "nowhere" here (any more).',
      status: 404,
    })
    expect(existsSync(paths.directory)).toBe(false)
  })

  it.each(["null", "[]", "{}", '{"name":"t","createdAt":0,"leadAgentId":"x","members":[{"name":"nobody"}]}'])(
    "that says %s is damaged, and is left as it is",
    async (content) => {
      const { paths } = await scratchTeam()
      writeFileSync(paths.config, content)
      expect(await codeOf(readConfig(paths))).toBe("file_damaged")
      expect(await codeOf(addMember(paths, { name: "bob" }, 1))).toBe("file_damaged")
      expect(readFileSync(paths.config, "utf8")).toBe(content)
    },
  )

  it("that is reached through a link is refused", async () => {
    const { paths } = await scratchTeam()
    renameSync(paths.config, join(paths.root, "elsewhere.json"))
    symlinkSync(join(paths.root, "elsewhere.json"), paths.config)
    expect(await codeOf(readConfig(paths))).toBe("symlink_refused")
    expect(await codeOf(createConfig(paths, {} as TeamConfig))).toBe("symlink_refused")
  })

  it("keeps fields of others through a change", async () => {
    const { paths } = await scratchTeam(["bob"])
    const before = await readConfig(paths)
    writeFileSync(
      paths.config,
      JSON.stringify({
        ...before,
        hiddenPanes: ["%3"],
        members: before.members.map((member) => ({ ...member, theirs: { x: 1 } })),
      }),
    )
    await addMember(paths, { name: "carol" }, 5)
    expect(jsonIn(paths.config)).toMatchObject({
      hiddenPanes: ["%3"],
      members: [{ theirs: { x: 1 } }, { name: "bob", theirs: { x: 1 } }, { name: "carol" }],
    })
  })

  it("is not written when a change changes nothing", async () => {
    const { paths } = await scratchTeam(["bob"])
    const compact = JSON.stringify(await readConfig(paths))
    writeFileSync(paths.config, compact)
    await updateConfig(paths, (config) => config)
    await patchMember(paths, "bob", { tmuxPaneId: "" })
    await patchMember(paths, "stranger", { isActive: true })
    expect(await removeMember(paths, "stranger")).toBe(false)
    expect(readFileSync(paths.config, "utf8")).toBe(compact)
  })

  it("keeps nothing of a change that fails", async () => {
    const { paths } = await scratchTeam(["bob"])
    const before = readFileSync(paths.config, "utf8")
    await expect(
      updateConfig(paths, () => {
        throw new Error("changed my mind")
      }),
    ).rejects.toThrow("changed my mind")
    expect(readFileSync(paths.config, "utf8")).toBe(before)
    expect(readdirSync(paths.directory).sort()).toEqual(["config.json", "inboxes"])
  })
})

describe("a member", () => {
  it("is entered with its id, colour and time", async () => {
    const { paths } = await scratchTeam()
    expect(
      await addMember(paths, { name: "bob", agentType: "Explore", model: "m", cwd: "/w" }, 1_770_000_000_000),
    ).toEqual({
      agentId: "bob@t",
      name: "bob",
      color: "blue",
      joinedAt: 1_770_000_000_000,
      tmuxPaneId: "",
      subscriptions: [],
      agentType: "Explore",
      model: "m",
      cwd: "/w",
    })
  })

  it("gets the eight colours in turn, then the first again, or the one it asks for", async () => {
    const { paths } = await scratchTeam()
    const colors: (string | undefined)[] = []
    for (let n = 1; n <= 9; n++) colors.push((await addMember(paths, { name: `m${n}` }, n)).color)
    expect(colors).toEqual(["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red", "blue"])
    expect((await addMember(paths, { name: "own", color: "magenta" }, 1)).color).toBe("magenta")
  })

  it.each([
    ["bob", "bob"],
    ["BOB", "bob"],
    ["Team-Lead", "team-lead"],
    ["\u1112\u1161\u11ab", "\ud55c"],
  ])("called %j is refused beside one called %j", async (name, there) => {
    const { paths } = await scratchTeam(["bob", "\ud55c"])
    await expect(addMember(paths, { name }, 1)).rejects.toMatchObject({
      code: "name_taken",
      message: `The team "t" already has a member called "${there}".`,
    })
  })

  it.each(["", ".hidden", "a/b", "..", "aux", "x".repeat(65), "a\nb"])("cannot be called %j", async (name) => {
    const { paths } = await scratchTeam()
    expect(await codeOf(addMember(paths, { name }, 1))).toBe("bad_name")
    expect(await namesIn(paths)).toEqual(["team-lead"])
  })

  it("is patched alone", async () => {
    const { paths } = await scratchTeam(["bob", "carol"])
    await patchMember(paths, "bob", { isActive: true })
    expect((await readConfig(paths)).members.map(({ isActive }) => isActive)).toEqual([undefined, true, undefined])
  })

  it("is taken off, once", async () => {
    const { paths } = await scratchTeam(["bob", "carol"])
    expect(await removeMember(paths, "bob")).toBe(true)
    expect(await removeMember(paths, "bob")).toBe(false)
    expect(await namesIn(paths)).toEqual(["team-lead", "carol"])
  })

  it("that is not there is answered with those who are", async () => {
    const { paths } = await scratchTeam(["bob"])
    const config = await readConfig(paths)
    expect(() => requireMember(config, "Bob")).toThrowError(
      expect.objectContaining({ code: "no_such_member", next: "Members: team-lead, bob." }),
    )
  })
})

describe("the snapshot of a roster", () => {
  const emptied = async (members: string[], joinedAt = 1_000) => {
    const team = await scratchTeam([], { now: () => joinedAt })
    for (const name of members) await team.join({ name })
    writeFileSync(team.paths.config, "")
    return team
  }
  const goodbye = (from: string, says: string, timestamp: string) => ({
    from,
    timestamp,
    text: JSON.stringify({ type: "shutdown_approved", requestId: "r", from: says, timestamp }),
  })

  it("brings everybody back", async () => {
    const { paths } = await emptied(["bob", "carol"])
    expect(await restoreFromSnapshot(paths)).toBe(true)
    expect(await namesIn(paths)).toEqual(["team-lead", "bob", "carol"])
  })

  it("does not bring back who has said goodbye since joining, and believes it only of the sender", async () => {
    const { paths } = await emptied(["bob", "carol", "dave"], Date.parse("2026-01-02T00:00:00.000Z"))
    const after = "2026-01-02T00:00:01.000Z"
    writeFileSync(
      paths.inbox("team-lead"),
      JSON.stringify([
        goodbye("bob", "bob", after),
        goodbye("bob", "carol", after),
        goodbye("dave", "dave", "2026-01-01T00:00:00.000Z"),
      ]),
    )
    await restoreFromSnapshot(paths)
    expect(await namesIn(paths)).toEqual(["team-lead", "carol", "dave"])
  })

  it("leaves a roster alone that somebody finished in the meantime", async () => {
    const { paths } = await scratchTeam(["bob"])
    const theirs = JSON.stringify({ ...(await readConfig(paths)), members: [] })
    writeFileSync(paths.config, theirs)
    expect(await restoreFromSnapshot(paths)).toBe(true)
    expect(readFileSync(paths.config, "utf8")).toBe(theirs)
  })

  it("is of no use where there is none, or where it is damaged itself", async () => {
    const { paths } = await emptied(["bob"])
    writeFileSync(join(paths.own, "config.json"), "{")
    expect(await restoreFromSnapshot(paths)).toBe(false)
    rmSync(join(paths.own, "config.json"))
    expect(await restoreFromSnapshot(paths)).toBe(false)
  })

  it("is kept only for teams we have changed ourselves", async () => {
    const { paths } = await scratchTeam()
    const config = await readConfig(paths)
    const foreign = teamPaths(paths.root, "foreign")
    mkdirSync(foreign.directory, { recursive: true })
    writeFileSync(foreign.config, JSON.stringify(config))
    keepSnapshot(foreign, config, "if kept before")
    expect(existsSync(foreign.own)).toBe(false)
    keepSnapshot(foreign, config, "always")
    keepSnapshot(foreign, { ...config, description: "newer" }, "if kept before")
    expect(jsonIn(join(foreign.own, "config.json"))).toMatchObject({ description: "newer" })
    expect(readdirSync(foreign.own)).toEqual(["config.json"])
  })

  it("does not bring back what was kept of a team that is gone", async () => {
    const { paths } = await scratchTeam()
    const config = await readConfig(paths)
    rmSync(paths.directory, { recursive: true })
    keepSnapshot(paths, { ...config, description: "late" }, "always")
    expect(existsSync(join(paths.own, "config.json"))).toBe(false)
  })
})
