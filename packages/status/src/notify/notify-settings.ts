import { rmSync } from "node:fs"
import { join } from "node:path"
import { changeFile, lockNotes, readJson } from "@chorus/disk"
import { isRecord } from "../line/index.ts"
import { stateFolder } from "../resume/resume-store.ts"

/** Which channels may call a person. Read anew at each use, so that a change counts at once. */
export interface NotifySettings {
  isOn(channel: string): boolean
  turn(channel: string, on: boolean): Promise<void>
  clear(): void
}

export function notifySettings(folder = stateFolder()): NotifySettings {
  const path = join(folder, "notify.json")
  return {
    isOn: (channel) => read(path)[channel] === true,
    turn: (channel, on) =>
      changeFile(path, () => `${JSON.stringify({ ...read(path), [channel]: on }, null, 2)}\n`, {
        mode: 0o600,
        notes: lockNotes(folder),
        noTrace: true,
      }),
    clear: () => rmSync(path, { force: true }),
  }
}

function read(path: string): Record<string, unknown> {
  const file = readJson(path)
  return isRecord(file) ? file : {}
}
