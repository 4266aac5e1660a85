import { isObject, type JsonPath, own, typeName } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const LISTS: Record<string, { most: number; longest: number }> = {
  cwd: { most: 10, longest: 256 },
  filesRead: { most: 10, longest: 256 },
  cli: { most: 10, longest: 64 },
  hosts: { most: 20, longest: 256 },
}

/** Checks when a marketplace suggests a plugin. */
export function checkRelevance(report: Report, file: FindingFile, path: JsonPath, relevance: unknown): void {
  const fail = (at: JsonPath, message: string) =>
    report.error(file, { code: "relevance_invalid", path: [...path, ...at], message })
  const unknown = (at: JsonPath) =>
    report.warning(file, {
      code: "field_unknown",
      path: [...path, ...at],
      message: `Unknown field "${String(at.at(-1))}"; it is ignored.`,
    })
  if (!isObject(relevance))
    return report.warning(file, {
      code: "field_ignored",
      path,
      message: `"relevance" must be an object; got ${typeName(relevance)}. It is ignored.`,
    })
  for (const key of Object.keys(relevance)) if (key !== "topic" && key !== "signals") unknown([key])
  const topic = own(relevance, "topic")
  if (topic !== undefined && !(typeof topic === "string" && topic.length <= 64))
    fail(["topic"], "topic is text of at most 64 characters.")
  const signals = own(relevance, "signals")
  if (!isObject(signals)) return fail(["signals"], "signals is needed: an object.")
  if (!Object.keys(signals).some((key) => Object.hasOwn(LISTS, key) || key === "manifestDeps"))
    fail(["signals"], "signals needs at least one signal.")
  for (const [key, value] of Object.entries(signals)) {
    const limits = Object.hasOwn(LISTS, key) ? LISTS[key] : undefined
    if (limits !== undefined) checkList(key, value, limits)
    else if (key === "manifestDeps") checkManifestDeps(value)
    else unknown(["signals", key])
  }

  function checkList(key: string, value: unknown, limits: { most: number; longest: number }): void {
    if (!Array.isArray(value) || value.length > limits.most)
      return fail(["signals", key], `${key} is a list of at most ${limits.most}.`)
    for (const [index, item] of value.entries()) {
      if (typeof item !== "string" || item === "" || item.length > limits.longest)
        fail(["signals", key, index], `Each is text of at most ${limits.longest} characters.`)
      else if (key === "hosts" && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(item))
        fail(["signals", key, index], "A host is a bare lower-case name: no scheme, port or path.")
    }
  }

  function checkManifestDeps(value: unknown): void {
    if (!Array.isArray(value) || value.length > 10)
      return fail(["signals", "manifestDeps"], "manifestDeps is a list of at most 10.")
    for (const [index, item] of value.entries()) {
      const right =
        isObject(item) &&
        [item["file"], item["pattern"]].every(
          (text) => typeof text === "string" && text.length <= 256 && isPattern(text),
        )
      if (!right)
        fail(
          ["signals", "manifestDeps", index],
          "Each is {file, pattern}: two regular expressions of at most 256 characters.",
        )
    }
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
