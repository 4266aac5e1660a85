import { randomBytes } from "node:crypto"

type Row = Readonly<Record<string, unknown>>

/**
 * Columns that are never exported, and what stands in their place after an import: nothing that anybody could present.
 */
export const SECRET_COLUMNS: Readonly<Record<string, Readonly<Record<string, (row: Row) => string | null>>>> = {
  users: { passwordHash: () => null },
  apiKeys: { hash: (row) => `scrubbed:${String(row["uuid"])}` },
  webhooks: { secret: () => randomBytes(32).toString("base64url") },
}

/**
 * Tables that are never exported: they hold ways in, or answers that may hold secrets, and nobody misses them in
 * another store.
 */
export const SECRET_TABLES: readonly string[] = [
  "signIns",
  "signInLinks",
  "signInAttempts",
  "sharedSecrets",
  "pushSubscriptions",
  "channels",
  "bridges",
  // Gone since deliveries are one table; bundles of before were made without it.
  "pushMessages",
  "personPresence",
  "receipts",
]

/** Written by the store itself wherever it is opened. */
export const OWN_TABLES: readonly string[] = ["migrations", "searchEntries", "clocks"]
