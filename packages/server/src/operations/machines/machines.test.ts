import { createHash } from "node:crypto"
import type { attentions, machines, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { doubtUnheard } from "../../housekeeping.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const ROW = {
  terminalId: "t1",
  agent: "claude",
  state: "running",
  since: 1000,
  source: "claude:UserPromptSubmit",
  title: "Parser",
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
}
const INVENTORY = { machine: "laptop", takenAt: "2026-01-01T00:00:00.000Z", marketplaces: [], plugins: [] }
const report = (more: object = {}, by: Actor = w.developer, machine = "laptop") =>
  w.call<{ machineUuid: string }>(by, "chorus_report_machine", { machine, ...more })
const terminals = async () =>
  (await w.call<OutputOf<typeof machines.listTerminals>>(w.viewer, "chorus_list_terminals")).terminals

describe("a machine", () => {
  it("is known by its agent and its name, and told when it first reports", async () => {
    const events = await w.told(() => report())
    const { machines: rows } = await w.call<OutputOf<typeof machines.listMachines>>(w.viewer, "chorus_list_machines")
    expect(events).toMatchObject([{ kind: "machine.connected", entityType: "machine", patch: rows[0] }])
    expect(await w.kinds(() => report())).toEqual([])
    expect((await report({}, w.rival)).machineUuid).not.toBe((await report()).machineUuid)
  })

  it("is reported by agents alone", async () => {
    await expect(report({}, w.owner)).rejects.toMatchObject({
      code: "forbidden",
      next: expect.stringContaining("chorus connect"),
    })
  })

  it("lists with how many terminals it has, the one last heard of first", async () => {
    await report({ terminals: [ROW] }, w.rival, "desktop")
    await report()
    const { machines: all } = await w.call<OutputOf<typeof machines.listMachines>>(w.viewer, "chorus_list_machines")
    expect(all[0]).toMatchObject({
      name: "laptop",
      agent: { name: "Dev" },
      terminals: 0,
      inventory: null,
      deviations: [],
    })
    expect(all.find(({ name }) => name === "desktop")).toMatchObject({ terminals: 1, agent: { name: "Rival" } })
  })

  it("tells its plugins, without what its marketplaces offer", async () => {
    const offers = [{ id: "lint@team", version: "1.0.0", contentHash: "c" }]
    const [event] = await w.told(() => report({ inventory: { ...INVENTORY, offers } }))
    expect(event).toMatchObject({ kind: "machine.inventoried", patch: { inventoryAt: expect.any(String) } })
    const { machines: all } = await w.call<OutputOf<typeof machines.listMachines>>(w.viewer, "chorus_list_machines")
    expect(all.find(({ name, agent }) => name === "laptop" && agent.name === "Dev")?.inventory).toEqual(INVENTORY)
    const { plugins } = await w.call<OutputOf<typeof machines.browsePlugins>>(w.viewer, "chorus_browse_plugins")
    expect(plugins).toMatchObject([{ id: "lint@team", offeredOn: ["laptop"], installedOn: [], approved: false }])
  })
})

describe("a terminal", () => {
  it("is told when it appears and when anything about it changes, and not otherwise", async () => {
    const row = { ...ROW, terminalId: "told" }
    expect(await w.told(() => report({ terminals: [row] }))).toMatchObject([
      {
        kind: "terminal.changed",
        action: "created",
        patch: { terminalId: "told", machine: "laptop", owner: { name: "Dev" } },
      },
    ])
    expect(await w.kinds(() => report({ terminals: [row] }))).toEqual([])
    expect(await w.told(() => report({ terminals: [{ ...row, title: "Other" }] }))).toMatchObject([
      { kind: "terminal.changed", action: "updated", patch: { title: "Other" } },
    ])
    expect(await w.told(() => report({ goneTerminals: ["told", "told", "unknown"] }))).toMatchObject([
      { kind: "terminal.gone", action: "deleted" },
    ])
  })

  it("that needs a person stands first, then what runs, what is idle, what is finished", async () => {
    const states = ["finished", "idle", "running", "needsInput", "unknown"]
    await report(
      { terminals: states.map((state) => ({ ...ROW, terminalId: `by-${state}`, state })) },
      w.admin,
      "sorted",
    )
    expect((await terminals()).filter(({ machine }) => machine === "sorted").map(({ state }) => state)).toEqual([
      "needsInput",
      "running",
      "unknown",
      "idle",
      "finished",
    ])
  })
})

describe("calling a person about a terminal", () => {
  const pending = () =>
    w.store.db.selectFrom("deliveries").select(["tag", "payload"]).where("state", "=", "pending").execute()
  const needing = (terminalId: string, since = 2000) => ({
    ...ROW,
    terminalId,
    state: "needsInput",
    since,
    detail: "May I?",
  })

  it("happens when its agent needs them, is taken back when they answered, and when the terminal is gone", async () => {
    const keys = { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: Buffer.alloc(16, 1).toString("base64url") }
    await w.call(w.owner, "chorus_subscribe_push", { endpoint: "https://push.example.test/1", keys })
    const { machineUuid } = await report({ terminals: [needing("asks")] })
    expect(await pending()).toMatchObject([
      { tag: `terminal:${machineUuid}/asks`, payload: expect.stringContaining("claude needs you") },
    ])
    await report({ terminals: [{ ...ROW, terminalId: "asks", since: 3000 }] })
    expect(await pending()).toEqual([])
    await report({ terminals: [needing("asks", 4000)] })
    expect(await pending()).toHaveLength(1)
    await report({ goneTerminals: ["asks"] })
    expect(await pending()).toEqual([])
    // Nobody is called to what may not be there any more, whether its companion says so or nobody does.
    await report({ terminals: [needing("asks", 5000)] })
    expect(await pending()).toHaveLength(1)
    await report({ terminals: [{ ...needing("asks", 6000), state: "unknown", reason: "this machine slept" }] })
    expect(await pending()).toEqual([])
    await report({ terminals: [needing("asks", 7000)] })
    expect(await pending()).toHaveLength(1)
    w.clock.advance(120_000)
    await w.call(w.owner, "chorus_sweep_terminals")
    expect(await pending()).toEqual([])
  })

  it("does not happen again for what they were called for before its machine was silent", async () => {
    const done = { ...ROW, terminalId: "done", state: "finished", exitCode: 0, since: 2000, unread: true }
    const asks = needing("asks")
    const silence = async () => {
      w.clock.advance(120_000)
      await w.call(w.owner, "chorus_sweep_terminals")
    }
    const delivered = () =>
      w.store.write(({ db }) => db.updateTable("deliveries").set({ state: "delivered" }).execute())
    await report({ terminals: [done, asks] })
    expect(await pending()).toHaveLength(2)
    // What had not gone out when it was taken back is told later.
    await silence()
    await report({ terminals: [asks] })
    expect(await pending()).toHaveLength(1)
    await report({ terminals: [done] })
    expect(await pending()).toHaveLength(2)
    await delivered()
    await silence()
    // Its listener was away as well.
    await report({ terminals: [{ ...done, state: "unknown", since: 5000 }] })
    await report({ terminals: [done, asks] })
    expect(await pending()).toEqual([])
    await silence()
    await report({ terminals: [{ ...done, since: 9000, exitCode: 1 }, needing("asks", 9000)] })
    expect((await pending()).map(({ payload }) => payload)).toMatchObject([
      expect.stringContaining("claude failed"),
      expect.stringContaining("claude needs you"),
    ])
  })
})

describe("the curated set", () => {
  const plugin = {
    id: "lint@team",
    version: "1.0.0",
    contentHash: "c",
    surfaceHash: "s",
    enabled: true,
    required: true,
  }
  const set = (revision: number, plugins: object[] = [plugin]) => ({
    revision,
    marketplaces: {},
    plugins,
    exclusive: false,
  })
  const curate = (wanted: object, by: Actor = w.owner) =>
    w.call<{ revision: number }>(by, "chorus_curate_plugins", wanted)

  it("is empty at first and moves one revision at a time", async () => {
    expect(await w.call(w.developer, "chorus_get_curated_plugins")).toEqual(set(0, []))
    const [event] = await w.told(() => curate(set(0)))
    expect(event).toMatchObject({
      kind: "plugins.curated",
      entityType: "curated_plugins",
      patch: { revision: 1, plugins: [plugin] },
    })
    expect(await curate(set(1, []))).toMatchObject({ revision: 2 })
    await expect(curate(set(1))).rejects.toMatchObject({ code: "stale_version", details: { currentVersion: 2 } })
  })

  it("changed by two at once from one revision is changed once", async () => {
    const { revision } = await w.call<{ revision: number }>(w.owner, "chorus_get_curated_plugins")
    const answers = await Promise.allSettled([curate(set(revision)), curate(set(revision, []))])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })

  it("is each workspace's own", async () => {
    expect(await w.call(w.stranger, "chorus_get_curated_plugins")).toMatchObject({ revision: 0 })
    expect(await curate(set(0), w.stranger)).toMatchObject({ revision: 1 })
  })
})

describe("a terminal that needs somebody", () => {
  const machine = "waiting"
  const waiting = {
    ...ROW,
    terminalId: "needy",
    state: "needsInput",
    detail: "Bash: npm publish",
    reason: "permission",
  }
  const needs = async () => {
    const { items } = await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you")
    return items.filter(({ attention }) => attention?.detail["machine"] === machine).map(({ title }) => title)
  }
  const tell = (more: object) => report(more, w.rival, machine)
  const done = { ...ROW, terminalId: "done", state: "finished", exitCode: 0 }
  const over = { ...done, terminalId: "over", ended: true }
  const failed = { ...done, terminalId: "failed", exitCode: 1, unread: true }
  const seen = { ...failed, terminalId: "seen", unread: false }
  const states = async () =>
    Object.fromEntries(
      (await terminals())
        .filter((row) => row.machine === machine)
        .map(({ terminalId, state }) => [terminalId, state])
        .sort(),
    )

  it("says all that it asks for, in which session and folder, and takes no yes to what it does not say", async () => {
    const asked = { title: "Mend the door", folder: "shop", ask: "a1", asks: "echo a\nnpm publish" }
    const details = async () => {
      const { items } = await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you")
      return items.flatMap(({ attention }) => (attention?.detail["machine"] === machine ? attention : []))
    }
    await tell({ terminals: [{ ...waiting, ...asked }] })
    expect(await details()).toMatchObject([
      {
        answerable: true,
        detail: { session: "Mend the door", agent: "claude", cwd: "shop", command: "echo a\nnpm publish", ask: "a1" },
      },
    ])
    await tell({ terminals: [{ ...waiting, ...asked, ask: "a2", asks: null }] })
    expect(await details()).toMatchObject([{ answerable: false, detail: { waitsFor: "Bash: npm publish" } }])
    await tell({ terminals: [{ ...waiting, state: "running" }] })
  })

  it("is in Needs you as long as it does, once, whoever reports it", async () => {
    await tell({ terminals: [waiting] })
    await tell({ terminals: [{ ...waiting, since: 2000 }] })
    expect(await needs()).toEqual(["Bash: npm publish"])
    // Answered in the terminal while no companion was there; the next one says how it is now.
    await tell({ presentTerminals: ["needy"], terminals: [{ ...waiting, state: "running" }] })
    expect(await needs()).toEqual([])
  })

  it("that can be answered elsewhere is a permission, another for each question", async () => {
    const asked = async () => {
      const { items } = await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you")
      return items.flatMap(({ attention }) => (attention?.detail["machine"] === machine ? [attention] : []))
    }
    await tell({ terminals: [{ ...waiting, ask: "a1", asks: "npm publish" }] })
    const [first] = await asked()
    expect(first).toMatchObject({ kind: "permission", answerable: true, detail: { ask: "a1", command: "npm publish" } })
    await tell({ terminals: [{ ...waiting, ask: "a2", asks: "npm publish" }] })
    expect((await asked()).map(({ detail }) => detail["ask"])).toEqual(["a2"])
    await tell({ terminals: [{ ...waiting, state: "running" }] })
    expect(await asked()).toEqual([])
  })

  it.each([
    ["the hook's, which says more", 3600, "Bash: npm publish --tag next"],
    ["the companion's where only that brings the answer", 0, "Bash: npm publish"],
  ])("asks once where its program's hooks tell of the same question: %s", async (_, answer_seconds, title) => {
    const session_id = `twice-${answer_seconds}`
    const hook = (hook_event_name: string, more: object = {}) =>
      w.call(w.developer, "chorus_hook", { session_id, hook_event_name, ...more })
    const titles = async () => {
      const { items } = await w.call<OutputOf<typeof attentions.needsYou>>(w.owner, "chorus_needs_you")
      return items.map((item) => item.title).filter((each) => each.startsWith("Bash: npm publish"))
    }
    await hook("SessionStart", { source: "startup" })
    const sessionMark = createHash("sha256").update(session_id).digest("hex")
    await tell({ terminals: [{ ...waiting, ask: "a1", asks: "npm publish", sessionMark }] })
    const tool_input = { command: "npm publish --tag next" }
    await hook("PermissionRequest", { tool_name: "Bash", tool_input, answer_seconds })
    expect(await titles()).toEqual([title])
    // The terminal of another session asks for itself.
    const other = { ...waiting, ask: "a2", asks: "npm publish", terminalId: "beside", sessionMark: "0".repeat(64) }
    await tell({ terminals: [other] })
    expect(await titles()).toHaveLength(2)
    await hook("SessionEnd", { reason: "other" })
    await tell({ presentTerminals: [] })
    expect(await titles()).toEqual([])
  })

  it("is shown to its owner, on a machine that is heard of", async () => {
    const { machineUuid } = await tell({ terminals: [waiting] })
    const show = (by: Actor, terminalId = "needy") => w.call(by, "chorus_show_terminal", { machineUuid, terminalId })
    expect(await show(w.owner)).toMatchObject({ deliveryUuid: expect.any(String) })
    await expect(show(w.owner, "nowhere")).rejects.toMatchObject({ code: "not_found" })
    await expect(show(w.stranger)).rejects.toMatchObject({ code: "not_found" })
    await tell({ goneTerminals: ["needy"] })
  })

  it("is out of it when it ends, also unseen", async () => {
    await tell({ terminals: [waiting, { ...waiting, terminalId: "other" }] })
    await tell({ goneTerminals: ["other"] })
    expect(await needs()).toHaveLength(1)
    await tell({ presentTerminals: [] })
    expect(await needs()).toEqual([])
    expect((await terminals()).filter((row) => row.machine === machine)).toEqual([])
  })

  it("is called what can be known of it", async () => {
    const named = [
      [{ title: "Parser", detail: "" }, "Parser"],
      [{ title: null, detail: " \n" }, "claude needs input"],
      [{ detail: "\u001b[31mDelete\u001b[0m\n all?\u0007" }, "Delete  all?"],
      [{ detail: "x".repeat(400) }, "x".repeat(300)],
    ] as const
    for (const [words, title] of named) {
      await tell({ presentTerminals: [], terminals: [{ ...waiting, ...words }] })
      expect(await needs()).toEqual([title])
    }
  })

  it("is unknown, and waits for nobody, once its machine has been silent for long", async () => {
    await tell({ terminals: [waiting, done, over, failed, seen] })
    await w.call(w.owner, "chorus_sweep_terminals")
    expect(await needs()).toHaveLength(1)
    w.clock.advance(120_000)
    const [event] = await w.told(() => w.call(w.owner, "chorus_sweep_terminals"))
    expect(event).toMatchObject({ kind: "terminal.changed", patch: { state: "unknown", source: "server:silence" } })
    expect(await needs()).toEqual([])
    expect(await states()).toEqual({
      // Green would say that its program still lives.
      done: "unknown",
      failed: "finished",
      needy: "unknown",
      over: "finished",
      seen: "unknown",
    })
    await tell({ terminals: [waiting] })
    expect(await needs()).toHaveLength(1)
  })

  it("leaves the list once it has ended and its machine is silent, and a failure once somebody has seen it", async () => {
    const crashed = { ...failed, terminalId: "crashed", ended: true }
    const { machineUuid } = await tell({ presentTerminals: [], terminals: [waiting, over, crashed] })
    const sweep = () => w.call(w.owner, "chorus_sweep_terminals")
    const see = (by: Actor, terminalId: string) => w.call(by, "chorus_see_terminal", { machineUuid, terminalId })
    await sweep()
    expect(Object.keys(await states())).toEqual(["crashed", "needy", "over"])
    w.clock.advance(11 * 60_000)
    await sweep()
    expect(await states()).toEqual({ crashed: "finished", needy: "unknown" })
    await expect(see(w.stranger, "crashed")).rejects.toMatchObject({ code: "not_found" })
    await expect(see(w.member, "crashed")).rejects.toMatchObject({ code: "forbidden" })
    // Its machine hears of it when it is back.
    expect(await see(w.owner, "crashed")).toEqual({ deliveryUuid: expect.any(String) })
    expect(await see(w.owner, "crashed")).toEqual({ deliveryUuid: null })
    expect((await terminals()).find(({ terminalId }) => terminalId === "crashed")).toMatchObject({ unread: false })
    await sweep()
    expect(await states()).toEqual({ needy: "unknown" })
    w.clock.advance(7 * 24 * 3600_000)
    await sweep()
    expect(await states()).toEqual({})
  })

  it("is unknown where its machine is not heard of again since the server began, as the server alone may say", async () => {
    await tell({ presentTerminals: [], terminals: [waiting, done] })
    const unheardSince = w.clock.now().toISOString()
    w.clock.advance(1000)
    await report({ terminals: [{ ...ROW, terminalId: "back" }] })
    await expect(w.call(w.owner, "chorus_sweep_terminals", { unheardSince })).rejects.toMatchObject({
      code: "forbidden",
    })
    await doubtUnheard(w.store, w.registry, unheardSince)
    expect(await states()).toEqual({ done: "unknown", needy: "unknown" })
    expect(await needs()).toEqual([])
    expect((await terminals()).find(({ terminalId }) => terminalId === "back")).toMatchObject({ state: "running" })
  })
})
