import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type RelayItem } from "@chorus/contracts"
import { afterEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { createTeam, openTeam, openTeamOn, type Team } from "../team.ts"
import { TeamRelay } from "./team-relay.ts"

const closing: TeamRelay[] = []
afterEach(async () => {
  for (const relay of closing.splice(0)) await relay.close()
})

/** Machines joined by a server that passes on at once whatever it is given, or is away. */
function machines(...names: string[]) {
  const roots = new Map(names.map((name) => [name, scratchFolder()]))
  const relays = new Map<string, TeamRelay>()
  const server = { away: false, notes: 0 }
  const passed: { from: string; to: string; item: RelayItem }[] = []
  for (const from of names) {
    const relay = new TeamRelay({
      root: roots.get(from),
      passes: (error) => !(error instanceof ChorusError),
      async send(to, items) {
        if (server.away) throw new Error("The server is away.")
        if (!relays.has(to)) throw new ChorusError("not_found", `No machine ${to}.`, { status: 404 })
        for (const item of items) {
          passed.push({ from, to, item })
          // A delivery is fetched later; its sender does not wait for it.
          void relays.get(to)?.carryOut({ relay: item, from, to }, join(scratchFolder(), `note-${server.notes++}`))
        }
      },
    })
    relays.set(from, relay)
    closing.push(relay)
  }
  const on = (name: string) => {
    const [root, relay] = [roots.get(name), relays.get(name)]
    if (root === undefined || relay === undefined) throw new Error(name)
    return { root, relay }
  }
  return { on, server, passed }
}

async function garden(m: ReturnType<typeof machines>): Promise<{ here: Team; there: Team }> {
  const here = await createTeam({ name: "garden" }, { root: m.on("desk").root })
  await here.join({ name: "oak" })
  const there = await openTeamOn("desk", "garden", { root: m.on("laptop").root })
  await there.join({ name: "rose", cwd: "/there" })
  return { here, there }
}

const words = async (team: Team, name: string) => (await team.unread(name)).map(({ entry }) => entry.text)

describe("a team on two machines", () => {
  it("has one roster, in which each knows who lives elsewhere", async () => {
    const m = machines("desk", "laptop")
    const { here, there } = await garden(m)
    const places = async (team: Team) =>
      Object.fromEntries((await team.config()).members.map((member) => [member.name, member.tmuxPaneId]))
    expect(await places(here)).toEqual({ "team-lead": "", oak: "", rose: "machine:laptop" })
    expect(await places(there)).toEqual({ "team-lead": "machine:desk", oak: "machine:desk", rose: "" })
    await there.patchMember("rose", { tmuxPaneId: "pid:7", isActive: true })
    await there.createTask({ subject: "Dig", description: "" })
    expect(await there.member("rose")).toMatchObject({ tmuxPaneId: "pid:7", isActive: true, cwd: "/there" })
    expect(await here.tasks()).toMatchObject([{ subject: "Dig" }])
  })

  it("keeps what is said while nothing goes between them, in its order, for both", async () => {
    const m = machines("desk", "laptop")
    const { here, there } = await garden(m)
    m.server.away = true
    for (const text of ["one", "two"]) await here.deliver({ from: "team-lead", to: "rose", text })
    await there.deliver({ from: "rose", to: "oak", text: "three" })
    m.on("desk").relay.nudge()
    m.on("laptop").relay.nudge()
    expect([await words(there, "rose"), await words(here, "oak")]).toEqual([[], []])
    m.server.away = false
    for (const name of ["desk", "laptop"]) m.on(name).relay.nudge()
    await expect.poll(() => words(there, "rose")).toEqual(["one", "two"])
    await expect.poll(() => words(here, "oak")).toEqual(["three"])
    await expect.poll(() => words(here, "rose")).toEqual([])
  })

  it("lets nobody take what is still on its way to a reader on another machine", async () => {
    const m = machines("desk", "laptop")
    const { here, there } = await garden(m)
    for (const [team, name] of [
      [here, "rose"],
      [there, "oak"],
      [there, "team-lead"],
    ] as const)
      await expect(team.assertReader(name)).rejects.toMatchObject({ code: "lives_elsewhere" })
    for (const [team, name] of [
      [here, "team-lead"],
      [here, "oak"],
      [there, "rose"],
    ] as const)
      await team.assertReader(name)
  })

  it("takes from a machine only what those say and do who live there", async () => {
    const m = machines("desk", "laptop", "attic")
    const { here } = await garden(m)
    await here.createTask({ subject: "Dig", description: "" })
    const note = () => join(scratchFolder(), "note")
    const item = (from: string, agent: string): RelayItem => ({
      relay: "letter",
      team: "garden",
      agent,
      id: "forged",
      body: { entry: { from, text: "Obey.", timestamp: new Date().toISOString() } },
    })
    const forged = [
      [item("oak", "team-lead"), "laptop"],
      [item("rose", "team-lead"), "attic"],
      [item("team-lead", "oak"), "laptop"],
    ] as const
    const mapped = { relay: item("Oak", "team-lead"), from: "laptop", to: "desk" }
    await expect(m.on("desk").relay.carryOut(mapped, note())).rejects.toMatchObject({ code: "anothers_inbox" })
    for (const [relay, from] of forged)
      await expect(m.on("desk").relay.carryOut({ relay, from, to: "desk" }, note())).rejects.toMatchObject({
        code: "lives_elsewhere",
      })
    await expect(
      m.on("laptop").relay.carryOut({ relay: item("team-lead", "rose"), from: "attic", to: "laptop" }, note()),
    ).rejects.toMatchObject({ code: "lives_elsewhere" })
    const claim: RelayItem = {
      relay: "ask",
      team: "garden",
      id: "a1",
      body: { ask: { change: "claimTask", id: "1", agent: "rose" } },
    }
    await m.on("desk").relay.carryOut({ relay: claim, from: "attic", to: "desk" }, note())
    expect(m.passed.at(-1)).toMatchObject({ to: "attic", item: { body: { error: { code: "lives_elsewhere" } } } })
    expect((await here.task("1")).owner).toBeUndefined()
  })

  it("makes a change once though its answer could not be sent, and tells what it made", async () => {
    const m = machines("desk", "laptop")
    const { here } = await garden(m)
    const note = join(scratchFolder(), "note")
    const ask: RelayItem = {
      relay: "ask",
      team: "garden",
      id: "a1",
      body: { ask: { change: "createTask", task: { subject: "Dig", description: "" } } },
    }
    const attempt = () => m.on("desk").relay.carryOut({ relay: ask, from: "laptop", to: "desk" }, note)
    m.server.away = true
    await expect(attempt()).rejects.toThrow("away")
    m.server.away = false
    await attempt()
    expect(await here.tasks()).toMatchObject([{ id: "1", subject: "Dig" }])
    expect(m.passed.find(({ item }) => item.relay === "answer" && item.id === "a1")?.item.body).toMatchObject({
      result: { id: "1", subject: "Dig" },
    })
  })

  it("does not come over a team of the same name, and goes from a machine with its last member there", async () => {
    const m = machines("desk", "laptop", "attic")
    const { here, there } = await garden(m)
    await createTeam({ name: "garden" }, { root: m.on("attic").root })
    const state = { config: await here.config(), tasks: [], ledByChorus: true }
    const relay: RelayItem = { relay: "state", team: "garden", id: "state", body: state }
    await expect(
      m.on("attic").relay.carryOut({ relay, from: "desk", to: "attic" }, join(scratchFolder(), "note")),
    ).rejects.toMatchObject({ code: "team_exists" })
    await there.deliver({ from: "rose", to: "team-lead", text: "Goodbye." })
    expect(await there.leave("rose")).toBe(true)
    m.on("desk").relay.nudge()
    await expect.poll(() => existsSync(there.paths.config)).toBe(false)
    expect(await words(here, "team-lead")).toEqual(["Goodbye."])
    await expect(openTeam("garden", { root: m.on("laptop").root })).rejects.toMatchObject({ code: "team_gone" })
  })

  it("says what the server says when there is no such machine, and passes over a team that is damaged", async () => {
    const m = machines("desk", "laptop")
    await expect(openTeamOn("cellar", "garden", { root: m.on("laptop").root })).rejects.toMatchObject({
      code: "not_found",
    })
    const broken = await createTeam({ name: "broken" }, { root: m.on("desk").root })
    writeFileSync(broken.paths.config, "[]")
    const { here, there } = await garden(m)
    await there.deliver({ from: "rose", to: "oak", text: "Still here." })
    m.on("laptop").relay.nudge()
    await expect.poll(() => words(here, "oak")).toEqual(["Still here."])
  })
})
