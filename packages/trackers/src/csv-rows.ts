import { parse } from "csv-parse/sync"

/** A line of a CSV file by the name of its columns, which Jira has several times each. */
export type Row = ReadonlyMap<string, readonly string[]>

export function csvRows(text: string): Row[] {
  const [header = [], ...lines] = parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true })
  return lines.map((line) => {
    const row = new Map<string, string[]>()
    for (const [at, value] of line.entries()) {
      const name = (header[at] ?? "").trim()
      if (value.trim() !== "") row.set(name, [...(row.get(name) ?? []), value])
    }
    return row
  })
}

export function csvHeader(text: string): string[] {
  const [header = []] = parse(text, { bom: true, relax_column_count: true, to_line: 1 })
  return header.map((name) => name.trim())
}

/** The first that has a value. */
export function column(row: Row, ...names: readonly string[]): string {
  return names.map((name) => row.get(name)?.[0]).find((value) => value !== undefined) ?? ""
}

export function columns(row: Row, name: string): readonly string[] {
  return row.get(name) ?? []
}
