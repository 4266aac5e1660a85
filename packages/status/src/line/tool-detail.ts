import { isRecord } from "./read-line.ts"
import { oneLine, wholeText } from "./text.ts"

const LABEL_LIMIT = 120
const FILE_FIELDS = ["file_path", "filePath", "notebook_path", "path"] as const
const TEXT_FIELDS = ["pattern", "query", "url", "description", "task_name", "skill", "name"] as const

/** What a tool is doing, short enough for a status line: "Edit src/app.ts", "Bash: npm test". */
export function toolDetail(tool: unknown, input: unknown, cwd: unknown): string | undefined {
  if (typeof tool !== "string" || tool === "") return undefined
  const fields = isRecord(input) ? input : {}
  const mcp = /^mcp__(.+?)__(.+)$/.exec(tool)
  if (mcp !== null) return oneLine(`${mcp[1]}: ${mcp[2]}`, LABEL_LIMIT)
  if (/^(bash|shell)$/i.test(tool)) return oneLine(`Bash: ${text(fields["command"])}`, LABEL_LIMIT)
  if (tool === "apply_patch")
    return oneLine(`Edit ${patchedFiles(fields["command"] ?? fields["patchText"]).join(", ")}`, LABEL_LIMIT)
  if (/^(agent|task)$/i.test(tool) || tool.endsWith("spawn_agent")) {
    return oneLine(`Agent: ${text(fields["description"] ?? fields["task_name"] ?? fields["message"])}`, LABEL_LIMIT)
  }
  const question = questionText(fields["questions"])
  if (question !== undefined) return question
  const name = tool.charAt(0).toUpperCase() + tool.slice(1)
  const file = firstText(fields, FILE_FIELDS)
  if (file !== undefined) return oneLine(`${name} ${relativeTo(cwd, file)}`, LABEL_LIMIT)
  const rest = firstText(fields, TEXT_FIELDS)
  return oneLine(rest === undefined ? name : `${name}: ${rest}`, LABEL_LIMIT)
}

/** All that a tool would be given, for a person to judge; nothing when it is too long for that. */
export function wholeRequest(tool: unknown, input: unknown): string | undefined {
  if (!isRecord(input)) return undefined
  const { command, description: _said, ...rest } = input
  if (typeof command === "string") return wholeText([command, ...fieldsOf(rest)].join("\n"))
  return wholeText([text(tool), ...fieldsOf(input)].join("\n"))
}

function fieldsOf(input: Record<string, unknown>): string[] {
  return Object.entries(input).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
}

/** The questions an agent puts to the person, as one line. */
export function questionText(questions: unknown): string | undefined {
  if (!Array.isArray(questions)) return undefined
  return oneLine(
    questions.map((entry: unknown) => (isRecord(entry) ? text(entry["question"]) : "")).join(" / "),
    LABEL_LIMIT,
  )
}

function patchedFiles(patch: unknown): string[] {
  return [
    ...text(patch)
      .slice(0, 20_000)
      .matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm),
  ].map((match) => match[1] ?? "")
}

function relativeTo(cwd: unknown, file: string): string {
  return typeof cwd === "string" && cwd !== "" && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file
}

function firstText(fields: Record<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}
