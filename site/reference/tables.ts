/** A Markdown table; columns that are empty in every row are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const kept = head.map((_, column) => column).filter((column) => rows.some((row) => (row[column] ?? "") !== ""))
  const line = (cells: readonly string[]) => `| ${kept.map((column) => cell(cells[column] ?? "")).join(" | ")} |`
  return [line(head), `| ${kept.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n")
}

function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|")
}

/** Words from the code, with nothing in them that Markdown would take for its own. */
export function words(text: string): string {
  return text.replace(/`[^`]*`|[[\]<*_]/g, (found) =>
    found.length > 1 ? found : found === "<" ? "&lt;" : `\\${found}`,
  )
}

/** How GitHub and the site name a heading in an address. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replaceAll(" ", "-")
}

export const GENERATED = "<!-- Made by scripts/docs.mjs from the code; change it there. -->\n\n"
