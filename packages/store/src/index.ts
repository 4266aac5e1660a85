export { askedOften, type Written, writtenOften } from "./asked-often.ts"
export { type BackupFacts, backUpSqlite, checkBackup } from "./backup.ts"
export { deepCheck } from "./deep-check.ts"
export {
  type EventFilter,
  eventsAfter,
  eventsWithin,
  lastPosition,
  PRUNED_AT_ONCE,
  pruneEvents,
  toLogEvent,
} from "./event-log.ts"
export { countRows, type ExportOptions, exportLines } from "./export.ts"
export { lock, tryLock } from "./lock.ts"
export { wordsLike } from "./migrations/0030-signs.ts"
export { SEARCH_WORDS } from "./migrations/0044-lighter-words.ts"
export { SCHEMA_VERSION } from "./migrations/index.ts"
export type { Engine } from "./migrations/migration.ts"
export type { Db, Schema } from "./schema/index.ts"
export { readBackup, restoreSqlite, type Restored } from "./restore.ts"
export { openSqliteSnapshot, type Snapshot } from "./snapshot.ts"
export { importIntoSqlite, type ImportOptions } from "./sqlite-import.ts"
export { openSqliteStore } from "./sqlite-store.ts"
export type { BroadcastListener, LogGrowth, Origin, Store, StoreLoad, Unit } from "./store.ts"
export { inStretches, inTurns, othersFirst } from "./stretches.ts"
export { asUnavailable } from "./unavailable.ts"
