import { expect, it } from "vitest"
import { memoryStore } from "../../test/memory.ts"
import { AT, furnish } from "../../test/rows.ts"
import { planMigrations, runMigrations } from "../migrate.ts"
import { questionsMigration } from "./0012-questions.ts"

it("accepts what people had answered and nobody had accepted, and leaves what agents answered to people", async () => {
  const { database, db } = await memoryStore(questionsMigration.id - 1)
  await furnish(db)
  const { uuid: projectUuid } = await db.selectFrom("projects").select("uuid").executeTakeFirstOrThrow()
  const idea =
    database.prepare(`insert into ideas ("uuid", "projectUuid", "title", "status", "isContainer", "elaborationStatus",
    "createdByType", "createdByUuid", "createdAt", "updatedAt") values (?, ?, ?, ?, 0, 'validating', 'user', 'u', '${AT}', '${AT}')`)
  const round =
    database.prepare(`insert into "elaborationRounds" ("uuid", "ideaUuid", "roundNumber", "status", "isAppended", "depth",
    "createdByType", "createdByUuid", "createdAt") values (?, ?, 1, 'answered', 0, 'minimal', 'agent', 'a1', '${AT}')`)
  const question =
    database.prepare(`insert into "elaborationQuestions" ("uuid", "roundUuid", "questionId", "position", "text", "category",
    "options", "required", "answeredAt", "answeredByType") values (?, ?, 'q', 0, '?', 'scope', '[]', 1, '${AT}', ?)`)
  const standing = database.prepare(`insert into "ideaStandings" values (?, 'in_progress', 'researching')`)
  for (const [name, status, by] of [
    ["by people", "elaborating", "user"],
    ["by an agent", "elaborating", "agent"],
    ["given back", "open", "user"],
  ] as const) {
    idea.run(name, projectUuid, name, status)
    round.run(`round ${name}`, name)
    question.run(`question ${name}`, `round ${name}`, by)
    standing.run(name)
  }

  await runMigrations(db, "sqlite", await planMigrations(db), AT)

  const known = await db
    .selectFrom("ideas as i")
    .innerJoin("elaborationRounds as r", "r.ideaUuid", "i.uuid")
    .innerJoin("ideaStandings as s", "s.ideaUuid", "i.uuid")
    .select(["i.uuid", "i.status", "i.elaborationStatus", "r.validatedAt", "r.askAgain", "s.badgeHint"])
    .orderBy("i.uuid")
    .execute()
  expect(known.map((one) => Object.values(one))).toEqual([
    ["by an agent", "elaborating", "validating", null, 0, "researching"],
    ["by people", "elaborated", "resolved", AT, 0, "planning"],
    ["given back", "open", "validating", null, 0, "researching"],
  ])
})
