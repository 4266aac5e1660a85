import type { Signature } from "@chorus/contracts"
import { lastPosition } from "@chorus/store"
import { beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { NOBODY, operation, type OperationContext } from "./operation.ts"
import { type Call, Registry, type RegistryOptions, type Touch } from "./registry.ts"

const w = embeddedWorkspace()

type Run = (context: OperationContext, input: unknown) => Promise<unknown>

/** A registry of one operation, made up for the test. */
function registryOf(run: Run, more: Partial<Signature> = {}, options: RegistryOptions = {}): Registry {
  const signature = {
    name: "chorus_test",
    does: "Tests.",
    needs: "anyone",
    kind: "write",
    tool: "none",
    input: z.object({}).loose(),
    output: z.unknown(),
    ...more,
  } as Signature
  return new Registry(w.store, [operation(signature, run as never)], { reactors: [], ...options })
}
const by = (actor: Call["actor"], more: Partial<Call> = {}): Call => ({ actor, requestId: "r1", ...more })
const rename =
  (name: string): Run =>
  async ({ db, emit }) => {
    await db.updateTable("workspaces").set({ name }).where("uuid", "=", w.workspaceUuid).execute()
    emit({
      kind: "workspace.updated",
      entityType: "workspace",
      entityUuid: w.workspaceUuid,
      projectUuid: null,
      action: "updated",
      patch: { name },
    })
    return { name }
  }
const nameNow = async () =>
  (
    await w.store.db
      .selectFrom("workspaces")
      .select("name")
      .where("uuid", "=", w.workspaceUuid)
      .executeTakeFirstOrThrow()
  ).name
const position = () => lastPosition(w.store.db, w.workspaceUuid)

describe("finding an operation", () => {
  it("goes by its name or by one it was called before, and lists it once", async () => {
    const registry = registryOf(async () => "yes", { aliases: ["chorus_old"] })
    expect(await registry.execute("chorus_old", {}, by(w.owner))).toBe("yes")
    expect(registry.find("chorus_old")).toBe(registry.find("chorus_test"))
    expect(registry.signatures()).toHaveLength(1)
  })

  it.each(["chorus_nothing", "toString", "__proto__", ""])("says so when there is none called %j", async (name) => {
    await expect(registryOf(async () => 1).execute(name, {}, by(w.owner))).rejects.toMatchObject({
      code: "unknown_operation",
      status: 404,
    })
  })

  it("is never in doubt: two of one name are refused at the start", () => {
    const signature = { name: "twin", aliases: ["other"] } as unknown as Signature
    const twin = operation(signature, async () => ({}) as never)
    expect(() => new Registry(w.store, [twin, twin])).toThrow("two operations are called twin")
  })
})

describe("authorising", () => {
  it.each([
    ["person", "only people do this", "Ask a person"],
    ["steward", "only the workspace's owner and admins do this", "Ask one of them"],
  ] as const)("says of what a %s does who they are, as nobody can be granted that", async (needs, why, next) => {
    await expect(
      registryOf(async () => ({}), { needs }).execute("chorus_test", {}, by(w.developer)),
    ).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining(why),
      next: expect.stringContaining(next),
    })
  })

  it("comes before validating, so that nobody learns what an input looks like", async () => {
    const registry = registryOf(async () => 1, { needs: "task:admin", input: z.object({ must: z.string() }) })
    await expect(registry.execute("chorus_test", {}, by(undefined))).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
    })
    await expect(registry.execute("chorus_test", {}, by(w.developer))).rejects.toMatchObject({
      code: "forbidden",
      status: 403,
      message: "Dev may not call chorus_test; it needs task:admin.",
      next: expect.stringContaining("task:admin"),
    })
    await expect(registry.execute("chorus_test", {}, by(w.admin))).rejects.toMatchObject({
      code: "invalid_input",
      details: { issues: [{ path: "must" }] },
    })
  })

  it("lets nobody in particular call what needs nobody", async () => {
    const registry = registryOf(async ({ actor }) => actor, { needs: "nobody", kind: "read" })
    expect(await registry.execute("chorus_test", {}, by(undefined))).toBe(NOBODY)
  })

  it("names twenty faults of an input at most", async () => {
    const registry = registryOf(async () => 1, { input: z.object({ list: z.array(z.string()) }) })
    const call = registry.execute("chorus_test", { list: Array.from({ length: 50 }, (_, n) => n) }, by(w.owner))
    await expect(call).rejects.toMatchObject({
      code: "invalid_input",
      details: { issues: Array.from({ length: 20 }, (_, n) => ({ path: `list.${n}` })) },
    })
  })

  it("takes a missing input for an empty one, and anything else for what it is", async () => {
    const registry = registryOf(async (_, input) => input, { kind: "read" })
    for (const input of [undefined, null]) expect(await registry.execute("chorus_test", input, by(w.owner))).toEqual({})
    for (const input of [[], "text", 7, true])
      await expect(registry.execute("chorus_test", input, by(w.owner))).rejects.toMatchObject({ code: "invalid_input" })
  })
})

describe("reach", () => {
  const call = (run: Run, projectUuid: string) => registryOf(run).execute("chorus_test", { projectUuid }, by(w.owner))

  it("undoes whatever an operation did that names what is out of reach, and says only that", async () => {
    const before = await position()
    const ran: string[] = []
    const run: Run = async (context, input) => {
      context.afterCommit(() => ran.push("after"))
      return rename("out of reach")(context, input)
    }
    await expect(call(run, w.strangersProject)).rejects.toMatchObject({ code: "not_found" })
    expect([await nameNow(), await position(), ran]).toEqual(["Chorus", before, []])
  })

  it("is not got by what the operation does: a group of others stays out, also to who would put their project into it", async () => {
    const { uuid: group } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project_group", { name: "G" })
    await w.call(w.owner, "chorus_admin_move_project_to_group", { projectUuid: w.otherProject, groupUuid: group })
    const confined = await w.agent("Confined", { presets: ["admin"], projectUuids: [w.project] })
    const input = { projectUuid: w.project, groupUuid: group }
    await expect(w.call(confined, "chorus_admin_move_project_to_group", input)).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("comes before what the operation itself would have said", async () => {
    const refuse: Run = async () => Promise.reject(new Error("a secret of theirs"))
    await expect(call(refuse, w.strangersProject)).rejects.toMatchObject({ code: "not_found" })
    await expect(call(refuse, w.project)).rejects.toThrow("a secret of theirs")
  })
})

describe("a read", () => {
  it("may not tell anything", async () => {
    const registry = registryOf(rename("by a read"), { kind: "read" })
    await expect(registry.execute("chorus_test", {}, by(w.owner))).rejects.toThrow()
    expect(await nameNow()).toBe("Chorus")
  })

  it("sees only what is committed", async () => {
    const read = registryOf(
      async ({ db }) =>
        (await db.selectFrom("workspaces").select("name").where("uuid", "=", w.workspaceUuid).executeTakeFirstOrThrow())
          .name,
      { kind: "read" },
    )
    const seen: unknown[] = []
    const write = registryOf(async (context, input) => {
      await rename("half done")(context, input)
      seen.push(await read.execute("chorus_test", {}, by(w.owner)))
      throw new Error("undone")
    })
    await expect(write.execute("chorus_test", {}, by(w.owner))).rejects.toThrow("undone")
    expect(seen).toEqual(["Chorus"])
  })
})

describe("a write", () => {
  it("appends its events in order, with who, when and by which request", async () => {
    const before = await position()
    const now = () => new Date("2026-05-05T05:05:05.005Z")
    await registryOf(rename("Chorus"), {}, { now }).execute("chorus_test", {}, by(w.pm, { requestId: "req-7" }))
    const event = await w.store.db
      .selectFrom("events")
      .selectAll()
      .where("workspaceUuid", "=", w.workspaceUuid)
      .where("id", "=", before + 1)
      .executeTakeFirstOrThrow()
    expect(event).toMatchObject({
      kind: "workspace.updated",
      at: "2026-05-05T05:05:05.005Z",
      requestId: "req-7",
      actorType: "agent",
      actorName: "Petra",
    })
  })

  it.each(["the operation", "a reactor"])(
    "leaves no trace when %s fails, and nothing that waited for it runs",
    async (culprit) => {
      const before = await position()
      const ran: string[] = []
      const run: Run = async (context, input) => {
        context.afterCommit(() => ran.push("after"))
        await rename("never")(context, input)
        if (culprit === "the operation") throw new Error("no")
      }
      const registry = registryOf(
        run,
        {},
        { reactors: [async () => (culprit === "a reactor" ? Promise.reject(new Error("no")) : undefined)] },
      )
      await expect(registry.execute("chorus_test", {}, by(w.owner))).rejects.toThrow("no")
      expect([await nameNow(), await position(), ran]).toEqual(["Chorus", before, []])
    },
  )

  it("shows each reactor what was told before it, also by those before it", async () => {
    const seen: string[][] = []
    const reactor =
      (name: string) =>
      async ({ emit }: OperationContext, events: readonly { entityUuid: string }[]) => {
        seen.push(events.map(({ entityUuid }) => entityUuid))
        emit({
          kind: "workspace.updated",
          entityType: "workspace",
          entityUuid: name,
          projectUuid: null,
          action: "updated",
          patch: {},
        })
      }
    await registryOf(rename("Chorus"), {}, { reactors: [reactor("one"), reactor("two")] }).execute(
      "chorus_test",
      {},
      by(w.owner),
    )
    expect(seen).toEqual([[w.workspaceUuid], [w.workspaceUuid, "one"]])
  })

  it("runs what waited for it once it is durable", async () => {
    const order: string[] = []
    const registry = registryOf(async ({ afterCommit }) => {
      afterCommit(() => order.push("after"))
      order.push("run")
    })
    await registry.execute("chorus_test", {}, by(w.owner))
    expect(order).toEqual(["run", "after"])
  })
})

describe("a retry", () => {
  it("with the same key gets the first answer, and nothing happens again", async () => {
    let runs = 0
    const registry = registryOf(async () => ({ run: ++runs, secret: "s3cret" }))
    const call = () => registry.execute("chorus_test", { a: 1 }, by(w.owner, { idempotencyKey: "key-1" }))
    expect(await Promise.all([call(), call(), call()])).toEqual(
      Array.from({ length: 3 }, () => ({ run: 1, secret: "s3cret" })),
    )
    expect(runs).toBe(1)
    const kept = await w.store.db.selectFrom("receipts").selectAll().execute()
    expect(JSON.stringify(kept)).not.toMatch(/s3cret|key-1/)
  })

  it("with another input, or of another operation, is refused", async () => {
    const registry = registryOf(async () => ({}))
    await registry.execute("chorus_test", { a: 1 }, by(w.owner, { idempotencyKey: "key-2" }))
    await expect(
      registry.execute("chorus_test", { a: 2 }, by(w.owner, { idempotencyKey: "key-2" })),
    ).rejects.toMatchObject({ code: "idempotency_key_reused", status: 409 })
    await expect(
      registryOf(async () => ({}), { name: "chorus_other" }).execute(
        "chorus_other",
        { a: 1 },
        by(w.owner, { idempotencyKey: "key-2" }),
      ),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" })
  })

  it("of another caller is their own first call", async () => {
    let runs = 0
    const registry = registryOf(async () => ++runs)
    for (const actor of [w.owner, w.member, w.stranger])
      await registry.execute("chorus_test", {}, by(actor, { idempotencyKey: "shared" }))
    expect(runs).toBe(3)
  })

  it("after a failure tries again", async () => {
    let runs = 0
    const registry = registryOf(async () => (++runs === 1 ? Promise.reject(new Error("first")) : runs))
    const call = () => registry.execute("chorus_test", {}, by(w.owner, { idempotencyKey: "key-3" }))
    await expect(call()).rejects.toThrow("first")
    expect(await call()).toBe(2)
    expect(await call()).toBe(2)
  })

  it("has a key of two hundred characters at most, and none for a read", async () => {
    await expect(
      registryOf(async () => 1).execute("chorus_test", {}, by(w.owner, { idempotencyKey: "k".repeat(201) })),
    ).rejects.toMatchObject({ code: "invalid_input" })
    expect(
      await registryOf(async () => 1).execute("chorus_test", {}, by(w.owner, { idempotencyKey: "k".repeat(200) })),
    ).toBe(1)
    let reads = 0
    const read = registryOf(async () => ++reads, { kind: "read" })
    for (let n = 0; n < 2; n++) await read.execute("chorus_test", {}, by(w.owner, { idempotencyKey: "r" }))
    expect(reads).toBe(2)
  })
})

describe("what an input names", () => {
  it("is told to who watches, after it went well, and only then", async () => {
    const touches: Touch[] = []
    const taskUuid = await w.newTask()
    const onTouch = (touch: Touch) => void touches.push(touch)
    await registryOf(async () => 1, { kind: "read" }, { onTouch }).execute(
      "chorus_test",
      { taskUuid, title: "x" },
      by(w.developer),
    )
    await registryOf(async () => 1, {}, { onTouch }).execute("chorus_test", { taskUuid }, by(w.developer))
    await registryOf(async () => Promise.reject(new Error("no")), {}, { onTouch })
      .execute("chorus_test", { taskUuid }, by(w.developer))
      .catch(() => undefined)
    expect(touches.map(({ kind, reached, actor }) => [kind, reached, actor.name])).toEqual([
      ["read", [{ noun: "task", uuid: taskUuid, projectUuid: w.project }], "Dev"],
      ["write", [{ noun: "task", uuid: taskUuid, projectUuid: w.project }], "Dev"],
    ])
  })
})

describe("where in the log an answer stands", () => {
  const heard: number[] = []
  const asking = (actor: Call["actor"], more: Partial<Call> = {}) =>
    by(actor, { ...more, onPosition: (at) => void heard.push(at) })
  const told = (recipientUuid: string) => ({
    kind: "notification.read" as const,
    entityType: "notification" as const,
    entityUuid: "n1",
    projectUuid: null,
    action: "updated" as const,
    patch: { recipientUuid },
  })
  beforeEach(() => heard.splice(0))

  it("is, for a read, a place before everything it has not read", async () => {
    const before = await position()
    const read: Run = async () => {
      await registryOf(rename("meanwhile")).execute("chorus_test", {}, by(w.owner))
      return nameNow()
    }
    expect(await registryOf(read, { kind: "read" }).execute("chorus_test", {}, asking(w.owner))).toBe("meanwhile")
    expect(heard).toEqual([before])
  })

  it("is, for a write, the last event that its caller will see", async () => {
    const before = await position()
    const run: Run = async (context) => {
      await rename("told")(context, {})
      context.emit(told(w.member.uuid))
      return 1
    }
    await registryOf(run).execute("chorus_test", {}, asking(w.owner))
    await registryOf(run).execute("chorus_test", {}, asking(w.member))
    expect(heard).toEqual([before + 1, before + 4])
  })

  it("is unknown for a write that failed, of which the log says nothing to its caller, or that was made before", async () => {
    const silent: Run = async ({ emit }) => emit(told(w.member.uuid))
    await registryOf(silent).execute("chorus_test", {}, asking(w.owner))
    await registryOf(async () => 1).execute("chorus_test", {}, asking(w.owner))
    const failing: Run = async (context) => rename("x")(context, {}).then(() => Promise.reject(new Error("no")))
    await expect(registryOf(failing).execute("chorus_test", {}, asking(w.owner))).rejects.toThrow("no")
    expect(heard).toEqual([])
    const again = () =>
      registryOf(rename("once")).execute("chorus_test", {}, asking(w.owner, { idempotencyKey: "once" }))
    await again()
    await again()
    expect(heard).toHaveLength(1)
  })
})

describe("an observer", () => {
  it("sees every call by the operation's own name, whatever became of it", async () => {
    const seen: string[] = []
    const observer = {
      around: async <T>(name: string, requestId: string, work: () => Promise<T>): Promise<T> => {
        seen.push(`${name} ${requestId}`)
        return work()
      },
    }
    const registry = registryOf(async () => 1, { aliases: ["chorus_old"], needs: "person" }, { observer })
    await registry.execute("chorus_old", {}, by(w.owner))
    await registry.execute("chorus_test", {}, by(w.viewer, { requestId: "r2" })).catch(() => undefined)
    expect(seen).toEqual(["chorus_test r1", "chorus_test r2"])
  })

  it("may ask for answers to be checked", async () => {
    const registry = registryOf(
      async () => ({ count: "many" }),
      { output: z.object({ count: z.number() }) },
      { checkOutput: true },
    )
    await expect(registry.execute("chorus_test", {}, by(w.owner))).rejects.toThrow(/count/)
  })

  it.each([
    ["a field that no row of the entity has", "task.updated", "task", "updated", { titel: "New" }, /titel/],
    ["a value that the field does not have", "task.updated", "task", "updated", { status: "finished" }, /status/],
    ["less than a row of something new", "key.created", "key", "created", { uuid: "k1" }, /agentUuid/],
    ["nothing of what its kind carries beside the row", "task.reported", "task", "updated", {}, /reportUuid/],
    ["more than is told of what goes", "webhook.deleted", "webhook", "deleted", { url: "x" }, /url/],
    ["another entity than its kind is about", "task.updated", "idea", "updated", {}, /idea/],
    ["another action than its kind stands for", "task.updated", "task", "deleted", {}, /deleted/],
  ])("may ask for events to be checked: refuses one with %s", async (_, kind, entityType, action, patch, said) => {
    const event = { kind, entityType, entityUuid: "x", projectUuid: null, action, patch }
    const registry = registryOf(async ({ emit }) => emit(event as never), {}, { checkOutput: true })
    const before = await position()
    await expect(registry.execute("chorus_test", {}, by(w.owner))).rejects.toThrow(said)
    expect(await position()).toBe(before)
  })
})

describe("emitting", () => {
  it("is held to what the kind declares by the compiler", () => {
    const emit: OperationContext["emit"] = () => undefined
    const about = { entityUuid: "t1", projectUuid: null }
    const task = { kind: "task.updated", entityType: "task", action: "updated", ...about } as const
    const misspelled = { title: "New", titel: "New" }
    emit({ ...task, patch: { title: "New", description: null } })
    // @ts-expect-error A row of tasks has no such field; so is one that was renamed.
    emit({ ...task, patch: { titel: "New" } })
    // @ts-expect-error Nor has a patch that was put together elsewhere.
    emit({ ...task, patch: misspelled })
    // @ts-expect-error A task has no such status.
    emit({ ...task, patch: { status: "finished" } })
    // @ts-expect-error The kind is about a task.
    emit({ ...task, entityType: "idea", patch: {} })
    // @ts-expect-error What is created comes as a whole row.
    emit({ kind: "key.created", entityType: "key", action: "created", ...about, patch: { name: "k" } })
    // @ts-expect-error A report is told with where it stands.
    emit({ kind: "task.reported", entityType: "task", action: "updated", ...about, patch: {} })
    // @ts-expect-error There is no such kind.
    emit({ ...task, kind: "task.renamed", patch: {} })
    expect(emit).toBeTypeOf("function")
  })
})
