import type { SurfaceItem } from "@chorus/contracts"

/** One line of a comparison: what stands on either side at the same place. */
export interface SurfacePair {
  readonly kind: SurfaceItem["kind"]
  readonly where: string
  readonly left: SurfaceItem | undefined
  readonly right: SurfaceItem | undefined
  readonly standing: "same" | "only-left" | "only-right" | "other-command" | "other-script"
}

const ORDER: readonly SurfaceItem["kind"][] = [
  "install-command",
  "hook",
  "mcp",
  "lsp",
  "monitor",
  "binary",
  "module",
  "workflow",
  "inline-command",
  "download",
  "connect",
  "setting",
]

/** Two surfaces line by line: equal commands meet, then what happens at the same place, then what only one side has. */
export function compareSurfaces(left: readonly SurfaceItem[], right: readonly SurfaceItem[]): SurfacePair[] {
  const rest = [...right]
  const take = (fits: (item: SurfaceItem) => boolean): SurfaceItem | undefined => {
    const at = rest.findIndex(fits)
    return at < 0 ? undefined : rest.splice(at, 1)[0]
  }
  const equal = left.map((item) => take((other) => samePlace(item, other) && item.does === other.does))
  const pairs = left.map((item, index): SurfacePair => {
    const other = equal[index] ?? take((each) => samePlace(item, each))
    return { kind: item.kind, where: item.where, left: item, right: other, standing: standingOf(item, other) }
  })
  const added = rest.map((item): SurfacePair => ({
    kind: item.kind,
    where: item.where,
    left: undefined,
    right: item,
    standing: "only-right",
  }))
  return [...pairs, ...added].sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.where.localeCompare(b.where),
  )
}

/** How much a plugin does, by what people weigh: what it runs, what it fetches, whom it talks to, what it lets pass. */
export function weigh(items: readonly SurfaceItem[]): {
  runs: number
  downloads: number
  connects: number
  settings: number
} {
  const count = (...kinds: SurfaceItem["kind"][]) => items.filter(({ kind }) => kinds.includes(kind)).length
  const [downloads, connects, settings] = [count("download"), count("connect"), count("setting")]
  return { runs: items.length - downloads - connects - settings, downloads, connects, settings }
}

export function inOrder(items: readonly SurfaceItem[]): SurfaceItem[] {
  return items.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.where.localeCompare(b.where))
}

function samePlace(one: SurfaceItem, other: SurfaceItem): boolean {
  return one.kind === other.kind && one.where === other.where
}

function standingOf(left: SurfaceItem, right: SurfaceItem | undefined): SurfacePair["standing"] {
  if (right === undefined) return "only-left"
  if (left.does !== right.does) return "other-command"
  return left.script === right.script ? "same" : "other-script"
}
