import type { MachineInventory, ReportedRow, TeamFact } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { away, refuse, scriptedServer, type ScriptedServer } from "../../test/scripted-server.ts"
import { startUplink } from "./uplink.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Report {
  readonly machine: string
  readonly terminals: ReportedRow[]
  readonly goneTerminals: string[]
  readonly teamFacts: TeamFact[]
  readonly inventory?: MachineInventory
}

const row = (terminalId: string, state: ReportedRow["state"] = "running"): ReportedRow => ({
  terminalId,
  agent: "claude",
  state,
  since: 0,
  source: "test",
  title: null,
  detail: null,
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
  sessionMark: null,
})
const fact = (name: string): TeamFact => ({ team: "crew", at: "2026-01-01T00:00:00Z", fact: "member_left", name })
const inventory: MachineInventory = {
  machine: "laptop",
  takenAt: "2026-01-01T00:00:00Z",
  plugins: [],
  marketplaces: [],
} as never
const taken = () => ({ machineUuid: "m" })

function uplinkTo(answer: (report: Report, call: number) => object) {
  const server: ScriptedServer = scriptedServer({ chorus_report_machine: answer })
  const uplink = startUplink({ client: server.client, machine: "laptop" })
  const reports = () => server.inputsOf("chorus_report_machine") as unknown as Report[]
  const told = () =>
    reports().flatMap(({ teamFacts }) => teamFacts.map((one) => (one.fact === "member_left" ? one.name : "")))
  return { uplink, reports, told }
}

describe("the uplink", () => {
  it("says at once that the machine is there, and again every half minute", async () => {
    const { uplink, reports } = uplinkTo(taken)
    await vi.advanceTimersByTimeAsync(0)
    expect(reports()).toEqual([{ machine: "laptop", terminals: [], goneTerminals: [], teamFacts: [] }])
    await vi.advanceTimersByTimeAsync(60_001)
    expect(reports()).toHaveLength(3)
    await uplink.close()
  })

  it("sends what comes in one burst together, in order, and of a terminal its newest row", async () => {
    const { uplink, reports } = uplinkTo(taken)
    await vi.advanceTimersByTimeAsync(0)
    uplink.terminal(row("t1", "running"))
    uplink.fact(fact("ann"))
    uplink.terminal(row("t1", "idle"))
    uplink.fact(fact("bob"))
    uplink.inventory(inventory)
    await vi.advanceTimersByTimeAsync(15)
    expect(reports().slice(1)).toEqual([
      {
        machine: "laptop",
        terminals: [row("t1", "idle")],
        goneTerminals: [],
        teamFacts: [fact("ann"), fact("bob")],
        inventory,
      },
    ])
    await vi.advanceTimersByTimeAsync(1000)
    expect(reports()).toHaveLength(2)
    await uplink.close()
  })

  it.each([
    ["gone, then there again", ["gone", "there"], { terminals: [row("t1")], goneTerminals: [] }],
    ["there, then gone", ["there", "gone"], { terminals: [], goneTerminals: ["t1"] }],
  ])("tells of a terminal that was %s only what holds now", async (_, happens, told) => {
    const { uplink, reports } = uplinkTo(taken)
    await vi.advanceTimersByTimeAsync(0)
    for (const what of happens) {
      if (what === "gone") uplink.terminalGone("t1")
      else uplink.terminal(row("t1"))
    }
    await vi.advanceTimersByTimeAsync(15)
    expect(reports().at(-1)).toMatchObject(told)
    await uplink.close()
  })

  it("keeps what changed while a report was on its way for the next", async () => {
    const { uplink, reports } = uplinkTo(
      (_, call) => new Promise((answer) => setTimeout(() => answer(taken()), call === 1 ? 1000 : 0)),
    )
    await vi.advanceTimersByTimeAsync(0)
    uplink.terminal(row("t1", "running"))
    await vi.advanceTimersByTimeAsync(20)
    uplink.terminal(row("t1", "needsInput"))
    uplink.terminalGone("t2")
    await vi.advanceTimersByTimeAsync(2000)
    expect(
      reports()
        .slice(1)
        .map(({ terminals, goneTerminals }) => [terminals.map(({ state }) => state), goneTerminals]),
    ).toEqual([
      [["running"], []],
      [["needsInput"], ["t2"]],
    ])
    await uplink.close()
  })
})

describe("a server that is away", () => {
  it("is told everything once it is back, each fact once and in order", async () => {
    let gone = true
    const { uplink, reports } = uplinkTo(() => (gone ? away() : taken()))
    for (const name of ["ann", "bob"]) uplink.fact(fact(name))
    await vi.advanceTimersByTimeAsync(10_000)
    uplink.fact(fact("cid"))
    uplink.terminal(row("t1"))
    gone = false
    const before = reports().length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(
      reports()
        .slice(before)
        .flatMap(({ teamFacts }) => teamFacts),
    ).toEqual([fact("ann"), fact("bob"), fact("cid")])
    expect(reports().at(-1)).toMatchObject({ terminals: [row("t1")] })
    await uplink.close()
  })

  it("is told within a second of its return, however long it was away", async () => {
    for (let awayMs = 100; awayMs < 6000; awayMs += 300) {
      let gone = true
      const { uplink, reports } = uplinkTo(() => (gone ? away() : taken()))
      uplink.terminal(row("t1"))
      await vi.advanceTimersByTimeAsync(awayMs)
      gone = false
      const before = reports().length
      await vi.advanceTimersByTimeAsync(1000)
      expect(reports().slice(before), `after ${awayMs} ms`).toMatchObject([{ terminals: [row("t1")] }])
      await uplink.close()
    }
  })

  it("is asked again every few seconds and not more often", async () => {
    const { uplink, reports } = uplinkTo(() => refuse("key_revoked", 401))
    uplink.fact(fact("ann"))
    await vi.advanceTimersByTimeAsync(20_100)
    expect(reports().length).toBeGreaterThan(8)
    expect(reports().length).toBeLessThan(13)
    await uplink.close()
  })
})

describe("more than one report may hold", () => {
  it("goes in several, none longer than the server takes, and arrives whole", async () => {
    const { uplink, reports, told } = uplinkTo(taken)
    const names = Array.from({ length: 1201 }, (_, index) => `m${index}`)
    for (const name of names) {
      uplink.fact(fact(name))
      uplink.terminal(row(name))
      uplink.terminalGone(`old ${name}`)
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(told()).toEqual(names)
    expect(new Set(reports().flatMap(({ terminals }) => terminals.map(({ terminalId }) => terminalId))).size).toBe(1201)
    expect(new Set(reports().flatMap(({ goneTerminals }) => goneTerminals)).size).toBe(1201)
    for (const { terminals, goneTerminals, teamFacts } of reports())
      expect(Math.max(terminals.length, goneTerminals.length, teamFacts.length)).toBeLessThanOrEqual(500)
    await uplink.close()
  })

  it("is sent in smaller parts when the server finds a report too large", async () => {
    const accepted: string[] = []
    const { uplink } = uplinkTo(({ teamFacts }) => {
      if (teamFacts.length > 20) return refuse("body_too_large", 413)
      accepted.push(...teamFacts.map((one) => (one.fact === "member_left" ? one.name : "")))
      return taken()
    })
    const names = Array.from({ length: 50 }, (_, index) => `m${index}`)
    for (const name of names) uplink.fact(fact(name))
    await vi.advanceTimersByTimeAsync(2000)
    expect(accepted).toEqual(names)
    await uplink.close()
  })

  it("loses only the one thing that the server will not take, and does not stop at it", async () => {
    const accepted: string[] = []
    const { uplink, reports } = uplinkTo(({ teamFacts }) => {
      const names = teamFacts.map((one) => (one.fact === "member_left" ? one.name : ""))
      if (names.includes("poison")) return refuse("invalid_input", 400)
      accepted.push(...names)
      return taken()
    })
    for (const name of ["a", "b", "poison", "c", "d"]) uplink.fact(fact(name))
    await vi.advanceTimersByTimeAsync(2000)
    expect(accepted).toEqual(["a", "b", "c", "d"])
    expect(reports().length).toBeLessThan(40)
    await uplink.close()
  })
})

describe("closing the uplink", () => {
  it("sends what is left, plugins too, and nothing after that", async () => {
    const { uplink, reports, told } = uplinkTo(taken)
    await vi.advanceTimersByTimeAsync(0)
    uplink.inventory(inventory)
    await uplink.close()
    expect(reports().at(-1)).toMatchObject({ inventory })
    uplink.fact(fact("too late"))
    await vi.advanceTimersByTimeAsync(120_000)
    expect(told()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("waits for the report that is on its way and sends the rest once", async () => {
    const { uplink, told, reports } = uplinkTo(
      (_, call) => new Promise((answer) => setTimeout(() => answer(taken()), call === 0 ? 100 : 50)),
    )
    await vi.advanceTimersByTimeAsync(0)
    uplink.fact(fact("ann"))
    const closing = uplink.close()
    await vi.advanceTimersByTimeAsync(1000)
    await closing
    expect(told()).toEqual(["ann"])
    expect(reports()).toHaveLength(2)
  })

  it("does not wait for a server that is away", async () => {
    const { uplink, reports } = uplinkTo(() => refuse("store_unavailable", 500))
    uplink.fact(fact("ann"))
    await vi.advanceTimersByTimeAsync(20)
    await uplink.close()
    const before = reports().length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reports()).toHaveLength(before)
  })
})
