import type { SurfaceItem } from "@chorus/contracts"
import { useText } from "../i18n/language.ts"
import { Nothing } from "../design/index.ts"
import { inOrder } from "./surface.ts"

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
          <code className="font-mono text-xs break-all whitespace-pre-wrap text-muted">{item.does}</code>
        </li>
      ))}
      {unseen !== undefined && (
        <li className="px-3 py-2 text-sm text-waiting">{text("plugins.unseen", { count: unseen })}</li>
      )}
    </ul>
  )
}
