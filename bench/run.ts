// npm run bench [-- NAME…] [-- --write]: measures every budget, or the named ones, prints a table, fails when one is
// broken. --write puts what was measured into docs/performance.md with its plots; what was not stays there as it is.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Bench, type Figure, limitOf, type Measured, withinBudget } from "./figure.ts"
import { writePerformancePage } from "./performance-page.ts"

// What people run is measured, not the sources; whoever starts the command reads this when it is imported.
process.env["CHORUS_COMMAND"] ??= join(import.meta.dirname, "..", "dist", "chorus.js")
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
})
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.replace(".bench.ts", ""))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
const measured = new Map<string, Measured>()
for (const name of names) {
  const { bench } = (await import(`./${name}.bench.ts`)) as { bench: Bench }
  const result = await bench()
  const { figures, plots } = "figures" in result ? result : { figures: result, plots: [] }
  measured.set(name, { figures, plots })
  for (const figure of figures) console.log(line(figure))
}
if (values.write) writePerformancePage(measured)
const broken = [...measured.values()].flatMap(({ figures }) => figures).filter((figure) => !withinBudget(figure)).length
console.log(broken === 0 ? "every figure is within its budget" : `${broken} figures are over budget`)
process.exit(broken === 0 ? 0 : 1)

function line(figure: Figure): string {
  const { name, value, unit } = figure
  return `${withinBudget(figure) ? "ok  " : "OVER"} ${name.padEnd(56)} ${value.toFixed(2).padStart(10)} ${unit.padEnd(8)} ${limitOf(figure)}`
}
