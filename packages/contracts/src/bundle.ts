import { z } from "zod"

/** The first line of an export. */
export const BundleHeader = z.object({
  chorus: z.literal("export"),
  format: z.number().int(),
  /** The schema its rows fit. */
  schema: z.number().int().min(1),
  version: z.string(),
  exportedAt: z.string(),
  /** Whether password and key hashes and sessions are in it: only in backups. */
  secrets: z.boolean(),
  tables: z.record(z.string(), z.array(z.string())),
})
export type BundleHeader = z.infer<typeof BundleHeader>

const Value = z.union([z.string(), z.number(), z.null(), z.object({ base64: z.string() })])
export const BundleRow = z.object({ table: z.string(), row: z.record(z.string(), Value) })
export type BundleRow = z.infer<typeof BundleRow>

/** The last line; without it the bundle was cut off. The digest is of all row lines, each with its line break. */
export const BundleEnd = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number().int()),
  sha256: z.string(),
})
export type BundleEnd = z.infer<typeof BundleEnd>
