import { randomUUID } from "node:crypto"
import { Connection } from "pg"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

/** What goes to PostgreSQL in one piece, statement by statement: each piece is waited for. */
type Packet = readonly string[]

let w: Workspace
let packets: string[][]
let one: string
let other: string

beforeAll(async () => {
  w = await openWorkspace({ engine: "postgres" })
  watch()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await w.close()
})
beforeEach(async () => {
  const asked = ["Count me", "Warm up"].map((title) => ({ title, acceptanceCriteriaItems: [{ description: "it is" }] }))
  const made = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
    projectUuid: w.project,
    tasks: asked,
  })
  ;[one = "", other = ""] = made.tasks.map(({ uuid }) => uuid)
})

/** What every change ends with: its events, the commit, and the shared round that gives them positions. */
const END = ["append", "commit"]
const ROUND: Packet = ["chorus_round"]
/** What is asked of a task that is held: whether it is within reach, and what those who follow the change will want to know. */
const HELD = ["select tasks, held", "select users and agents"]

describe("what a change asks of PostgreSQL", () => {
  it("is two questions for an update: what is so, and what becomes of it", async () => {
    const update = (taskUuid: string) => w.call(w.owner, "chorus_update_task", { taskUuid, title: randomUUID() })
    expect(await asked(update)).toEqual([
      ["begin", "select projects", "lock", ...HELD, "select criteria"],
      ["update tasks", "insert textVersions", "insert notifications", ...END],
      ROUND,
    ])
  })

  it("is two for a claim", async () => {
    const claim = (taskUuid: string) => w.call(w.developer, "chorus_claim_task", { taskUuid })
    const step = ["select notifications", "update attentions"]
    const links = ["select taskEdges with tasks", "select taskEdges with tasks"]
    expect(await asked(claim)).toEqual([
      ["begin", "select projects", ...HELD, ...step, "select criteria", ...links],
      ["update tasks", "insert notifications", ...END],
      ROUND,
    ])
  })

  it("is two for a comment", async () => {
    const comment = (targetUuid: string) =>
      w.call(w.developer, "chorus_add_comment", { targetType: "task", targetUuid, content: "It works." })
    expect(await asked(comment)).toEqual([
      ["begin", "select projects", "select tasks with projects", "select users and agents"],
      ["insert comments", "insert notifications", ...END],
      ROUND,
    ])
  })

  it("is no more where the call can be repeated: its receipt goes with the rest", async () => {
    const update = (taskUuid: string) =>
      w.registry.execute(
        "chorus_update_task",
        { taskUuid, title: randomUUID() },
        { actor: w.owner, requestId: "test", idempotencyKey: randomUUID() },
      )
    expect(await asked(update)).toEqual([
      ["begin", "lock", "select receipts", "select projects", "lock", ...HELD, "select criteria"],
      ["update tasks", "insert textVersions", "insert notifications", "insert receipts", ...END],
      ROUND,
    ])
  })
})

/** The second time: the first has PostgreSQL learn what it is asked. */
async function asked(call: (taskUuid: string) => Promise<unknown>): Promise<readonly Packet[]> {
  await call(other)
  packets = []
  await call(one)
  return packets
}

/** Listens to what is sent on every connection. */
function watch(): void {
  const texts = new WeakMap<Connection, Map<string, string>>()
  const begun = new WeakMap<Connection, string[]>()
  const { parse, bind, sync } = Connection.prototype
  vi.spyOn(Connection.prototype, "parse").mockImplementation(function (this: Connection, ...sent) {
    const known = texts.get(this) ?? new Map<string, string>()
    texts.set(this, known.set(sent[0].name, sent[0].text))
    parse.apply(this, sent)
  })
  vi.spyOn(Connection.prototype, "bind").mockImplementation(function (this: Connection, ...sent) {
    const packet = begun.get(this) ?? []
    begun.set(this, [...packet, inShort(texts.get(this)?.get(sent[0]?.statement ?? "") ?? "")])
    bind.apply(this, sent)
  })
  vi.spyOn(Connection.prototype, "sync").mockImplementation(function (this: Connection) {
    packets?.push(begun.get(this) ?? [])
    begun.delete(this)
    sync.apply(this)
  })
}

function inShort(text: string): string {
  if (text.startsWith("with drawn")) return "append"
  if (text.includes("chorus_round")) return "chorus_round"
  if (text.includes("pg_advisory_xact_lock")) return "lock"
  if (/from "users".* union all .*from "agents"/s.test(text)) return "select users and agents"
  const [, verb, table = ""] =
    /^(select) .*?from "?(\w+)|^(?:(?:(insert) into|(update)) "?(\w+))/s.exec(text)?.filter(Boolean) ?? []
  if (verb === undefined) return text
  const joined = /inner join "?(\w+)/.exec(text)?.[1]
  return `${verb} ${table}${joined === undefined ? "" : ` with ${joined}`}${text.includes("for no key") ? ", held" : ""}`
}
