import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { livenessOf, processStart, readText, replaceFile } from "@chorus/disk"
import { folderNotes, settleFolders } from "@chorus/status/hook-program"
import { greet } from "./claude-identity.ts"

/** A folder in which something of Claude Code's sessions lies, as the hook program notes it. */
interface KeptFolder {
  readonly note: string
  readonly place: string
  readonly url: string
  readonly key: string
}

const PROGRAM = "claude"

/** What was kept under a key that was taken away since is told under the one that took its place. */
export async function renewKeptKeys(url: string, key: string): Promise<void> {
  for (const folder of keptFolders().filter((kept) => kept.url === url && kept.key !== key))
    if (await isRefused(folder))
      replaceFile(folder.note, `${[folder.place, PROGRAM, url, key].join("\n")}\n`, { mode: 0o600 })
  settleFolders()
}

/** What is left to be told from a project: by a session that still runs there, or in what ended ones have said. */
export interface Unfinished {
  readonly project: string
  readonly running: boolean
}

export function unfinishedProjects(): Unfinished[] {
  return keptFolders().flatMap(({ place }) => {
    const sessions = join(place, "sessions")
    const running = namesIn(sessions).some((name) => isRunning(readText(join(sessions, name)) ?? ""))
    return running || namesIn(join(place, "spool")).length > 0 ? [{ project: dirname(dirname(place)), running }] : []
  })
}

function keptFolders(): KeptFolder[] {
  return namesIn(folderNotes()).flatMap((name) => {
    const note = join(folderNotes(), name)
    const [place = "", program, url = "", key = ""] = (readText(note) ?? "").split("\n")
    return program === PROGRAM && place !== "" ? [{ note, place, url, key }] : []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."))
  } catch {
    return []
  }
}

/** Its first line says who runs it: a pid, when that began, and where such a pid means the same process. */
function isRunning(session: string): boolean {
  const [pid, began, pidSpace] = (session.split("\n")[0] ?? "").split(" ")
  if (livenessOf({ pid: Number(pid), pidSpace: pidSpace?.replace(/#$/, "") }) !== "alive") return false
  const start = processStart(Number(pid))?.replaceAll(/[^A-Za-z0-9]/g, "-")
  return start === undefined || began === "-" || start === began
}

async function isRefused({ url, key }: KeptFolder): Promise<boolean> {
  const refusal = await greet({ url, key }).catch((error: unknown) => error)
  return refusal instanceof ChorusError && refusal.code === "key_refused"
}
