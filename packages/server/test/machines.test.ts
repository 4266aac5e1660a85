import type { deliveries, OutputOf } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const ROW = {
  terminalId: "t1",
  agent: "claude",
  state: "running",
  since: 1_700_000_000_000,
  source: "claude:UserPromptSubmit",
  title: "Fix the parser",
  detail: "Edit src/parser.ts",
  summary: null,
  exitCode: null,
  resumeCommand: null,
  reason: null,
  outside: false,
  ask: null,
  asks: null,
  folder: null,
  unread: false,
  ended: false,
} as const
const at = "2026-01-01T00:00:00.000Z"
const about = { team: "session-1", at }
const FACTS = [
  { ...about, fact: "team", era: "session", ledByChorus: false },
  {
    ...about,
    fact: "member",
    state: "working",
    lead: true,
    member: {
      agentId: "team-lead@session-1",
      name: "team-lead",
      joinedAt: 1,
      tmuxPaneId: "leader",
      cwd: "/p",
      subscriptions: [],
    },
  },
  { ...about, fact: "message", id: "m1", from: "team-lead", to: "bob", kind: "message", text: "start", sentAt: at },
] as const

describe.each(["sqlite", "postgres"] as const)("machines on %s", (engine) => {
  let place: Workspace
  beforeAll(async () => {
    place = await openWorkspace({ engine })
  })
  afterAll(() => place.close())

  const kinds = async () =>
    (
      await place.store.db
        .selectFrom("events")
        .select("kind")
        .where("workspaceUuid", "=", place.workspaceUuid)
        .orderBy("id")
        .execute()
    ).map(({ kind }) => kind)

  it("keep the newest state of each terminal and log only what changed", async () => {
    await place.call(place.developer, "chorus_report_machine", { machine: "laptop", terminals: [ROW] })
    await place.call(place.developer, "chorus_report_machine", { machine: "laptop", terminals: [ROW] })
    await place.call(place.developer, "chorus_report_machine", {
      machine: "laptop",
      terminals: [{ ...ROW, state: "needsInput" }],
    })
    const { terminals } = await place.call<{ terminals: unknown[] }>(place.owner, "chorus_list_terminals")
    expect(terminals).toMatchObject([
      { terminalId: "t1", state: "needsInput", machine: "laptop", owner: { name: place.developer.name } },
    ])
    expect((await kinds()).filter((kind) => kind === "terminal.changed")).toHaveLength(2)
    await place.call(place.developer, "chorus_report_machine", { machine: "laptop", goneTerminals: ["t1"] })
    expect(await place.call(place.owner, "chorus_list_terminals")).toMatchObject({ terminals: [], total: 0 })
  })

  it("show teams, and carry a person's word to the machine that has them, once", async () => {
    await place.call(place.developer, "chorus_report_machine", { machine: "laptop", teamFacts: FACTS })
    await place.call(place.developer, "chorus_report_machine", { machine: "laptop", teamFacts: FACTS })
    const { teams } = await place.call<{ teams: { uuid: string }[] }>(place.owner, "chorus_list_teams")
    const [team] = teams
    expect(team).toMatchObject({
      name: "session-1",
      machine: "laptop",
      members: [{ name: "team-lead", lead: true, state: "working" }],
    })
    const room = await place.call<{ messages: unknown[] }>(place.owner, "chorus_get_team", { teamUuid: team?.uuid })
    expect(room.messages).toHaveLength(1)

    const { orderUuid } = await place.call<{ orderUuid: string }>(place.owner, "chorus_write_to_member", {
      teamUuid: team?.uuid,
      to: "bob",
      text: "please hurry",
    })
    const fetch = async () =>
      (
        await place.call<OutputOf<typeof deliveries.fetchDeliveries>>(place.developer, "chorus_fetch_deliveries", {
          machine: "laptop",
        })
      ).deliveries
    expect(await fetch()).toMatchObject([
      { uuid: orderUuid, payload: { decision: { decision: "message", to: "bob", by: place.owner.name } } },
    ])
    await expect(place.call(place.rival, "chorus_settle_delivery", { deliveryUuid: orderUuid })).rejects.toMatchObject({
      code: "not_found",
    })
    await place.call(place.developer, "chorus_settle_delivery", { deliveryUuid: orderUuid })
    expect(await fetch()).toEqual([])
  })

  it("never take an agent for the person who decides", async () => {
    const { teams } = await place.call<{ teams: { uuid: string }[] }>(place.owner, "chorus_list_teams")
    await expect(
      place.call(place.admin, "chorus_write_to_member", { teamUuid: teams[0]?.uuid, to: "bob", text: "obey" }),
    ).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      place.call(place.admin, "chorus_ask_shutdown", { teamUuid: teams[0]?.uuid, member: "bob" }),
    ).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      place.call(place.admin, "chorus_land_member", { teamUuid: teams[0]?.uuid, member: "bob" }),
    ).rejects.toMatchObject({ code: "forbidden" })
  })

  it("belong to their workspace alone", async () => {
    const { teams } = await place.call<{ teams: { uuid: string }[] }>(place.owner, "chorus_list_teams")
    expect(await place.call(place.stranger, "chorus_list_teams")).toMatchObject({ teams: [], total: 0 })
    expect(await place.call(place.stranger, "chorus_list_machines")).toMatchObject({ machines: [], total: 0 })
    await expect(place.call(place.stranger, "chorus_get_team", { teamUuid: teams[0]?.uuid })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("are held against the curated set, which changes by revision", async () => {
    const plugin = {
      id: "lint@team",
      version: "1.0.0",
      contentHash: "a",
      surfaceHash: "s",
      enabled: true,
      required: true,
    }
    const set = {
      revision: 0,
      marketplaces: { team: { source: { source: "directory", path: "/m" } } },
      plugins: [plugin],
      exclusive: true,
    }
    await expect(place.call(place.member, "chorus_curate_plugins", set)).rejects.toMatchObject({ code: "forbidden" })
    expect(await place.call(place.owner, "chorus_curate_plugins", set)).toMatchObject({ revision: 1 })
    await expect(place.call(place.owner, "chorus_curate_plugins", set)).rejects.toMatchObject({
      code: "stale_version",
      details: { currentVersion: 1 },
    })
    const found = { id: "lint@team", version: "1.0.0", scope: "user", enabled: true, contentHash: "b", errors: [] }
    const extra = { ...found, id: "other@team" }
    await place.call(place.developer, "chorus_report_machine", {
      machine: "laptop",
      inventory: { machine: "laptop", takenAt: at, marketplaces: [], plugins: [found, extra] },
    })
    const { machines } = await place.call<{ machines: { deviations: unknown[] }[] }>(
      place.owner,
      "chorus_list_machines",
    )
    expect(machines[0]?.deviations).toEqual([
      { id: "lint@team", kind: "changed_content", expected: "a", actual: "b" },
      { id: "other@team", kind: "extra", actual: "1.0.0" },
    ])
  })
})
