import { stringify } from "yaml"
import { type FilePart, isObject, type JsonObject, own } from "../read/index.ts"

/** A Markdown file with other front matter and the same body. */
export function withFrontmatter(fields: JsonObject, body: string): string {
  const kept = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return `---\n${stringify(kept)}---\n${body.startsWith("\n") ? "" : "\n"}${body}`
}

export function descriptionOf(part: FilePart): string {
  const value = own(part.fields, "description")
  if (typeof value === "string" && value !== "") return value
  return (
    part.body
      .split("\n")
      .find((line) => line.trim() !== "" && !line.startsWith("#"))
      ?.trim()
      .slice(0, 1024) ?? part.name
  )
}

/** What a command's text uses that only a program with arguments and a shell can fill in. */
export function dynamicParts(body: string): string[] {
  const found: string[] = []
  if (/\$ARGUMENTS|\$\d|\{\{/.test(body)) found.push("arguments")
  if (/!`/.test(body)) found.push("shell output")
  if (/(^|\s)@[\w./-]+/m.test(body)) found.push("file contents")
  return found
}

/** A name as the Agent Skills standard takes it: lower case, digits and single hyphens, at most 64. */
export function standardName(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replace(/^-+/, "")
      .slice(0, 64)
      .replace(/-+$/, "") || "skill"
  )
}

/** Skill front matter every program reads. */
export function standardSkillFields(part: FilePart, name: string): JsonObject {
  const metadata = own(part.fields, "metadata")
  return {
    name,
    description: descriptionOf(part).slice(0, 1024),
    license: own(part.fields, "license"),
    compatibility: own(part.fields, "compatibility"),
    metadata: isObject(metadata) ? metadata : undefined,
    "allowed-tools": own(part.fields, "allowed-tools"),
  }
}
