import { expect, it } from "vitest"
import { tidyUp } from "../src/housekeeping.ts"
import { runningServer } from "./running-server.ts"

it("drops old receipts and, where a limit is set, old events; the rest stays", async () => {
  const chorus = await runningServer()
  const { store } = chorus.server
  await chorus.post("chorus_admin_create_project", { name: "kept" }, { "idempotency-key": "k" })
  const count = async (table: "events" | "receipts") => (await store.db.selectFrom(table).selectAll().execute()).length
  const events = await count("events")

  await tidyUp(store, { eventsKeptDays: undefined }, new Date())
  expect(await count("receipts")).toBe(1)

  await tidyUp(store, { eventsKeptDays: undefined }, new Date(Date.now() + 3 * 86_400_000))
  expect(await count("receipts")).toBe(0)
  expect(await count("events")).toBe(events)

  await tidyUp(store, { eventsKeptDays: 30 }, new Date(Date.now() + 31 * 86_400_000))
  expect(await count("events")).toBe(0)
  expect((await chorus.post("chorus_list_projects")).body["total"]).toBe(1)
  await chorus.close()
})
