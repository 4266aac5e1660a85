// A store of the first schema, or an upgrade of it that never comes to its end: node upgrade.ts FILE WAY
import { planMigrations, runMigrations } from "../../packages/store/src/migrate.ts"
import { migrations } from "../../packages/store/src/migrations/index.ts"
import { kyselyOver, openDatabase } from "../../packages/store/src/sqlite-database.ts"

const [path = "", way] = process.argv.slice(2)
const database = openDatabase(path)
const db = kyselyOver(database)
const NOW = "2026-01-01T00:00:00.000Z"

if (way === "make an old store") {
  const plan = await planMigrations(db)
  await runMigrations(db, "sqlite", { ...plan, pending: plan.pending.slice(0, 1) }, NOW)
  process.stdout.write("made\n")
} else {
  database.exec("begin immediate")
  const half = {
    id: 2,
    name: "half",
    statements: () => ["create table half (id integer)", "insert into half values (1)"],
  }
  await runMigrations(db, "sqlite", await planMigrations(db, [...migrations.slice(0, 1), half]), NOW)
  process.stdout.write("half-way\n")
}
setInterval(() => undefined, 1000)
