import type { references } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const LINK = { type: "docs", url: "https://example.test/a", title: "A" }
const add = (targetUuid: string, more: object = {}) =>
  w.call<references.ReferenceRow>(w.pm, "chorus_add_reference", { targetType: "idea", targetUuid, ...LINK, ...more })
const update = (uuid: string, changes: object, by: Actor = w.pm) =>
  w.call<references.ReferenceRow>(by, "chorus_update_reference", { uuid, ...changes })
const remove = (uuid: string, by: Actor = w.pm) => w.call(by, "chorus_remove_reference", { uuid })

describe("a reference", () => {
  it("is told when it comes, changes and goes, each time with what it is about", async () => {
    const targetUuid = await w.newIdea()
    const [added] = await w.told(() => add(targetUuid, { notes: "read this" }))
    expect(added).toMatchObject({
      kind: "reference.added",
      projectUuid: w.project,
      patch: { ...LINK, notes: "read this", targetType: "idea", targetUuid, createdBy: { name: "Petra" } },
    })
    const uuid = added?.entityUuid ?? ""
    expect(await w.told(() => update(uuid, { title: "B", notes: null }))).toMatchObject([
      { kind: "reference.updated", patch: { title: "B", notes: null } },
    ])
    expect(await w.told(() => remove(uuid))).toMatchObject([
      { kind: "reference.removed", action: "deleted", patch: { targetType: "idea", targetUuid, title: "B" } },
    ])
    await expect(remove(uuid)).rejects.toMatchObject({ code: "not_found" })
  })

  it.each([
    "javascript:alert(1)",
    "ftp://example.test/",
    "file:///etc/passwd",
    "example.test",
    "https://",
    "https://a\u0000.test/",
    `https://example.test/${"x".repeat(2100)}`,
  ])("leads nowhere but to the web: %j is refused", async (url) => {
    await expect(add(await w.newIdea(), { url })).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("is one of two hundred at most", async () => {
    const targetUuid = await w.newIdea()
    const { uuid: first } = await add(targetUuid)
    const row = await w.store.db
      .selectFrom("referenceLinks")
      .selectAll()
      .where("uuid", "=", first)
      .executeTakeFirstOrThrow()
    await w.store.write(({ db }) =>
      db
        .insertInto("referenceLinks")
        .values(Array.from({ length: 199 }, (_, n) => ({ ...row, uuid: `${first}-${n}` })))
        .execute(),
    )
    await expect(add(targetUuid)).rejects.toMatchObject({ code: "too_many_references", status: 409 })
    await remove(first)
    expect(await add(targetUuid)).toMatchObject({ title: "A" })
  })

  it("out of reach does not exist", async () => {
    const { uuid } = await add(await w.newIdea())
    const scoped = await w.agent("Elsewhere", { presets: ["admin"], projectUuids: [w.otherProject] })
    for (const actor of [w.stranger, scoped]) {
      await expect(update(uuid, { title: "mine" }, actor)).rejects.toMatchObject({ code: "not_found" })
      await expect(remove(uuid, actor)).rejects.toMatchObject({ code: "not_found" })
    }
  })
})
