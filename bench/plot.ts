import type { Plot } from "./figure.ts"
import { round } from "./figure.ts"

const SIZE = { width: 720, height: 380 }
const FRAME = { left: 64, right: 560, top: 20, bottom: 330 }
/** Told apart by the colour-blind too; each line also has its own dashes. */
const COLOURS = ["#2f6fdb", "#d1651a", "#158a6b", "#a2439b", "#8a6d00", "#c2344f", "#4b5b78"]
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "1 4", "12 4"]

/** A plot as a picture of its own that follows the reader's light or dark page. */
export function svgOf(plot: Plot): string {
  const x = axis(plot.across.values, plot.across.scale, [FRAME.left, FRAME.right])
  const y = axis(
    plot.lines.flatMap(({ values }) => values),
    plot.up.scale,
    [FRAME.bottom, FRAME.top],
  )
  const labels = spread(plot.lines.map(({ values }) => y.at(values.at(-1) ?? 0)))
  const parts = [
    ...y.ticks.map(
      (tick) =>
        `<line class="grid" x1="${FRAME.left}" x2="${FRAME.right}" y1="${px(y.at(tick))}" y2="${px(y.at(tick))}"/><text class="tick" x="${FRAME.left - 8}" y="${px(y.at(tick) + 4)}" text-anchor="end">${round(tick)}</text>`,
    ),
    ...x.ticks.map(
      (tick) =>
        `<text class="tick" x="${px(x.at(tick))}" y="${FRAME.bottom + 18}" text-anchor="middle">${round(tick)}</text>`,
    ),
    `<text class="tick" x="${(FRAME.left + FRAME.right) / 2}" y="${FRAME.bottom + 40}" text-anchor="middle">${escaped(plot.across.label)}</text>`,
    `<text class="tick" x="${FRAME.left}" y="${FRAME.top - 6}">${escaped(plot.up.label)}</text>`,
    ...plot.lines.map(({ name, values }, index) => {
      const points = values.map((value, at) => `${px(x.at(plot.across.values[at] ?? 0))},${px(y.at(value))}`).join(" ")
      const colour = COLOURS[index % COLOURS.length]
      return `<polyline points="${points}" stroke="${colour}" stroke-dasharray="${DASHES[index % DASHES.length]}"/><text x="${FRAME.right + 10}" y="${px((labels[index] ?? 0) + 4)}" fill="${colour}">${escaped(name)}</text>`
    }),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${escaped(plot.says)}">
<style>text{font:12px system-ui,sans-serif}.tick{fill:#5b6472}.grid{stroke:#8a94a6;stroke-opacity:.25}polyline{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){.tick{fill:#a9b3c3}}</style>
${parts.join("\n")}
</svg>
`
}

interface Axis {
  readonly ticks: readonly number[]
  at(value: number): number
}

function axis(values: readonly number[], scale: "log" | "linear", [from, to]: readonly [number, number]): Axis {
  const most = Math.max(...values)
  const least = Math.max(Math.min(...values), most / 1e6, 1e-9)
  if (scale === "linear") {
    const step = niceStep(most)
    const top = Math.ceil(most / step) * step
    return {
      ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step),
      at: (value) => from + (value / top) * (to - from),
    }
  }
  const low = Math.floor(Math.log10(least) + 1e-9)
  const high = Math.max(low + 1, Math.ceil(Math.log10(most) - 1e-9))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: (value) => from + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (to - from),
  }
}

function niceStep(most: number): number {
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
}

/** Names beside the ends of their lines, moved apart where they would cover each other. */
function spread(wanted: readonly number[]): number[] {
  const GAP = 16
  const placed = [...wanted]
  let above = FRAME.top - GAP
  for (const index of wanted.map((_, at) => at).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))) {
    above = Math.max(placed[index] ?? 0, above + GAP)
    placed[index] = above
  }
  return placed
}

function px(value: number): string {
  return value.toFixed(1)
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
