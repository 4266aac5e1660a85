import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { type Figure, limitOf, type Measured, type Plot, round, withinBudget } from "./figure.ts"
import { svgOf } from "./plot.ts"

const DOCS = join(import.meta.dirname, "..", "docs")

/** What each bench is about, in the order of the page; a bench that is not named here comes last under its own name. */
const SECTIONS: Record<string, string> = {
  limits: "What the machine itself can do",
  start: "Start and rest",
  mcp: "Calls",
  events: "Events to readers",
  stall: "Readers that catch up",
  web: "The page",
  writes: "Writes on both engines",
  tasks: "Large projects",
  growth: "Growth with the size of a project",
  load: "Growth with people and agents",
  soak: "An hour in fast motion",
  days: "What days of work leave on the disk",
  hooks: "The Claude Code plugin",
  status: "Status",
  runs: "Runs",
  changes: "Changes",
  transcripts: "Transcripts of runs",
  teams: "Teams",
  plugins: "Plugins",
  loops: "From an idea to verified work",
  "answer-weight": "What an answer weighs",
  "tool-tokens": "What an agent pays in tokens",
}

/** Renews the sections of what was measured; the others stay as they are. */
export function writePerformancePage(measured: ReadonlyMap<string, Measured>): void {
  const images = join(DOCS, "images", "performance")
  mkdirSync(images, { recursive: true })
  for (const { plots } of measured.values())
    for (const plot of plots) writeFileSync(join(images, `${plot.name}.svg`), svgOf(plot))
  const page = join(DOCS, "performance.md")
  const [, ...parts] = readFileSync(page, "utf8").split(/^(?=## )/m)
  const kept = new Map(parts.map((part) => [/^## (.*)/.exec(part)?.[1] ?? "", part.trimEnd()]))
  for (const [name, result] of measured) kept.set(titleOf(name), section(titleOf(name), result).trimEnd())
  const titles = Object.values(SECTIONS)
  const sections = [...kept].sort(([a], [b]) => rank(titles, a) - rank(titles, b)).map(([, part]) => part)
  writeFileSync(page, `${[head(), ...sections].join("\n\n")}\n`)
}

function head(): string {
  return `# Performance

Every section below comes from one run of \`npm run bench -- --write\`, which wrote it: each figure is measured beside the limit of
the machine it ran on, and fails the run when it leaves its budget. Run it on yours to compare.

The last run: ${cpus().length} processor cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, Node ${process.versions.node}, embedded store.`
}

function titleOf(name: string): string {
  return SECTIONS[name] ?? name
}

function section(title: string, result: Measured): string {
  const rows = result.figures.map(
    (figure) => `| ${figure.name} | ${round(figure.value)} ${figure.unit} | ${budget(figure)} |`,
  )
  return [
    `## ${title}`,
    "",
    ...result.plots.map(picture),
    "| measured | value | budget |",
    "| --- | ---: | --- |",
    ...rows,
    "",
  ].join("\n")
}

function picture({ name, says }: Plot): string {
  return `![${says}](images/performance/${name}.svg)\n\n${says}\n`
}

function budget(figure: Figure): string {
  const limit = limitOf(figure)
  if (limit === "") return ""
  return withinBudget(figure) ? `${limit} ${figure.unit}` : `**${limit} ${figure.unit}: not met in this run**`
}

function rank(order: readonly string[], name: string): number {
  const at = order.indexOf(name)
  return at === -1 ? order.length : at
}
