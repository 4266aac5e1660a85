import type { attentions, deliveries, machines, OutputOf, teamRoom } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()
let team: string
let teams = 0
beforeEach(() => {
  team = `team-${++teams}`
})

const AT = "2026-01-01T00:00:00.000Z"
const fact = (kind: string, more: object = {}) => ({ fact: kind, team, at: AT, ...more })
const begun = (more: object = {}) => fact("team", { era: "session", ledByChorus: false, ...more })
const member = (name: string, state = "working", more: object = {}) =>
  fact("member", {
    state,
    lead: false,
    member: { agentId: name, name, joinedAt: 1, tmuxPaneId: "%1", cwd: "/p", subscriptions: [], ...more },
  })
const message = (id: string, text: string, sentAt = AT) =>
  fact("message", { id, from: "lead", to: "bob", kind: "message", text, sentAt })
const report = (...teamFacts: object[]) =>
  w.call<OutputOf<typeof machines.reportMachine>>(w.developer, "chorus_report_machine", {
    machine: "laptop",
    teamFacts,
  })
const listed = async (more: object = {}) =>
  (await w.call<OutputOf<typeof teamRoom.listTeams>>(w.viewer, "chorus_list_teams", more)).teams.find(
    ({ name }) => name === team,
  )
const room = async () =>
  w.call<OutputOf<typeof teamRoom.getTeam>>(w.viewer, "chorus_get_team", {
    teamUuid: (await listed({ includeGone: true }))?.uuid,
  })

describe("a team", () => {
  it("appears with its first fact, whichever that is", async () => {
    const events = await w.told(() => report(member("bob")))
    expect(events.map(({ kind }) => kind).filter((kind) => kind.startsWith("team."))).toEqual([
      "team.appeared",
      "team.member_changed",
    ])
    expect(await listed()).toMatchObject({
      era: "unknown",
      machine: "laptop",
      members: [{ name: "bob", state: "working" }],
    })
    expect(await w.told(() => report(begun({ description: "the parser" })))).toMatchObject([
      { kind: "team.appeared", action: "updated", patch: { era: "session" } },
    ])
    expect(await listed()).toMatchObject({ era: "session", description: "the parser" })
  })

  it("has members that say how they get on, what they cost, and that they are dead", async () => {
    const progress = { at: AT, line: "Bash: npm test", costUsd: 0.1234, tokens: 900 }
    await report(begun(), { ...member("bob", "working"), progress })
    const events = await w.told(() => report({ ...member("bob", "dead"), progress: { ...progress, tokens: 901 } }))
    const row = { name: "bob", state: "dead", lastLine: "Bash: npm test", lastAt: AT, costUsd: 0.1234, tokens: 901 }
    expect(events).toMatchObject([{ kind: "team.member_changed", patch: { member: row } }])
    expect((await room()).members).toMatchObject([row])
  })

  it("told of twice is told to readers once", async () => {
    const task = fact("task", {
      task: { id: "1", subject: "t", description: "", status: "pending", blocks: [], blockedBy: [] },
      links: [],
    })
    const facts = [begun(), member("bob"), message("m1", "start"), task]
    expect((await w.kinds(() => report(...facts))).filter((kind) => kind.startsWith("team."))).toEqual([
      "team.appeared",
      "team.member_changed",
      "team.message_sent",
      "team.task_changed",
    ])
    expect(await w.kinds(() => report(...facts))).toEqual([])
  })

  it("that is gone is hidden unless asked for, and readers hear when it comes back", async () => {
    await report(begun(), member("bob"))
    expect(await w.kinds(() => report(fact("team_gone")))).toEqual(["team.gone"])
    expect(await w.kinds(() => report(fact("team_gone")))).toEqual([])
    expect(await listed()).toBeUndefined()
    expect(await listed({ includeGone: true })).toMatchObject({ goneAt: expect.any(String) })
    const events = await w.told(() => report(begun()))
    expect(events).toMatchObject([
      { kind: "team.appeared", action: "created", patch: { name: team, goneAt: null, members: [{ name: "bob" }] } },
    ])
    expect(await listed()).toMatchObject({ goneAt: null })
  })

  it("of the same name on two machines is two teams", async () => {
    await report(begun())
    await w.call(w.developer, "chorus_report_machine", { machine: "desktop", teamFacts: [begun()] })
    const { teams: all } = await w.call<OutputOf<typeof teamRoom.listTeams>>(w.viewer, "chorus_list_teams")
    expect(
      all
        .filter(({ name }) => name === team)
        .map(({ machine }) => machine)
        .sort(),
    ).toEqual(["desktop", "laptop"])
  })

  it("shows the lead first, then its members by name, whether there or gone", async () => {
    await report(
      begun(),
      member("zoe"),
      member("amy"),
      { ...member("lead"), lead: true },
      fact("member_left", { name: "amy" }),
    )
    expect((await room()).members.map(({ name, lead, leftAt }) => [name, lead, leftAt !== null])).toEqual([
      ["lead", true, false],
      ["amy", false, true],
      ["zoe", false, false],
    ])
    expect(
      (
        await w.kinds(() => report(fact("member_left", { name: "amy" }), fact("member_left", { name: "nobody" })))
      ).filter((kind) => kind.startsWith("team.")),
    ).toEqual([])
    await report(member("amy"))
    expect((await room()).members[1]).toMatchObject({ name: "amy", leftAt: null })
  })

  it("shows its latest messages in the order they were sent", async () => {
    await report(begun(), ...[3, 1, 2].map((n) => message(`m${n}`, `text ${n}`, `2026-01-01T00:00:0${n}.000Z`)))
    expect((await room()).messages.map(({ text }) => text)).toEqual(["text 1", "text 2", "text 3"])
    const { messages } = await w.call<OutputOf<typeof teamRoom.getTeam>>(w.viewer, "chorus_get_team", {
      teamUuid: (await room()).uuid,
      messages: 2,
    })
    expect(messages.map(({ text }) => text)).toEqual(["text 2", "text 3"])
  })

  it("shows its own tasks by number, with the tasks here they stand for, until they are removed", async () => {
    const task = (id: string, links: string[] = []) =>
      fact("task", {
        task: { id, subject: `task ${id}`, description: "", status: "pending", blocks: [], blockedBy: [] },
        links,
      })
    const taskUuid = await w.newTask()
    await report(begun(), task("10"), task("9", [taskUuid]))
    expect((await room()).tasks.map(({ task: { id }, taskUuids }) => [id, taskUuids])).toEqual([
      ["9", [taskUuid]],
      ["10", []],
    ])
    expect(await w.kinds(() => report(fact("task_removed", { taskId: "9" })))).toEqual(["team.task_removed"])
    expect(await w.kinds(() => report(fact("task_removed", { taskId: "9" })))).toEqual([])
  })
})

describe("a person's word to a team", () => {
  const write = async (more: object = {}, by: Actor = w.owner) =>
    w.call<{ orderUuid: string }>(by, "chorus_write_to_member", {
      teamUuid: (await room()).uuid,
      to: "bob",
      text: "hurry",
      ...more,
    })
  const settle = (orderUuid: string, more: object = {}, by: Actor = w.developer) =>
    w.call(by, "chorus_settle_delivery", { deliveryUuid: orderUuid, ...more })
  const waiting = async (by: Actor = w.developer) =>
    (
      await w.call<OutputOf<typeof deliveries.fetchDeliveries>>(by, "chorus_fetch_deliveries", { machine: "laptop" })
    ).deliveries.map(({ uuid }) => uuid)

  it("waits for the companion of the team's machine, which says when it has arrived", async () => {
    await report(begun())
    const events = await w.told(() => write())
    expect(events.filter(({ kind }) => kind !== "delivery.queued")).toMatchObject([
      {
        kind: "order.given",
        entityType: "team_order",
        patch: { decision: { decision: "message", team, by: "Olive", to: "bob", text: "hurry" } },
      },
    ])
    const orderUuid = events.find(({ kind }) => kind === "order.given")?.entityUuid ?? ""
    expect(await waiting()).toContain(orderUuid)
    expect(await w.kinds(() => settle(orderUuid))).toEqual(["order.delivered"])
    expect(await waiting()).not.toContain(orderUuid)
    expect((await room()).orders).toMatchObject([
      { uuid: orderUuid, what: "message", to: "bob", deliveredAt: expect.any(String), error: null, next: null },
    ])
  })

  it("that could not be delivered is not tried again, and says why; one that was stays delivered", async () => {
    await report(begun())
    const [failed, done] = [await write(), await write()]
    expect(await w.kinds(() => settle(failed.orderUuid, { error: "bob is gone", final: true }))).toEqual([
      "order.failed",
      "delivery.failed",
    ])
    expect(await waiting()).not.toContain(failed.orderUuid)
    await settle(done.orderUuid)
    expect(await settle(done.orderUuid, { error: "too late" })).toMatchObject({ state: "delivered" })
  })

  it("to land work that failed waits in Needs you until it is given anew, or the team is gone", async () => {
    await report(begun(), { ...member("bob"), branch: "chorus/bob" })
    const teamUuid = (await room()).uuid
    const land = () => w.call<{ orderUuid: string }>(w.owner, "chorus_land_member", { teamUuid, member: "bob" })
    const failed = async () =>
      (await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you", {})).items
        .filter(({ title }) => title === "bob: land")
        .map(({ uuid }) => uuid)
    const fail = async () => {
      const { orderUuid } = await land()
      await settle(orderUuid, { error: "It conflicts with main in bed.txt.", final: true })
      return orderUuid
    }
    expect(await failed()).toEqual([])
    const first = await fail()
    expect(await failed()).toEqual([first])
    const { orderUuid } = await land()
    expect(await failed()).toEqual([])
    await settle(orderUuid, { next: "main abc" })
    await fail()
    await report(fact("team_gone"))
    expect(await failed()).toEqual([])
  })

  it("may be to shut down, with a reason", async () => {
    await report(begun())
    const events = await w.told(async () =>
      w.call(w.owner, "chorus_ask_shutdown", { teamUuid: (await room()).uuid, member: "bob", reason: "done" }),
    )
    expect(events.find(({ kind }) => kind === "order.given")?.patch).toMatchObject({
      decision: { decision: "shutdown", member: "bob", reason: "done" },
    })
  })

  it("goes to nobody once the team is gone, and is settled by the machine's own agent", async () => {
    await report(begun())
    const { orderUuid } = await write()
    await expect(settle(orderUuid, {}, w.rival)).rejects.toMatchObject({ code: "not_found" })
    await report(fact("team_gone"))
    await expect(write()).rejects.toMatchObject({ code: "team_gone", status: 409 })
  })
})

describe("what goes between two machines of one team", () => {
  const letter = (id: string, more: object = {}) => ({
    relay: "letter",
    team: "garden",
    agent: "rose",
    id,
    body: { entry: { from: "team-lead", text: id, timestamp: AT } },
    ...more,
  })
  const relay = (parts: object[], to = "desk", by: Actor = w.developer) =>
    w.call<{ toUuid: string }>(by, "chorus_relay_team", { machine: "laptop", to, parts })
  const waiting = async (by: Actor = w.developer) =>
    (await w.call<OutputOf<typeof deliveries.fetchDeliveries>>(by, "chorus_fetch_deliveries", { machine: "desk" }))
      .deliveries
  const ids = async () => (await waiting()).map(({ payload }) => ("relay" in payload ? payload.relay.id : undefined))

  it("waits there in order, once however often it is sent, and names the machine it is from", async () => {
    const { machineUuid } = await w.call<{ machineUuid: string }>(w.developer, "chorus_report_machine", {
      machine: "laptop",
    })
    const { machineUuid: desk } = await w.call<{ machineUuid: string }>(w.developer, "chorus_report_machine", {
      machine: "desk",
    })
    await relay([letter("one"), letter("two")])
    await relay([letter("one"), letter("two"), letter("three")], desk)
    expect(await ids()).toEqual(["one", "two", "three"])
    const [first] = await waiting()
    expect(first).toMatchObject({ thread: "relay:garden/rose", payload: { from: machineUuid, to: desk } })
    await w.call(w.developer, "chorus_settle_delivery", { deliveryUuid: first?.uuid })
    await relay([letter("one")])
    expect(await ids()).toEqual(["two", "three"])
  })

  it("is of a state only the newest, and of an inbox everything", async () => {
    const state = (n: number) => ({ relay: "state", team: "garden", id: "state", body: { n } })
    await relay([state(1)])
    await relay([state(2), letter("four")])
    expect((await waiting()).map(({ payload }) => "relay" in payload && payload.relay.body)).toContainEqual({ n: 2 })
    expect((await ids()).filter((id) => id === "state")).toHaveLength(1)
  })

  it("goes to no machine of another person, none that is not there, and comes from no person", async () => {
    const theirs = await w.agent("Mia's laptop", { owner: w.member })
    await w.call(theirs, "chorus_report_machine", { machine: "theirs" })
    await expect(relay([letter("x")], "theirs")).rejects.toMatchObject({ code: "not_found" })
    await expect(relay([letter("x")], "nowhere")).rejects.toMatchObject({ code: "not_found" })
    await expect(relay([letter("x")], "laptop")).rejects.toMatchObject({ code: "not_found" })
    await expect(relay([letter("x")], "desk", w.owner)).rejects.toMatchObject({ code: "forbidden" })
  })
})
