import { EventEmitter } from "node:events"
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import type { CompiledQuery } from "kysely"
import { answered } from "./asked-often.ts"
import { type Appended, eventWriter, lastPosition } from "./event-log.ts"
import { GroupCommit } from "./group-commit.ts"
import { type MigrationPlan, planMigrations, runMigrations } from "./migrate.ts"
import { kyselyOver, openDatabase } from "./sqlite-database.ts"
import { sqliteFault, storeDamaged } from "./sqlite-fault.ts"
import { quickCheck, quickCheckBeside } from "./sqlite-check.ts"
import type { LogGrowth, Store, Unit } from "./store.ts"

/** Opens (and if need be creates or upgrades) the embedded store in one file. */
export async function openSqliteStore(path: string, now: () => Date = () => new Date()): Promise<Store> {
  try {
    return await openStore(path, now)
  } catch (error) {
    throw sqliteFault(error, path)
  }
}

async function openStore(path: string, now: () => Date): Promise<Store> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(path)
  const writer = openDatabase(path)
  const commits = new GroupCommit(writer)
  const writerDb = kyselyOver(writer, () => commits.assertUnderWay())
  try {
    const plan = await planMigrations(kyselyOver(writer))
    if (!isNew && plan.from > 0) backUpBefore(plan, path)
    if (plan.pending.length > 0) await commits.run(() => runMigrations(writerDb, "sqlite", plan, now().toISOString()))
  } catch (error) {
    writer.close()
    throw error
  }

  const writeEvents = eventWriter(writer)
  const reader = openDatabase(path, { readOnly: true })
  let damage: ChorusError | undefined
  const told = (error: unknown): unknown => {
    const fault = sqliteFault(error, "the data")
    if (fault instanceof ChorusError && fault.code === "store_damaged") damage ??= fault
    return fault
  }
  const readerDb = kyselyOver(reader, undefined, told)
  const listeners = new Set<LogGrowth>()
  const broadcasts = new EventEmitter()
  // Nobody else writes into the file, so it is asked once for each workspace.
  const positions = new Map<string, number>()
  const reached = (workspaceUuid: string, position: number): number => {
    const furthest = Math.max(position, positions.get(workspaceUuid) ?? 0)
    positions.set(workspaceUuid, furthest)
    return furthest
  }

  const grown = (workspaceUuid: string, position: number): void => {
    reached(workspaceUuid, position)
    for (const listener of listeners) listener(workspaceUuid, position)
  }

  return {
    engine: "sqlite",
    db: readerDb,
    async write(work) {
      const afterCommit: (() => void)[] = []
      const appended: Appended[] = []
      const last: CompiledQuery[] = []
      const besides: Promise<unknown>[] = []
      const unit: Unit = {
        db: writerDb,
        engine: "sqlite",
        append: (origin, events, told) => events.length > 0 && appended.push({ origin, events, told }),
        later: (statement) => last.push(statement.compile()),
        besides: (statement) => {
          const asked = answered(writerDb, statement.compile())
          // A change that is undone has an error of its own to tell.
          asked.catch(() => undefined)
          besides.push(asked)
        },
        onCommit: (run) => afterCommit.push(run),
      }
      const change = async () => {
        const value = await work(unit)
        await Promise.all(besides)
        for (const statement of last) await answered(writerDb, statement)
        for (const one of appended) {
          const position = writeEvents(one)
          unit.onCommit(() => {
            grown(one.origin.workspaceUuid, position)
            one.told?.(position)
          })
        }
        return value
      }
      const value = await commits.run(change).catch((error: unknown) => Promise.reject(told(error)))
      for (const run of afterCommit) run()
      return value
    },
    async position(workspaceUuid) {
      return positions.get(workspaceUuid) ?? reached(workspaceUuid, await lastPosition(readerDb, workspaceUuid))
    },
    onGrowth(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async broadcast(topic, message) {
      broadcasts.emit(topic, message)
    },
    onBroadcast(topic, listener) {
      broadcasts.on(topic, listener)
      return () => void broadcasts.off(topic, listener)
    },
    load: () => undefined,
    damage: () => damage,
    async check(most) {
      if (most !== undefined && statSync(path).size > most) return false
      const verdict = most === undefined ? await quickCheckBeside(path) : quickCheck(path)
      if (verdict !== "ok") throw told(storeDamaged(path, verdict))
      return true
    },
    async close() {
      await commits.idle()
      broadcasts.removeAllListeners()
      listeners.clear()
      reader.close()
      writer.close()
    },
  }

  function backUpBefore(plan: MigrationPlan, file: string): void {
    if (plan.pending.length === 0) return
    const target = join(
      dirname(file),
      `before-schema-${plan.pending.at(-1)?.id ?? plan.from}-${now().toISOString().replace(/[:.]/g, "-")}.sqlite`,
    )
    writer.prepare("vacuum into ?").run(target)
  }
}
