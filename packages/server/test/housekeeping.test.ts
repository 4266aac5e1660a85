import { expect, it } from "vitest"
import { expire, forgetEvents, tidyUp } from "../src/housekeeping.ts"
import { runningServer } from "./running-server.ts"

it("drops old receipts and, where a limit is set, old events; the rest stays", async () => {
  const chorus = await runningServer()
  const { store } = chorus.server
  await chorus.post("chorus_admin_create_project", { name: "kept" }, { "idempotency-key": "k" })
  const count = async (table: "events" | "receipts") => (await store.db.selectFrom(table).selectAll().execute()).length
  const events = await count("events")

  await tidyUp(store, new Date())
  expect(await count("receipts")).toBe(1)

  await tidyUp(store, new Date(Date.now() + 3 * 86_400_000))
  expect(await count("receipts")).toBe(0)
  expect(await count("events")).toBe(events)

  await forgetEvents(store, 30, new Date(Date.now() + 31 * 86_400_000))
  expect(await count("events")).toBe(0)
  expect((await chorus.post("chorus_list_projects")).body["total"]).toBe(1)
  await chorus.close()
})

it("marks what has expired, so that readers of the log learn of it", async () => {
  const chorus = await runningServer()
  const { store, registry } = chorus.server
  const { body: project } = await chorus.post("chorus_admin_create_project", { name: "p" })
  const { body: made } = await chorus.post("chorus_create_tasks", {
    projectUuid: project["uuid"],
    tasks: [{ title: "t", acceptanceCriteriaItems: [{ description: "works" }] }],
  })
  const taskUuid = (made["tasks"] as { uuid: string }[])[0]?.uuid
  await chorus.post("chorus_start_task", { taskUuid })
  expect((await chorus.post("chorus_reserve_paths", { taskUuid, globs: ["src/**"] })).status).toBe(200)
  await store.write(({ db }) => db.updateTable("reservations").set({ expiresAt: "2020-01-01T00:00:00.000Z" }).execute())
  await expire(store, registry)
  const kinds = (await store.db.selectFrom("events").select("kind").execute()).map(({ kind }) => kind)
  expect(kinds).toContain("reservation.expired")
  await chorus.close()
})
