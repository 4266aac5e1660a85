import { expect, it } from "vitest"
import { memoryStore } from "../../test/memory.ts"
import { AT, furnish, row } from "../../test/rows.ts"
import { planMigrations, runMigrations } from "../migrate.ts"
import { sessionOriginMigration } from "./0010-session-origin.ts"

it("reads once what the words and ids of older sessions said of how they came to be", async () => {
  const { database, db } = await memoryStore(sessionOriginMigration.id - 1)
  await furnish(db)
  const claimed = { status: "in_progress", assigneeType: "agent", assigneeUuid: "a1" } as const
  await db
    .insertInto("tasks")
    .values([
      row.task({ uuid: "t1", ...claimed, assignedAt: AT }),
      row.task({ uuid: "t2", ...claimed, assignedAt: "2026-02-01T10:00:00.000Z" }),
    ])
    .execute()
  const session =
    database.prepare(`insert into sessions ("uuid", "agentUuid", "name", "description", "status", "source",
    "externalId", "parentUuid", "lastActiveAt", "createdAt", "updatedAt")
    values (?, 'a1', ?, ?, 'active', ?, ?, ?, '${AT}', '${AT}', '${AT}')`)
  const stay = database.prepare(`insert into checkins ("uuid", "sessionUuid", "taskUuid", "checkinAt")
    values (?, ?, ?, '${AT}')`)
  session.run("main", "Claude Code in shop", null, "claude-code", "claude-code:s", null)
  session.run("own", "works in the background", "it works in the background", null, null, null)
  const child = (uuid: string, name: string, description: string, id: string) =>
    session.run(uuid, name, description, "claude-code", `claude-code:s/${id}`, "main")
  child("behind", "build", "general-purpose in the background", "a1")
  child("waited", "look", "Explore", "toolu_1")
  child("alice", "alice", "general-purpose in the background", "aalice-0123456789abcdef")
  child("unannounced", "builder", "builder", "a2")
  child("early", "general-purpose", "general-purpose", "a1#superseded")
  stay.run("c1", "waited", "t1")
  stay.run("c2", "behind", "t2")

  await runMigrations(db, "sqlite", await planMigrations(db), AT)

  const sessions = await db.selectFrom("sessions").selectAll().orderBy("uuid").execute()
  const known = sessions.map((one) => [
    one.uuid,
    one.description,
    one.agentType,
    one.spawn,
    one.spawnedByUuid,
    one.claimedTaskUuid,
    one.supersededByUuid,
  ])
  expect(known).toEqual([
    ["alice", null, "general-purpose", "teammate", "main", null, null],
    ["behind", null, "general-purpose", "background", "main", null, null],
    ["early", null, "general-purpose", null, null, null, "behind"],
    ["main", null, null, null, null, null, null],
    ["own", "it works in the background", null, null, null, null, null],
    ["unannounced", null, "builder", null, null, null, null],
    ["waited", null, "Explore", "foreground", "main", "t1", null],
  ])
  expect(sessions.find(({ uuid }) => uuid === "early")?.externalId).toBeNull()
})
