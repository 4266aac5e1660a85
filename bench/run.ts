// npm run bench [-- NAME…]: measures every budget, prints a table, fails when one is broken.
import { readdirSync } from "node:fs"
import { type Bench, type Figure, withinBudget } from "./figure.ts"

const wanted = process.argv.slice(2)
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".bench.ts"))
let broken = 0
for (const file of files) {
  const name = file.replace(".bench.ts", "")
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { bench } = (await import(`./${file}`)) as { bench: Bench }
  for (const figure of await bench()) {
    const ok = withinBudget(figure)
    if (!ok) broken++
    console.log(line(figure, ok))
  }
}
console.log(broken === 0 ? "every figure is within its budget" : `${broken} figures are over budget`)
process.exit(broken === 0 ? 0 : 1)

function line(figure: Figure, ok: boolean): string {
  const { name, value, unit, budget } = figure
  const limit = budget === undefined ? "" : "atMost" in budget ? `≤ ${budget.atMost}` : `≥ ${budget.atLeast}`
  return `${ok ? "ok  " : "OVER"} ${name.padEnd(56)} ${value.toFixed(2).padStart(10)} ${unit.padEnd(8)} ${limit}`
}
