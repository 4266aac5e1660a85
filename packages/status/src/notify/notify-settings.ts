import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { StatusAgent } from "@chorus/contracts"
import { changeFile, lockNotes, readJson } from "@chorus/disk"
import { isRecord } from "../line/index.ts"
import { stateFolder } from "../resume/resume-store.ts"

/** Which channels may call a person, and for which agents. Read anew at each use, so that a change counts at once. */
export interface NotifySettings {
  /** What was said of this agent counts, else what was said of all. */
  isOn(channel: string, agent?: StatusAgent): boolean
  /** Whether launches of this agent report at all; they do unless somebody said no. */
  isReported(agent: StatusAgent): boolean
  turn(channel: string, on: boolean): Promise<void>
  /** Its file, where that is there and cannot be read: then nobody is called, and every agent reports. */
  damagedFile(): string | undefined
  clear(): void
}

export function notifySettings(folder = stateFolder()): NotifySettings {
  const path = join(folder, "notify.json")
  return {
    isOn(channel, agent) {
      const file = read(path)
      return (file[`${channel}:${agent}`] ?? file[channel]) === true
    },
    isReported: (agent) => read(path)[`report:${agent}`] !== false,
    turn: (channel, on) =>
      changeFile(path, () => `${JSON.stringify({ ...read(path), [channel]: on }, null, 2)}\n`, {
        mode: 0o600,
        notes: lockNotes(folder),
        noTrace: true,
      }),
    damagedFile: () => (existsSync(path) && !isRecord(readJson(path)) ? path : undefined),
    clear: () => rmSync(path, { force: true }),
  }
}

function read(path: string): Record<string, unknown> {
  const file = readJson(path)
  return isRecord(file) ? file : {}
}
