import { isObject, isStringArray, own, typeName } from "../read/files.ts"
import { readFrontmatter } from "../read/frontmatter.ts"
import type { FindingFile, Report } from "./report.ts"

export type MarkdownKind = "skill" | "agent" | "command"

/** Checks the front matter of a skill, agent or command the way the real validator does. */
export function checkMarkdown(report: Report, file: FindingFile, text: string, kind: MarkdownKind): void {
  const at: FindingFile = { file: file.file }
  const front = readFrontmatter(text)
  if (front.kind === "none") {
    return report.warning(at, {
      code: "frontmatter_missing",
      path: ["frontmatter"],
      message: `This ${kind} has no front matter, so it has no description.`,
      fix: "Start the file with a block between two lines of ---.",
    })
  }
  if (front.kind === "broken") {
    const consequence =
      kind === "agent" ? "takes its name from the file and loses every other field" : "loads without any of its fields"
    return report.error(at, {
      code: "frontmatter_invalid",
      path: ["frontmatter"],
      message: `The front matter is not YAML (${front.fault}); the ${kind} ${consequence}.`,
    })
  }
  if (front.kind === "not-a-mapping") {
    return report.error(at, {
      code: "frontmatter_not_mapping",
      path: ["frontmatter"],
      message: `The front matter must be "key: value" lines; got ${front.got}.`,
    })
  }
  checkFields(report, at, front.fields, kind)
  if (typeof own(front.fields, "description") === "string" && OPEN_DESCRIPTION.test(text))
    report.warning(at, {
      code: "description_unclosed",
      path: ["description"],
      message: "The description opens a list or mapping that it never closes; it is read as text, bracket and all.",
      fix: "Close the bracket or put the text in quotes.",
    })
}

/** YAML would refuse it; Claude Code takes the line as it is. */
const OPEN_DESCRIPTION = /^description:[ \t]+(?:\[[^\]\r\n]*|\{[^}\r\n]*)$/m

function checkFields(
  report: Report,
  at: FindingFile,
  fields: { readonly [key: string]: unknown },
  kind: MarkdownKind,
): void {
  const description = own(fields, "description")
  if (!Object.hasOwn(fields, "description")) {
    report.warning(at, {
      code: "description_missing",
      path: ["description"],
      message: `This ${kind} has no description, so neither people nor the model know when to use it.`,
      fix: "Add a description line to the front matter.",
    })
  }
  if (Array.isArray(description) || isObject(description)) {
    report.error(at, {
      code: "description_type",
      path: ["description"],
      message: `The description must be text; got ${typeName(description)}.`,
    })
  }
  const name = own(fields, "name")
  if (name !== undefined && name !== null && typeof name !== "string") {
    report.error(at, { code: "name_type", path: ["name"], message: `The name must be text; got ${typeName(name)}.` })
  }
  checkTools(report, at, own(fields, "allowed-tools"))
  if (kind === "agent") return
  const shell = own(fields, "shell")
  if (shell !== undefined && shell !== null && !(typeof shell === "string" && /^(bash|powershell)$/i.test(shell))) {
    report.error(at, {
      code: "shell_unknown",
      path: ["shell"],
      message: `shell must be bash or powershell; got ${JSON.stringify(shell)}.`,
    })
  }
  const metadata = own(fields, "metadata")
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    report.warning(at, {
      code: "metadata_type",
      path: ["metadata"],
      message: `metadata must be a mapping; got ${typeName(metadata)}. It is dropped.`,
    })
  }
}

function checkTools(report: Report, at: FindingFile, tools: unknown): void {
  if (tools === undefined || tools === null || typeof tools === "string" || isStringArray(tools)) return
  const got = Array.isArray(tools) ? "a list that holds something else" : typeName(tools)
  report.error(at, {
    code: "allowed_tools_type",
    path: ["allowed-tools"],
    message: `allowed-tools must be text or a list of texts; got ${got}.`,
  })
}
