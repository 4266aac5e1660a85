import type { PluginMessage, ValidationReport } from "@chorus/contracts"
import { formatPath, type JsonPath, lineAt, lineOf } from "../read/files.ts"

/** The file a finding is about. With its text, a finding also names the line. */
export interface FindingFile {
  readonly file: string
  readonly text?: string | undefined
  /** Put before every path, for a file that is read on behalf of another. */
  readonly prefix?: string | undefined
}

interface Finding {
  readonly code: string
  readonly path?: JsonPath | undefined
  readonly message: string
  readonly fix?: string | undefined
  /** For text that is not JSON: where in the text the finding is. */
  readonly offset?: number | undefined
}

/** Collects what a validation finds and sums it up as a verdict. */
export class Report {
  readonly messages: PluginMessage[] = []

  error(file: FindingFile, finding: Finding): void {
    this.#add("error", file, finding)
  }

  warning(file: FindingFile, finding: Finding): void {
    this.#add("warning", file, finding)
  }

  note(file: FindingFile, finding: Finding): void {
    this.#add("note", file, finding)
  }

  get hasErrors(): boolean {
    return this.messages.some((message) => message.level === "error")
  }

  result(): ValidationReport {
    const levels = new Set(this.messages.map((message) => message.level))
    const verdict = levels.has("error") ? "errors" : levels.has("warning") ? "warnings" : "valid"
    return { verdict, messages: this.messages }
  }

  #add(level: PluginMessage["level"], file: FindingFile, finding: Finding): void {
    const path = finding.path ?? []
    const line = lineFor(file.text, path, finding.offset)
    this.messages.push({
      level,
      code: finding.code,
      file: file.file,
      path: (file.prefix ?? "") + formatPath(path),
      ...(line === undefined ? {} : { line }),
      message: finding.message,
      ...(finding.fix === undefined ? {} : { fix: finding.fix }),
    })
  }
}

/** Passes every finding on as a note: for what goes beyond the real validator and should not change a verdict. */
export class NotesOnly extends Report {
  readonly #into: Report

  constructor(into: Report) {
    super()
    this.#into = into
  }

  override error(file: FindingFile, finding: Finding): void {
    this.#into.note(file, finding)
  }

  override warning(file: FindingFile, finding: Finding): void {
    this.#into.note(file, finding)
  }

  override note(file: FindingFile, finding: Finding): void {
    this.#into.note(file, finding)
  }
}

function lineFor(text: string | undefined, path: JsonPath, offset: number | undefined): number | undefined {
  if (text === undefined) return undefined
  return offset === undefined ? lineOf(text, path) : lineAt(text, offset)
}
