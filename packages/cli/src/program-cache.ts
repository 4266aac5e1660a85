import { homedir } from "node:os"
import { join, resolve } from "node:path"

/** Where the command keeps what can be made or fetched anew: its own Node, and what it has compiled. An empty variable says nothing. */
export function programCache({ CHORUS_CACHE, XDG_CACHE_HOME }: NodeJS.ProcessEnv = process.env): string {
  return resolve(CHORUS_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "chorus"))
}
