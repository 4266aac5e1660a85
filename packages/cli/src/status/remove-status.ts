import { rmSync } from "node:fs"
import { dirname } from "node:path"
import {
  folderNotes,
  notifySettings,
  ping,
  removeTraces,
  resumeStore,
  shimFolder,
  socketPath,
  stateFolder,
} from "@chorus/status"
import { removeIfEmpty } from "../uninstall/empty-folder.ts"

const ENDS_WITHIN_MS = 5000
const LOOK_MS = 25

/** Ends the listener and removes the wrappers, the listener's files, and what resuming and notifications remember. */
export async function removeStatus(): Promise<void> {
  await endListener()
  removeTraces(shimFolder(), socketPath())
  resumeStore().clear()
  notifySettings().clear()
  rmSync(folderNotes(), { recursive: true, force: true })
  for (const folder of [dirname(socketPath()), stateFolder()]) removeIfEmpty(folder)
}

/** As it ends it writes what it knows, so what it leaves is removed only after that. */
async function endListener(): Promise<void> {
  const pong = await ping(socketPath())
  if (pong === undefined) return
  try {
    process.kill(pong.pid, "SIGTERM")
  } catch {
    // It ended by itself meanwhile.
    return
  }
  const deadline = Date.now() + ENDS_WITHIN_MS
  while ((await ping(socketPath())) !== undefined && Date.now() < deadline)
    await new Promise((wake) => setTimeout(wake, LOOK_MS))
}
