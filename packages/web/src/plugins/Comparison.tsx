import type { SurfaceItem } from "@chorus/contracts"
import { TriangleAlert } from "lucide-react"
import { Badge, classes, type Tone } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { compareSurfaces, Hash, type SurfacePair } from "./Surface.tsx"

/** One side of a comparison: a build of a plugin. */
export interface Side {
  readonly title: string
  readonly version: string | undefined
  readonly contentHash: string | undefined
  readonly surface: readonly SurfaceItem[] | undefined
  readonly unseen?: number | undefined
}

const TONES: Record<SurfacePair["standing"], Tone | undefined> = {
  same: undefined,
  "only-left": "todo",
  "only-right": "waiting",
  "other-command": "waiting",
  "other-script": "waiting",
}

interface ComparisonProps {
  readonly left: Side
  readonly right: Side
  /** The right one would take the place of the left one: then what differs was added or removed. */
  readonly successive?: boolean
}

/** On a phone both sides stay in view: what is compared stands above them. */
const NARROW = "max-sm:grid max-sm:grid-cols-2"

/** Two builds side by side: who they are, then every line of what they do, aligned by where it happens. */
export function Comparison({ left, right, successive = false }: ComparisonProps) {
  const text = useText()
  const pairs =
    left.surface === undefined || right.surface === undefined ? [] : compareSurfaces(left.surface, right.surface)
  const unknown = [left, right].find(({ surface }) => surface === undefined)
  const unseen = (left.unseen ?? 0) + (right.unseen ?? 0)
  return (
    <div className="grid grid-cols-1 gap-4">
      <div
        className="relative overflow-x-auto rounded-lg border border-line"
        tabIndex={0}
        role="group"
        aria-label={text("plugins.compare")}
      >
        <table className="w-full table-fixed text-left text-sm max-sm:block">
          <thead className="max-sm:block">
            <tr className={classes("border-b border-line bg-canvas", NARROW)}>
              <th className="w-36 px-3 py-2 max-sm:hidden">
                <span className="sr-only">{text("plugins.surface")}</span>
              </th>
              {[left, right].map((side, index) => (
                <th key={index} scope="col" className="px-3 py-2 align-top font-normal">
                  <span className="block font-medium break-words">{side.title}</span>
                  <span className="flex flex-wrap gap-x-2 text-xs text-faint">
                    <span className="tabular-nums">{side.version ?? text("plugins.unknownHash")}</span>
                    <Hash value={side.contentHash} />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line max-sm:block">
            {pairs.map((pair, index) => (
              <Line key={index} pair={pair} successive={successive} />
            ))}
            {unknown === undefined && pairs.length === 0 && (
              <tr>
                <td colSpan={3} className="px-3 py-4 text-center text-faint">
                  {text("plugins.bothTextOnly")}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {unknown !== undefined && (
        <Warning>
          {text("plugins.sideUnknown", { name: [unknown.title, unknown.version].filter(Boolean).join(" ") })}
        </Warning>
      )}
      {unseen > 0 && <Warning>{text("plugins.unseen", { count: unseen })}</Warning>}
    </div>
  )
}

const CHANGED = { "only-left": "proposals.change.removed", "only-right": "proposals.change.added" } as const

function Line({ pair, successive }: { readonly pair: SurfacePair; readonly successive: boolean }) {
  const text = useText()
  const { standing } = pair
  const label =
    successive && (standing === "only-left" || standing === "only-right")
      ? CHANGED[standing]
      : (`plugins.pair.${standing}` as const)
  const tone = TONES[pair.standing]
  return (
    <tr className={classes("align-top", NARROW, pair.standing === "same" && "text-muted")}>
      <th scope="row" className="px-3 py-2 font-normal max-sm:col-span-2">
        <span className="block font-medium">{text(`plugins.kind.${pair.kind}`)}</span>
        <span className="block text-xs break-words text-faint">{pair.where}</span>
        {tone !== undefined && (
          <Badge tone={tone} className="mt-1">
            {text(label)}
          </Badge>
        )}
      </th>
      {[pair.left, pair.right].map((item, index) => (
        <td
          key={index}
          className={classes(
            "px-3 py-2",
            pair.standing !== "same" && index === 1 && item !== undefined && "bg-waiting-soft",
          )}
        >
          {item === undefined ? (
            <span className="text-faint">–</span>
          ) : (
            <code className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{item.does}</code>
          )}
        </td>
      ))}
    </tr>
  )
}

export function Warning({ children }: { readonly children: string }) {
  return (
    <p className="flex items-start gap-2 rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  )
}
