import { BundleTally } from "../src/bundle.ts"
import { exportLines, type ExportOptions } from "../src/export.ts"
import type { Snapshot } from "../src/snapshot.ts"

export const NOW = new Date("2026-01-02T03:04:05.000Z")

/** Everything in a snapshot as the lines of a bundle; the snapshot is closed after it. */
export async function linesOf(snapshot: Snapshot, secrets: ExportOptions["secrets"] = "scrubbed"): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportLines(snapshot, { version: "0", now: NOW, secrets })) lines.push(line)
  await snapshot.close()
  return lines
}

export async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

/** Rows between a header and an end that fits them: a bundle that is whole in itself, whatever its rows say. */
export function sealed(header: string | undefined, rows: readonly string[]): string[] {
  const tally = new BundleTally()
  for (const line of rows) tally.add(String((JSON.parse(line) as { table?: unknown }).table), line)
  return [String(header), ...rows, JSON.stringify(tally.end())]
}
