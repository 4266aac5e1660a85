import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { TeamTask } from "@chorus/contracts"
import { ownIdentity } from "@chorus/disk"
import { array, assert, constantFrom, integer, property, tuple } from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonIn, ledByClaude, scratchFolder, scratchTeam } from "../../test/scratch-team.ts"
import { updateConfig } from "../files/config-file.ts"
import { writeHostNote, writeProcessNote } from "../runtime/host-note.ts"
import { createTeam, type Team } from "../team.ts"
import { examineTeams } from "./examine.ts"
import { wholeObjects } from "./salvage.ts"
import { mended } from "./task-graph.ts"

const find = async (team: Team) => examineTeams({ root: team.paths.root })
const kinds = async (team: Team) => (await find(team)).map(({ what }) => what)
const entry = (text: string) => ({ from: "x", text, timestamp: "2026-01-01T00:00:00.000Z" })

describe("an examination", () => {
  it("of a machine without teams finds nothing", async () => {
    expect(await examineTeams({ root: scratchFolder() })).toEqual([])
  })

  it("looks at one team when told so, and at nothing in a file that lies among them", async () => {
    const team = await scratchTeam()
    await createTeam({ name: "sick" }, { root: team.paths.root })
    writeFileSync(join(team.paths.root, "teams", "sick", "config.json"), "{")
    writeFileSync(join(team.paths.root, "teams", ".DS_Store"), "")
    expect(await examineTeams({ root: team.paths.root, team: "t" })).toEqual([])
    expect((await find(team)).map((finding) => [finding.team, finding.what])).toEqual([["sick", "damaged"]])
  })

  it("changes nothing by itself", async () => {
    const team = await scratchTeam(["bob"])
    writeFileSync(team.paths.inbox("bob"), "[{")
    await find(team)
    expect(readFileSync(team.paths.inbox("bob"), "utf8")).toBe("[{")
    expect(readdirSync(team.paths.inboxes)).toEqual(["bob.json"])
  })

  it("finds what is no file where one should be, and goes on", async () => {
    const team = await scratchTeam(["bob"])
    mkdirSync(team.paths.inbox("folder"))
    renameSync(team.paths.inbox("bob"), join(team.paths.root, "b.json"))
    symlinkSync(join(team.paths.root, "b.json"), team.paths.inbox("bob"))
    mkdirSync(team.paths.task("7"))
    expect(
      (await find(team)).map(({ what, where, says, repair }) => [what, where, says.includes("link"), repair]),
    ).toEqual([
      ["unsafe", team.paths.inbox("bob"), true, undefined],
      ["unsafe", team.paths.inbox("folder"), false, undefined],
      ["unsafe", team.paths.task("7"), false, undefined],
    ])
  })

  it("names a task that is not JSON, without a repair that could lose it", async () => {
    const team = await scratchTeam()
    writeFileSync(team.paths.task("1"), '{"id":')
    expect(await find(team)).toMatchObject([
      { what: "damaged", where: team.paths.task("1"), says: "Not valid JSON.", repair: undefined },
    ])
  })

  it("names an inbox in which a thousand messages wait, and none below", async () => {
    const team = await scratchTeam(["bob", "carol"])
    writeFileSync(team.paths.inbox("bob"), JSON.stringify(Array.from({ length: 1_000 }, () => entry("x"))))
    writeFileSync(
      team.paths.inbox("carol"),
      JSON.stringify([
        ...Array.from({ length: 999 }, () => entry("x")),
        ...Array.from({ length: 500 }, () => ({ ...entry("x"), read: true })),
      ]),
    )
    expect(await find(team)).toMatchObject([
      { what: "crowded", where: team.paths.inbox("bob"), says: "1000 messages wait; nobody seems to read them." },
    ])
  })

  it("leaves a young leftover to whoever is writing, also one that is just a lock", async () => {
    const team = await scratchTeam(["bob"])
    writeFileSync(`${team.paths.config}.tmp.abcd`, "")
    writeFileSync(`${team.paths.inbox("bob")}.tmp.old1`, "")
    utimesSync(`${team.paths.inbox("bob")}.tmp.old1`, 1, 1)
    const [finding, ...others] = await find(team)
    expect(others).toEqual([])
    await finding?.repair?.()
    expect([existsSync(`${team.paths.config}.tmp.abcd`), existsSync(`${team.paths.inbox("bob")}.tmp.old1`)]).toEqual([
      true,
      false,
    ])
  })

  it("names a lead that has ended, and none that lives or cannot be seen", async () => {
    const team = await scratchTeam()
    const lead = (leadProcess: { pid: number; pidSpace?: string }) =>
      updateConfig(team.paths, (config) => ({ ...config, leadProcess }))
    await lead({ pid: 999_999_999 })
    expect(await find(team)).toMatchObject([
      { what: "no_lead", says: expect.stringContaining("chorus team delete --force") as unknown },
    ])
    await lead({ pid: process.pid })
    expect(await find(team)).toEqual([])
    await lead({ pid: 999_999_999, pidSpace: "elsewhere" })
    expect(await find(team)).toEqual([])
  })
})

describe("a ghost", () => {
  it.each([
    ["a process that has ended", "pid:999999999", ["ghost"]],
    ["a process that lives", `pid:${process.pid}`, []],
    ["a pane, which cannot be looked at", "%12", []],
    ["no place", "", []],
    ["nonsense", "pid:abc", []],
  ])("is not seen without reason: a member in %s", async (_, tmuxPaneId, found) => {
    const team = await scratchTeam(["bob"])
    await team.patchMember("bob", { tmuxPaneId })
    expect(await kinds(team)).toEqual(found)
  })

  it.each([
    ["ended", { pid: 999_999_999 }, ["ghost"]],
    ["ended, and whose number another process has", { ...ownIdentity(), procStart: "1" }, ["ghost"]],
    ["lives", ownIdentity(), []],
  ])("is a member in a pane whose process has %s", async (_, identity, found) => {
    const team = await scratchTeam(["bob"])
    await team.patchMember("bob", { tmuxPaneId: "%12", isActive: true })
    writeProcessNote(team.paths, "bob", process.pid)
    writeFileSync(join(team.paths.own, "processes", "bob.json"), JSON.stringify(identity))
    expect(await kinds(team)).toEqual(found)
    await team.leave("bob")
    await team.join({ name: "bob" })
    expect(await kinds(team)).toEqual([])
  })

  it("is no member that a living process hosts, whatever its place says", async () => {
    const team = await scratchTeam(["bob"])
    await team.patchMember("bob", { tmuxPaneId: "pid:999999999" })
    writeHostNote(team.paths, "bob")
    expect(await kinds(team)).toEqual([])
  })

  it("in a team that Claude Code leads is taken away only when it was ours or came by itself", async () => {
    const team = await ledByClaude(await scratchTeam(["bob", "carol", "dan"]))
    await team.patchMember("carol", { tmuxPaneId: "pid:999999999" })
    // He came by himself, and nobody else takes him off.
    writeProcessNote(team.paths, "dan", 999_999_999)
    writeHostNote(team.paths, "bob")
    writeFileSync(join(team.paths.own, "hosts", "bob.json"), '{"pid":999999999}')
    const ghosts = (await find(team)).filter(({ what }) => what === "ghost")
    expect(ghosts.map(({ says, repair }) => [says, repair !== undefined])).toEqual([
      ['"bob" is on the roster but runs no more.', true],
      ['"carol" is on the roster but runs no more.', false],
      ['"dan" is on the roster but runs no more.', true],
    ])
  })

  it("with a name that is not safe does not stop the examination", async () => {
    const team = await scratchTeam(["bob"])
    await updateConfig(team.paths, (config) => ({
      ...config,
      members: [...config.members, { agentId: "x", name: "../x", joinedAt: 0, tmuxPaneId: "pid:999999999" }],
    }))
    const [ghost] = await find(team)
    await ghost?.repair?.()
    expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead", "bob"])
  })
})

describe("what can be saved of a ruin", () => {
  it.each<[string, string, unknown[]]>([
    ["nothing of nothing", "", []],
    ["all before the cut", '[{"a":1},{"b":{"c":"}"}},{"d":', [{ a: 1 }, { b: { c: "}" } }]],
    [
      "all around a write that another one cut into",
      `[{"a":1},{"text":"half${JSON.stringify(entry("b"))},{"c":3}]`,
      [{ a: 1 }, entry("b"), { c: 3 }],
    ],
    ["all after a lost quote", `[{"a":"x},${JSON.stringify(entry("b"))}]`, [entry("b")]],
    ["no part of a piece that was cut off", '[{"a":1},{"from":"x","meta":{"b":{}},"text":"{}', [{ a: 1 }]],
    ["what stands between zeros", '\0\0\0{"a":1}\0\0', [{ a: 1 }]],
    ["the two ends of two writers", '[{"a":1}]{"b":2}]', [{ a: 1 }, { b: 2 }]],
    ["no closing brackets", "}}}]", []],
    ["braces and quotes in a text", String.raw`[{"t":"\"}{\\"},{"u":"{"}`, [{ t: '"}{\\' }, { u: "{" }]],
  ])("is %s", (_, text, found) => {
    expect(wholeObjects(text)).toEqual(found)
  })

  it("is every message of a whole file, and of a cut one every message before the cut", () => {
    const messages = array(array(constantFrom("}", '"', "{", "\\", "\n", "ü", "]"), { maxLength: 6 }), { maxLength: 5 })
    assert(
      property(messages, integer({ min: 1, max: 30 }), (texts, cut) => {
        const all = texts.map((parts) => ({ text: parts.join(" ") }))
        const text = JSON.stringify(all, null, 2)
        expect(wholeObjects(text)).toEqual(all)
        const saved = wholeObjects(text.slice(0, -cut))
        expect(saved).toEqual(all.slice(0, saved.length))
      }),
      { numRuns: 60 },
    )
  })

  it("ends soon, also where somebody filled a file to make it last", () => {
    expect(wholeObjects("{".repeat(3_000))).toEqual([])
  })

  it("is put back with a copy of the ruin beside it, once", async () => {
    const team = await scratchTeam(["bob"])
    const ruin = `[${JSON.stringify(entry("one"))},{"from":"x","te${JSON.stringify(entry("two"))}]`
    writeFileSync(team.paths.inbox("bob"), ruin)
    const [finding] = await find(team)
    expect(finding?.says).toBe("Not a list of messages in JSON; 2 whole messages can be kept.")
    await finding?.repair?.()
    await finding?.repair?.()
    expect(jsonIn(team.paths.inbox("bob"))).toEqual([entry("one"), entry("two")])
    const copies = readdirSync(team.paths.inboxes).filter((name) => name.includes(".damaged-"))
    expect(copies.map((name) => readFileSync(join(team.paths.inboxes, name), "utf8"))).toEqual([ruin])
  })
})

describe("the ends of dependencies", () => {
  const task = (id: string, blocks: string[], blockedBy: string[]): TeamTask => ({
    id,
    subject: "",
    description: "",
    status: "pending",
    blocks,
    blockedBy,
  })
  const list = (...tasks: TeamTask[]) => new Map(tasks.map((one) => [one.id, one]))

  it.each<[string, TeamTask[], TeamTask[]]>([
    ["agree", [task("1", ["2"], []), task("2", [], ["1"])], []],
    ["only the first knows", [task("1", ["2"], []), task("2", [], [])], [task("2", [], ["1"])]],
    ["only the second knows", [task("1", [], []), task("2", [], ["1"])], [task("1", ["2"], [])]],
    ["lead nowhere", [task("1", ["9"], ["8"])], [task("1", [], [])]],
    ["stand there twice", [task("1", ["2", "2"], []), task("2", [], ["1"])], [task("1", ["2"], [])]],
  ])("that %s become whole", (_, before, changed) => {
    expect(mended(list(...before))).toEqual(changed)
  })

  it("agree after one repair, whatever they were", () => {
    const ids = constantFrom("1", "2", "3", "9")
    assert(
      property(
        array(tuple(array(ids, { maxLength: 3 }), array(ids, { maxLength: 3 })), { minLength: 3, maxLength: 3 }),
        (links) => {
          const tasks = list(...links.map(([blocks, blockedBy], n) => task(String(n + 1), blocks, blockedBy)))
          for (const changed of mended(tasks)) tasks.set(changed.id, changed)
          expect(mended(tasks)).toEqual([])
        },
      ),
    )
  })
})
