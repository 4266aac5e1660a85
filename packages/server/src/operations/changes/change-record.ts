import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"
import { changes, ChorusError } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf } from "../../operation.ts"

export type VersionRecord = Schema["changeVersions"]

/** Every version of a task's change, oldest first, without its files. */
export function versionRecords(db: Db, taskUuid: string): Promise<VersionRecord[]> {
  return db.selectFrom("changeVersions").selectAll().where("taskUuid", "=", taskUuid).orderBy("number").execute()
}

export function newestOf(db: Db, taskUuid: string): Promise<VersionRecord | undefined> {
  const versions = db.selectFrom("changeVersions").selectAll().where("taskUuid", "=", taskUuid)
  return versions.orderBy("number", "desc").limit(1).executeTakeFirst()
}

/** The newest that was looked at on a machine, so that it can be found there. */
export function newestShown(db: Db, taskUuid: string): Promise<VersionRecord | undefined> {
  const versions = db.selectFrom("changeVersions").selectAll().where("taskUuid", "=", taskUuid)
  return versions.where("tree", "is not", null).orderBy("number", "desc").limit(1).executeTakeFirst()
}

/** Of one task. */
export async function versionRows(db: Db, records: readonly VersionRecord[]): Promise<changes.ChangeRow[]> {
  const [first] = records
  if (first === undefined) return []
  const nameOf = await namesOf(
    db,
    records.map((record) => record.createdByUuid),
  )
  const [marks, handIns] = await Promise.all([versionMarks(db, first.taskUuid), handInsOf(db, first.taskUuid)])
  const handedIn = new Map(handIns.map((handIn) => [putUpBy(handIn, marks)?.number, handIn.number]))
  return records.map((record) => ({
    ...versionRow(record, nameOf),
    nth: marks.filter(({ origin, number }) => origin === record.origin && number <= record.number).length,
    handedIn: handedIn.get(record.number) ?? null,
  }))
}

/** By what a version is known, without what is in it; oldest first. */
export type VersionMark = Pick<VersionRecord, "number" | "handIn" | "origin" | "tree" | "createdAt">

export function versionMarks(db: Db, taskUuid: string): Promise<VersionMark[]> {
  return db
    .selectFrom("changeVersions")
    .select(["number", "handIn", "origin", "tree", "createdAt"])
    .where("taskUuid", "=", taskUuid)
    .orderBy("number")
    .execute()
}

function handInsOf(db: Db, taskUuid: string) {
  return db.selectFrom("handIns").select(["number", "submittedAt"]).where("taskUuid", "=", taskUuid).execute()
}

/** What was handed in: the newest that was there by then or, where the work was shown only afterwards, the first. */
function putUpBy(
  { number, submittedAt }: Awaited<ReturnType<typeof handInsOf>>[number],
  marks: readonly VersionMark[],
): VersionMark | undefined {
  const own = marks.filter(({ handIn }) => handIn === number)
  return own.findLast(({ createdAt }) => createdAt <= submittedAt) ?? own[0]
}

function versionRow(record: VersionRecord, nameOf: NameOf): Omit<changes.ChangeRow, "nth" | "handedIn"> {
  const { files: _, repository, warnings, points, baseMoved, createdByType, createdByUuid, ...fields } = record
  return {
    ...fields,
    repository: JSON.parse(repository) as changes.RepositoryIdentity,
    baseMoved: baseMoved === 1,
    warnings: JSON.parse(warnings) as string[],
    points: JSON.parse(points) as changes.ChangePoint[],
    createdBy: nameOf(createdByType, createdByUuid),
  }
}

export function filesOf(record: Pick<VersionRecord, "files">): changes.ChangeFile[] {
  return JSON.parse(record.files) as changes.ChangeFile[]
}

/** The numbered version, or the newest. */
export function versionNumbered(records: readonly VersionRecord[], number: number | undefined): VersionRecord {
  const found = number === undefined ? records.at(-1) : records.find((record) => record.number === number)
  if (found !== undefined) return found
  if (records.length === 0)
    throw new ChorusError("no_such_version", "Nothing was sent for this task yet, so it has no lines.", {
      status: 404,
      next: "Send it with chorus_push_change, or from its checkout with `chorus change push`.",
    })
  throw new ChorusError("no_such_version", `The change has no version ${number ?? 1}; there are ${records.length}.`, {
    status: 404,
    next: "Read the change with chorus_get_change to see its versions.",
  })
}

/** Which of these are not kept yet. */
export async function missingParts(db: Db, taskUuid: string, wanted: Iterable<string>): Promise<string[]> {
  const hashes = [...new Set(wanted)]
  const known = new Set<string>()
  for (const some of chunksOf(hashes)) {
    const rows = await db
      .selectFrom("changeParts")
      .select("sha256")
      .where("taskUuid", "=", taskUuid)
      .where("sha256", "in", some)
      .execute()
    for (const { sha256 } of rows) known.add(sha256)
  }
  return hashes.filter((sha256) => !known.has(sha256))
}

/** Keeps bytes under their own hash; the same bytes are kept once for all versions of a task. */
export async function keepPart(db: Db, taskUuid: string, bytes: Uint8Array): Promise<string> {
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  await db
    .insertInto("changeParts")
    .values({ taskUuid, sha256, content: gzipSync(bytes) })
    .onConflict((conflict) => conflict.columns(["taskUuid", "sha256"]).doNothing())
    .execute()
  return sha256
}

/** What a machine sent compressed, unless it is not what it says it is or too large when it is not compressed. */
export function unpacked(sha256: string, gzip: string): Buffer {
  let bytes: Buffer | undefined
  try {
    bytes = gunzipSync(Buffer.from(gzip, "base64"), { maxOutputLength: changes.MOST_PART_BYTES })
  } catch {
    bytes = undefined
  }
  if (bytes !== undefined && createHash("sha256").update(bytes).digest("hex") === sha256) return bytes
  throw new ChorusError("part_refused", `The part ${sha256.slice(0, 12)} is not what it says it is, or too large.`, {
    status: 400,
    next: "Capture the change again and send it once more.",
  })
}

/** The bytes by their hashes; what is not kept is left out. */
export async function partsOf(db: Db, taskUuid: string, wanted: Iterable<string | null>): Promise<Map<string, Buffer>> {
  const hashes = [...new Set(wanted)].filter((sha256) => sha256 !== null)
  const parts = new Map<string, Buffer>()
  for (const some of chunksOf(hashes)) {
    const rows = await db
      .selectFrom("changeParts")
      .select(["sha256", "content"])
      .where("taskUuid", "=", taskUuid)
      .where("sha256", "in", some)
      .execute()
    for (const { sha256, content } of rows) parts.set(sha256, gunzipSync(content))
  }
  return parts
}

/** Text where the bytes are UTF-8, else each byte as one letter, so that none is lost. */
export function textOf(bytes: Buffer): { text: string; encoding: "utf8" | "latin1" } {
  try {
    return { text: utf8.decode(bytes), encoding: "utf8" }
  } catch {
    return { text: bytes.toString("latin1"), encoding: "latin1" }
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const MOST_AT_ONCE = 500

function chunksOf(hashes: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(hashes.length / MOST_AT_ONCE) }, (_, at) =>
    hashes.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE),
  )
}
