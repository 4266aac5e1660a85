import { criteria, runs, runTranscript } from "@chorus/contracts"
import { notFound, operation } from "../../operation.ts"

const { withoutTerminalCodes } = criteria

/** So many places are shown; who looks for something that often looks for too little. */
const MOST_FOUND = 200

export const getTranscript = operation(
  runTranscript.getTranscript,
  async ({ db }, { runUuid, after, before, limit }) => {
    const entries = db.selectFrom("runEntries").select(["revision", "body"]).where("runUuid", "=", runUuid)
    if (before === undefined) {
      const rows = await entries
        .where("revision", ">", after)
        .orderBy("revision")
        .limit(limit + 1)
        .execute()
      const shown = rows.slice(0, limit)
      return { entries: shown.map(shownEntry), revision: shown.at(-1)?.revision ?? after, more: rows.length > limit }
    }
    // Whatever changes from here on is asked for by its revision, which therefore is read first.
    const { revision } = await db
      .selectFrom("runs")
      .select("revision")
      .where("uuid", "=", runUuid)
      .executeTakeFirstOrThrow()
    const rows = await entries
      .where("place", "<", before)
      .orderBy("place", "desc")
      .limit(limit + 1)
      .execute()
    return { entries: rows.slice(0, limit).toReversed().map(shownEntry), revision, more: rows.length > limit }
  },
)

export const searchTranscript = operation(runTranscript.searchTranscript, async ({ db }, { runUuid, text }) => {
  const wanted = text.toLowerCase()
  const found: ReturnType<typeof shownEntry>[] = []
  let after = -1
  for (;;) {
    const rows = await db
      .selectFrom("runEntries")
      .select(["revision", "place", "body"])
      .where("runUuid", "=", runUuid)
      .where("place", ">", after)
      .orderBy("place")
      .limit(5000)
      .execute()
    for (const row of rows) {
      if (!row.body.toLowerCase().includes(JSON.stringify(wanted).slice(1, -1))) continue
      const entry = shownEntry(row)
      if (!`${entry.title ?? ""}\n${entry.text ?? ""}`.toLowerCase().includes(wanted)) continue
      if (found.length === MOST_FOUND) return { entries: found, more: true }
      found.push(entry)
    }
    const last = rows.at(-1)
    if (last === undefined) return { entries: found, more: false }
    after = last.place
  }
})

export const getRunOutput = operation(runTranscript.getRunOutput, async ({ db, actor }, { runUuid, entryId }) => {
  const entry = await db
    .selectFrom("runEntries")
    .select("output")
    .where("runUuid", "=", runUuid)
    .where("id", "=", entryId)
    .executeTakeFirst()
  if (entry === undefined) throw notFound("entry", entryId)
  // Colours are for eyes.
  const output = entry.output === null || actor.type === "user" ? entry.output : withoutTerminalCodes(entry.output)
  return { output }
})

function shownEntry({ revision, body }: { readonly revision: number; readonly body: string }) {
  return { ...runs.RunEntry.parse(JSON.parse(body)), revision }
}
