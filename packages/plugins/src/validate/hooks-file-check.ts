import { dirname, join } from "node:path"
import { GATING_EVENTS } from "../read/hook-events.ts"
import { isObject, kindInside, own, parseJson, typeName } from "../read/files.ts"
import { checkEventMap } from "./hooks-check.ts"
import type { Report } from "./report.ts"

/** Checks a hooks file: the event map stands inside `hooks`, and unlike manifests the file may not start with a byte order mark. */
export function checkHooksFile(report: Report, root: string, name: string, text: string): void {
  const file = { file: name, text }
  const { value, fault } = parseJson(text, { bom: "refuse" })
  if (fault !== undefined)
    return report.error(file, {
      code: "json_invalid",
      path: ["json"],
      offset: 0,
      message: `Not valid JSON: ${fault}. None of its hooks load.`,
      fix: text.startsWith("\uFEFF") ? "Save the file without a byte order mark." : undefined,
    })
  if (!isObject(value))
    return report.error(file, {
      code: "hooks_not_object",
      path: ["root"],
      message: `A hooks file holds an object; got ${typeName(value)}.`,
    })
  const stray = Object.hasOwn(value, "hooks") ? [] : Object.keys(value).filter((key) => GATING_EVENTS.has(key))
  if (stray.length > 0)
    return report.error(file, {
      code: "hooks_unwrapped",
      path: [stray[0] ?? ""],
      message: `${stray.join(" and ")} stands at the top of the file and is not read; it may be what guards permissions, so nothing of the plugin loads.`,
      fix: 'Put the events inside "hooks": { … }.',
    })
  const description = own(value, "description")
  if (description !== undefined && typeof description !== "string")
    report.error(file, {
      code: "description_type",
      path: ["description"],
      message: `The description must be text; got ${typeName(description)}.`,
    })
  const hooks = own(value, "hooks")
  const modules = own(value, "modules")
  if (hooks === undefined && (modules === undefined || (Array.isArray(modules) && modules.length === 0)))
    return report.error(file, {
      code: "hooks_missing",
      path: ["root"],
      message: 'The file has neither "hooks" nor "modules".',
      fix: 'Put the events inside "hooks": { … }.',
    })
  if (hooks !== undefined && !isObject(hooks))
    report.error(file, {
      code: "hooks_not_object",
      path: ["hooks"],
      message: `"hooks" maps events to groups; got ${typeName(hooks)}.`,
    })
  if (isObject(hooks)) checkEventMap(report, file, ["hooks"], hooks)
  if (modules !== undefined) checkModules(report, root, name, text, modules)
}

function checkModules(report: Report, root: string, name: string, text: string, modules: unknown): void {
  const file = { file: name, text }
  if (!Array.isArray(modules) || !modules.every((item) => typeof item === "string"))
    return report.error(file, {
      code: "modules_type",
      path: ["modules"],
      message: '"modules" is a list with one path.',
    })
  if (modules.length > 1)
    report.error(file, {
      code: "modules_many",
      path: ["modules", 1],
      message: "Only one hooks module is loaded.",
      fix: "Import the others from the first.",
    })
  for (const [index, module] of modules.entries()) {
    const inside = join(dirname(name), module)
    const kind = kindInside(root, inside)
    if (kind === "file")
      report.note(file, {
        code: "hooks_module",
        path: ["modules", index],
        message: `${module} runs inside the agent's own process. Chorus lists it and never runs it.`,
      })
    else report.error(file, { code: "path_not_found", path: ["modules", index], message: `${inside} is not there.` })
  }
}
