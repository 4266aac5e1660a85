import type { SurfaceItem } from "@chorus/contracts"
import { Download, type LucideIcon, Plug, Terminal, Unlock } from "lucide-react"
import { useText } from "../i18n/language.ts"
import { weigh } from "./surface.ts"

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
