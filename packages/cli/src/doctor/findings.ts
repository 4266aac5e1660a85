import { existsSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { livenessOf } from "@chorus/disk"
import { refuseLostData, runningServer } from "@chorus/server/data-directory"
import { VERSION } from "@chorus/server/version"
import { statusChecks } from "@chorus/status"
import { asUnavailable, checkBackup, deepCheck, openSqliteSnapshot, SCHEMA_VERSION } from "@chorus/store"
import { claudeConnection, connectingTo, hasStore, isElsewhere } from "../connect/claude-connection.ts"
import { greet } from "../connect/claude-identity.ts"
import { claudeFolder } from "../connect/claude-settings.ts"
import { megabytes } from "../data/size.ts"
import { processListeningOn } from "../start/port-holder.ts"
import type { Target } from "../output.ts"

export interface Finding {
  readonly what: string
  readonly state: "good" | "odd" | "bad"
  readonly found: string
  /** What to do about it, where something is to be done. */
  readonly next?: string
}

const DEFAULT_PORT = 8637
const LITTLE_SPACE = 500_000_000
const RESTORE = "Stop the server and restore a backup: chorus restore FILE --force."
const PRIMARY = "Have --database lead to the server that takes changes, or let this one take them."
/** What a server says of its store, where starting it again would not help. */
const TOLD_BY_STORE: ReadonlySet<string> = new Set(["store_damaged", "store_unavailable", "disk_full"])

/** Looks at everything a running Chorus stands on; nothing is changed. */
export async function* findings(target: Target, deep = false): AsyncGenerator<Finding, void, undefined> {
  yield { what: "version", state: "good", found: `Chorus ${VERSION}, schema ${SCHEMA_VERSION}` }
  yield nodeVersion()
  const connection = claudeConnection(claudeFolder())
  if (connection !== undefined && target.database === undefined && !hasStore(target.data)) {
    yield { what: "server", state: "good", found: `none of its own: Claude Code is connected to ${connection.url}` }
    yield* keyOfClaude(target)
    yield companion(target.data)
    yield* statusOfAgents()
    return
  }
  if (!existsSync(target.data)) {
    yield {
      what: "data directory",
      state: "odd",
      found: `${target.data} is not there yet`,
      next: "It is made by the first `chorus start`.",
    }
  } else {
    yield directoryMode(target.data)
    yield diskSpace(target.data)
    yield target.database === undefined ? embeddedStore(target.data) : await postgresStore(target.database)
    if (deep) yield await everything(target)
  }
  yield await server(target.data)
  yield* keyOfClaude(target)
  yield companion(target.data)
  yield* statusOfAgents()
}

/** Whether the board takes the key with which Claude Code is connected. */
async function* keyOfClaude(target: Target): AsyncGenerator<Finding, void, undefined> {
  const connection = claudeConnection(claudeFolder())
  if (connection === undefined) return
  const what = "claude key"
  try {
    yield { what, state: "good", found: `${connection.url} accepts it as the key of ${await greet(connection)}` }
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    const elsewhere = isElsewhere(connection, target)
    if (error.code === "key_refused")
      yield {
        what,
        state: "bad",
        found: `${connection.url} refuses it`,
        next: elsewhere ? `${connectingTo(connection)}.` : "chorus connect claude",
      }
    else
      yield {
        what,
        state: "odd",
        found: error.message,
        next: elsewhere
          ? "Start it there, or check the address and this machine's way to it."
          : "chorus start, or chorus connect claude for another address",
      }
  }
}

/** Why the status of an agent may be missing, in the order in which to look. */
async function* statusOfAgents(): AsyncGenerator<Finding, void, undefined> {
  for (const { name, ok, found, fix } of await statusChecks()) {
    yield { what: `status: ${name}`, state: ok ? "good" : "odd", found, ...(fix === undefined ? {} : { next: fix }) }
  }
}

function nodeVersion(): Finding {
  const enough = Number(process.versions.node.split(".")[0]) >= 24
  return {
    what: "Node",
    state: enough ? "good" : "bad",
    found: process.versions.node,
    ...(enough ? {} : { next: "Chorus needs Node 24 or newer; `npm start` brings it." }),
  }
}

function directoryMode(path: string): Finding {
  const others = process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0
  if (!others) return { what: "data directory", state: "good", found: `${path}, yours alone` }
  return {
    what: "data directory",
    state: "bad",
    found: `${path} can be opened by other users of this machine`,
    next: `chmod 700 ${path}`,
  }
}

function diskSpace(path: string): Finding {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  return {
    what: "disk",
    state: free > LITTLE_SPACE ? "good" : "odd",
    found: `${megabytes(free)} free`,
    ...(free > LITTLE_SPACE ? {} : { next: "Free some space before the disk is full." }),
  }
}

function embeddedStore(directory: string): Finding {
  const file = join(directory, "chorus.sqlite")
  try {
    refuseLostData(directory)
    if (!existsSync(file))
      return { what: "store", state: "odd", found: "no data yet", next: "It is made by the first `chorus start`." }
    const { schema, bytes } = checkBackup(file)
    const behind = schema < SCHEMA_VERSION
    return {
      what: "store",
      state: "good",
      found: `sound, ${megabytes(bytes)}, schema ${schema}${behind ? `; brought to ${SCHEMA_VERSION} by the next start` : ""}`,
    }
  } catch (error) {
    return {
      what: "store",
      state: "bad",
      found: messageOf(error),
      next:
        error instanceof ChorusError && error.code === "data_missing" && error.next !== undefined
          ? error.next
          : RESTORE,
    }
  }
}

async function postgresStore(url: string): Promise<Finding> {
  try {
    const { openPostgresSnapshot, takesChanges } = await import("@chorus/store/postgres-snapshot")
    const snapshot = await openPostgresSnapshot(url)
    try {
      const row = await snapshot.db
        .selectFrom("migrations")
        .select(({ fn }) => fn.max("id").as("schema"))
        .executeTakeFirst()
      const found = `PostgreSQL answers, schema ${Number(row?.schema ?? 0)}`
      if (await takesChanges(snapshot)) return { what: "store", state: "good", found }
      return { what: "store", state: "bad", found: `${found}, but it takes no changes`, next: PRIMARY }
    } finally {
      await snapshot.close()
    }
  } catch (error) {
    const fault = asUnavailable(error)
    const damage = fault instanceof ChorusError && fault.code === "store_damaged" ? fault : undefined
    const next = damage?.next ?? "Check --database, and that PostgreSQL runs and lets you in."
    return { what: "store", state: "bad", found: `PostgreSQL: ${messageOf(damage ?? error)}`, next }
  }
}

/** Reads all data as it stands at one moment, beside a server that goes on. */
async function everything({ data, database }: Target): Promise<Finding> {
  const what = "all data"
  try {
    const snapshot =
      database === undefined
        ? openSqliteSnapshot(join(data, "chorus.sqlite"))
        : await (await import("@chorus/store/postgres-snapshot")).openPostgresSnapshot(database)
    const flaws = await deepCheck(snapshot).finally(() => snapshot.close())
    if (flaws.length === 0) return { what, state: "good", found: "read and counted: it fits together" }
    return { what, state: "bad", found: flaws.join("; "), next: RESTORE }
  } catch (error) {
    return { what, state: "bad", found: messageOf(error), next: RESTORE }
  }
}

async function server(directory: string): Promise<Finding> {
  const running = runningServer(directory)
  if (running === undefined || running.url === "") return nobodyServes("none runs on this data")
  try {
    const { version, engine } = await createClient({ url: running.url, timeoutMs: 3000 }).call(
      "chorus_health",
      {},
      { retry: false },
    )
    const same = version === VERSION
    return {
      what: "server",
      state: same ? "good" : "odd",
      found: `process ${running.pid} at ${running.url}, Chorus ${version} on ${engine}`,
      ...(same ? {} : { next: "Restart the server to run the version of this command." }),
    }
  } catch (error) {
    if (livenessOf(running) === "dead")
      return nobodyServes(`none runs on this data; the last one, process ${running.pid}, was killed`)
    return {
      what: "server",
      state: "bad",
      found: `process ${running.pid} should answer at ${running.url}: ${messageOf(error)}`,
      next:
        error instanceof ChorusError && TOLD_BY_STORE.has(error.code) && error.next !== undefined
          ? error.next
          : `Stop process ${running.pid} and start again.`,
    }
  }
}

/** Without it the page knows of terminals and teams what was last told, and marks it as old. */
function companion(data: string): Finding {
  const directory = join(data, "companion")
  const noted = runningServer(directory)
  if (noted !== undefined && livenessOf(noted) !== "dead")
    return {
      what: "companion",
      state: "good",
      found: `process ${noted.pid} reports this machine's terminals and teams`,
    }
  if (noted !== undefined)
    return {
      what: "companion",
      state: "odd",
      found: `process ${noted.pid} was killed; the page no longer hears of this machine's terminals and teams`,
      next: "chorus companion, or the next session where it is enabled",
    }
  const found = existsSync(join(directory, "start"))
    ? "starts with the next session of Claude Code"
    : "not enabled: the page does not show this machine's terminals and teams"
  return { what: "companion", state: "good", found }
}

function nobodyServes(found: string): Finding {
  const holder = processListeningOn(DEFAULT_PORT)
  if (holder === undefined) return { what: "server", state: "odd", found, next: "chorus start" }
  return {
    what: "server",
    state: "odd",
    found: `${found}, and port ${DEFAULT_PORT} is held by process ${holder.pid} (${holder.name})`,
    next: "chorus start --port N",
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
