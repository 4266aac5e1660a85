import type { SurfaceItem } from "@chorus/contracts"
import { Download, type LucideIcon, Plug, Terminal, Unlock } from "lucide-react"
import { Nothing } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { shortHash } from "./curate.ts"

/** Everything a plugin makes a machine do, word for word. */
export function SurfaceList({
  surface,
  unseen,
}: {
  readonly surface: readonly SurfaceItem[] | undefined
  readonly unseen?: number | undefined
}) {
  const text = useText()
  if (surface === undefined) return <Nothing>{text("plugins.surfaceUnknownLead")}</Nothing>
  if (surface.length === 0) return <Nothing>{text("plugins.textOnlyLead")}</Nothing>
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {inOrder(surface).map((item, index) => (
        <li key={index} className="grid grid-cols-1 gap-1 px-3 py-2 text-sm">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{text(`plugins.kind.${item.kind}`)}</span>
            <span className="min-w-0 text-xs break-words text-faint">{item.where}</span>
          </span>
          <code className="font-mono text-xs wrap-anywhere whitespace-pre-wrap text-muted">{item.does}</code>
        </li>
      ))}
      {unseen !== undefined && (
        <li className="px-3 py-2 text-sm text-waiting">{text("plugins.unseen", { count: unseen })}</li>
      )}
    </ul>
  )
}

/** How much a plugin does, in one line. */
export function SurfaceSummary({ surface }: { readonly surface: readonly SurfaceItem[] | undefined }) {
  const text = useText()
  if (surface === undefined) return <span className="text-xs text-faint">{text("plugins.surfaceUnknown")}</span>
  if (surface.length === 0) return <span className="text-xs text-done">{text("plugins.textOnly")}</span>
  const { runs, downloads, connects, settings } = weigh(surface)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <Weight icon={Terminal} count={runs} label={text("plugins.runs", { count: runs })} />
      <Weight icon={Download} count={downloads} label={text("plugins.downloads", { count: downloads })} loud />
      <Weight icon={Plug} count={connects} label={text("plugins.connects", { count: connects })} />
      <Weight icon={Unlock} count={settings} label={text("plugins.unasked", { count: settings })} />
    </span>
  )
}

function Weight({
  icon: Icon,
  count,
  label,
  loud = false,
}: {
  readonly icon: LucideIcon
  readonly count: number
  readonly label: string
  readonly loud?: boolean
}) {
  if (count === 0) return null
  return (
    <span className={loud ? "inline-flex items-center gap-1 text-waiting" : "inline-flex items-center gap-1"}>
      <Icon aria-hidden className="size-3.5" />
      {label}
    </span>
  )
}

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

export function Hash({ value }: { readonly value: string | undefined }) {
  const text = useText()
  if (value === undefined) return <span className="text-faint">{text("plugins.unknownHash")}</span>
  return (
    <code title={value} className="font-mono text-xs">
      {shortHash(value)}
    </code>
  )
}
