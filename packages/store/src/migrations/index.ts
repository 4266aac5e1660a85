import { workspaceMigration } from "./0001-workspace.ts"
import type { Migration } from "./migration.ts"

/** In order; ids count up from one without gaps. A released migration never changes. */
export const migrations: readonly Migration[] = [workspaceMigration]

export const SCHEMA_VERSION = migrations.length
