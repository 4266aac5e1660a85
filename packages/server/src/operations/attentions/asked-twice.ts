import { createHash } from "node:crypto"
import { ReportedRow } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"

type Attention = Schema["attentions"]

const TERMINAL = "terminal:"
const SOURCES: Readonly<Record<ReportedRow["agent"], string>> = {
  claude: "claude-code",
  codex: "codex",
  opencode: "opencode",
}

/**
 * Where a program has hooks and its terminal a companion, both tell of what it asks. It is one question: the hook's,
 * which says more, unless only the companion can bring the answer.
 */
export async function withoutDoubles(db: Db, open: readonly Attention[]): Promise<Attention[]> {
  const ofTerminals = open.filter(({ requestId }) => requestId?.startsWith(TERMINAL))
  const ofHooks = open.filter(({ requestId, sessionUuid }) => requestId === "hook" && sessionUuid !== null)
  if (ofTerminals.length === 0 || ofHooks.length === 0) return [...open]
  const sessions = await db
    .selectFrom("sessions")
    .select(["uuid", "externalId"])
    .where("uuid", "in", [...new Set(ofHooks.flatMap(({ sessionUuid }) => sessionUuid ?? []))])
    .execute()
  // A sub-agent's question is shown in the terminal of the session it belongs to.
  const programOf = new Map(sessions.map(({ uuid, externalId }) => [uuid, markOf(externalId?.split("/")[0])]))
  const doubles = new Set<string>()
  for (const copy of ofTerminals) {
    const program = await programIn(db, copy)
    const asked = ofHooks.filter(
      ({ sessionUuid }) => program !== undefined && programOf.get(sessionUuid ?? "") === program,
    )
    const isOnlyWay = copy.answerable === 1 && asked.every(({ answerable }) => answerable === 0)
    const left = isOnlyWay ? asked : asked.length > 0 ? [copy] : []
    for (const { uuid } of left) doubles.add(uuid)
  }
  return open.filter(({ uuid }) => !doubles.has(uuid))
}

/** The session of the program in that terminal, by the mark that its companion tells. */
async function programIn(db: Db, { requestId }: Attention): Promise<string | undefined> {
  const [machineUuid = "", ...rest] = (requestId ?? "").slice(TERMINAL.length).split("/")
  const found = await db
    .selectFrom("terminals")
    .select("row")
    .where("machineUuid", "=", machineUuid)
    .where("terminalId", "=", rest.join("/"))
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { agent, sessionMark } = ReportedRow.parse(JSON.parse(found.row))
  return sessionMark === null ? undefined : `${SOURCES[agent]}:${sessionMark}`
}

/** A session as its program's hooks call it, with the mark in place of its id. */
function markOf(externalId: string | undefined): string | undefined {
  const [, source, id] = /^([^:]+):(.+)$/.exec(externalId ?? "") ?? []
  return id === undefined ? undefined : `${source}:${createHash("sha256").update(id).digest("hex")}`
}
