import { join } from "node:path"
import { ChorusError, PluginPin, type PluginScope } from "@chorus/contracts"
import { isObject } from "../read/json.ts"
import type { ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section } from "../state/json-file.ts"

/** The lock of a project belongs to its repository, so that everybody gets the same bytes; the others stay on this machine. */
export function lockPath(home: ClaudeHome, scope: PluginScope): string {
  return scope === "project" ? join(home.project, ".claude", "plugin-lock.json") : join(home.chorus, "lock.json")
}

export function readPins(home: ClaudeHome, scope: PluginScope): Map<string, PluginPin> {
  const plugins = readJsonFile(lockPath(home, scope))["plugins"]
  const pins = new Map<string, PluginPin>()
  for (const [id, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const parsed = PluginPin.safeParse(value)
    if (!parsed.success)
      throw new ChorusError(
        "lock_unreadable",
        `The pin of ${id} in ${lockPath(home, scope)} cannot be read, so it cannot be kept.`,
        { next: "Repair or remove that entry." },
      )
    pins.set(id, parsed.data)
  }
  return pins
}

export async function setPin(
  home: ClaudeHome,
  scope: PluginScope,
  id: string,
  pin: PluginPin | undefined,
): Promise<void> {
  const there = readJsonFile(lockPath(home, scope))["plugins"]
  if (pin === undefined && !(isObject(there) && Object.hasOwn(there, id))) return
  await changeJsonFile(
    home,
    lockPath(home, scope),
    (content) => {
      content["version"] = 1
      const plugins = section(content, "plugins")
      if (pin === undefined) delete plugins[id]
      else plugins[id] = { ...(isObject(plugins[id]) ? plugins[id] : {}), ...pin }
    },
    { mode: 0o644 },
  )
}

/** Refuses bytes other than the locked ones. */
export function expectPin(pin: PluginPin, id: string, found: { contentHash: string; version: string }): void {
  if (pin.contentHash === found.contentHash) return
  const what =
    pin.version === found.version
      ? `version ${found.version} now has other content than when it was locked`
      : `version ${pin.version} is locked, and ${found.version} is offered`
  throw new ChorusError("pin_mismatch", `${id} was not installed: ${what}.`, {
    status: 409,
    next: `If the change is right: chorus plugin update ${id}${pin.pinned === true ? " after chorus plugin unpin" : ""}.`,
    details: { expected: pin.contentHash, found: found.contentHash },
  })
}
