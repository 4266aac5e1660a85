import { dirname, join } from "node:path"
import { groupFault, handlerFault } from "../validate/hooks-check.ts"
import { isObject, type JsonObject, kindInside, own, parseJson, readText } from "./files.ts"
import { GATING_EVENTS, HOOK_EVENTS, type HandlerType } from "./hook-events.ts"
import type { PartProblem } from "./inventory.ts"
import type { Plugin } from "./plugin.ts"

/** One hook as it will run. */
export interface HookPart {
  readonly event: string
  readonly matcher: string | undefined
  readonly type: HandlerType
  readonly handler: JsonObject
  readonly file: string
}

type Problem = (part: string, message: string, more?: Partial<PartProblem>) => void

/** The hooks of a plugin: its hooks file first, then what the manifest declares, in order. A file named twice counts once. */
export function readHooks(plugin: Plugin, problem: Problem): { hooks: HookPart[]; modules: string[] } {
  const hooks: HookPart[] = []
  const modules: string[] = []
  const seen = new Set<string>()
  const fromFile = (file: string, declared: boolean) => {
    const name = join(file)
    if (seen.has(name)) return
    seen.add(name)
    const kind = kindInside(plugin.folder, name)
    if (kind !== "file") {
      if (declared)
        problem("hooks", `hooks path ${kind === "escapes" ? "escapes plugin directory" : "not found"}: ${file}`, {
          type: "hook-load-failed",
        })
      return
    }
    readHooksFile(plugin, name, hooks, modules, problem)
  }
  fromFile("hooks/hooks.json", false)
  const declared = own(plugin.manifest, "hooks")
  for (const part of declared === undefined ? [] : [declared].flat()) {
    if (typeof part === "string") fromFile(part, true)
    else if (isObject(part)) hooks.push(...collectHooks(part, ".claude-plugin/plugin.json", problem))
  }
  return { hooks, modules }
}

function readHooksFile(plugin: Plugin, name: string, hooks: HookPart[], modules: string[], problem: Problem): void {
  const { value, fault } = parseJson(readText(join(plugin.folder, name)) ?? "", { bom: "refuse" })
  if (fault !== undefined || !isObject(value))
    return problem("hooks", `Hook load failed: ${name}: ${fault ?? "not an object"}`, { type: "hook-load-failed" })
  const stray = Object.hasOwn(value, "hooks") ? undefined : Object.keys(value).find((key) => GATING_EVENTS.has(key))
  if (stray !== undefined)
    return problem("hooks", `${name}: ${stray} stands outside "hooks"`, { type: "hook-load-failed", fatal: true })
  const map = own(value, "hooks")
  const listed = own(value, "modules")
  if (map === undefined && listed === undefined)
    return problem("hooks", `Hook load failed: ${name} has neither hooks nor modules`, { type: "hook-load-failed" })
  if (map !== undefined && !isObject(map))
    return problem("hooks", `Hook load failed: ${name}: "hooks" is not an object`, { type: "hook-load-failed" })
  if (isObject(map)) hooks.push(...collectHooks(map, name, problem))
  for (const module of Array.isArray(listed) ? listed : [])
    if (typeof module === "string") modules.push(join(dirname(name), module))
}

/** The hooks of an event map that can be loaded; the others are reported. */
export function collectHooks(map: JsonObject, file: string, problem: Problem): HookPart[] {
  const hooks: HookPart[] = []
  for (const [event, groups] of Object.entries(map)) {
    const fatal = GATING_EVENTS.has(event)
    const drop = (why: string) => problem("hooks", `${file}: ${event}: ${why}`, { type: "hook-load-failed", fatal })
    if (!HOOK_EVENTS.has(event)) {
      drop("unknown event")
      continue
    }
    if (!Array.isArray(groups)) {
      drop("not a list of groups")
      continue
    }
    for (const group of groups as unknown[]) {
      const fault = groupFault(group)
      if (fault !== undefined || !isObject(group)) {
        drop(fault ?? "")
        continue
      }
      for (const handler of group["hooks"] as unknown[]) {
        const broken = handlerFault(handler)
        if (broken === undefined && isObject(handler))
          hooks.push({
            event,
            matcher: typeof group["matcher"] === "string" ? group["matcher"] : undefined,
            type: handler["type"] as HandlerType,
            handler,
            file,
          })
        else drop(broken ?? "")
      }
    }
  }
  return hooks
}
