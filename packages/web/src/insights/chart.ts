/** Round steps from zero to at least the largest value, few enough to read. */
export function ticks(largest: number, most = 4): number[] {
  if (largest <= 0) return [0, 1]
  const rough = largest / most
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= rough) ?? size * 10
  const whole = Math.max(step, Number.isInteger(largest) ? 1 : step)
  return Array.from({ length: Math.ceil(largest / whole) + 1 }, (_, at) => Number((at * whole).toPrecision(12)))
}

export interface Layer<Key extends string> {
  readonly key: Key
  /** A closed path in a box one wide and one high, y downwards. */
  readonly path: string
}

/** Layers stacked upon each other from the bottom, as areas over equal steps. */
export function stacked<Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  keys: readonly Key[],
  top: number,
): Layer<Key>[] {
  const x = (at: number) => (rows.length < 2 ? at : at / (rows.length - 1))
  const y = (value: number) => 1 - value / top
  const points = rows.length === 1 ? [...rows, ...rows] : rows
  let floor = points.map(() => 0)
  return keys.map((key) => {
    const ceiling = points.map((row, at) => (floor[at] ?? 0) + row[key])
    const upper = ceiling.map((value, at) => `${round(x(at))},${round(y(value))}`)
    const lower = floor.map((value, at) => `${round(x(at))},${round(y(value))}`).toReversed()
    floor = ceiling
    return { key, path: `M${upper.join("L")}L${lower.join("L")}Z` }
  })
}

/** A line over equal steps in the same box. */
export function lineOf(values: readonly number[], top: number): string {
  const points = values.length === 1 ? [...values, ...values] : values
  return points
    .map(
      (value, at) =>
        `${at === 0 ? "M" : "L"}${round(points.length < 2 ? 0 : at / (points.length - 1))},${round(1 - value / top)}`,
    )
    .join("")
}

export interface Span {
  readonly from: string
  readonly to: string | null
}

/** Where a stretch of time lies in a window, as shares of it; undefined when outside. */
export function placed(
  { from, to }: Span,
  since: number,
  until: number,
): { readonly left: number; readonly width: number } | undefined {
  const begin = Math.max(since, Date.parse(from))
  const end = Math.min(until, to === null ? until : Date.parse(to))
  if (end <= since || begin >= until || end < begin) return undefined
  return { left: (begin - since) / (until - since), width: (end - begin) / (until - since) }
}

/** Some of the labels, evenly spread, so that they do not run into each other; the last is among them. */
export function spread<Item>(items: readonly Item[], most: number): { readonly item: Item; readonly at: number }[] {
  if (items.length <= most) return items.map((item, at) => ({ item, at }))
  const step = (items.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => Math.round(index * step)).flatMap((at) => {
    const item = items[at]
    return item === undefined ? [] : [{ item, at }]
  })
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
