import type { CuratedSet, machines } from "@chorus/contracts"
import { Laptop } from "lucide-react"
import { Badge } from "../design/Badge.tsx"
import { Button } from "../design/Button.tsx"
import { useText } from "../i18n/language.ts"
import { Nothing } from "../sections/Section.tsx"
import { When } from "../sections/Who.tsx"
import { canPin, isAgreed, knownOn } from "./curate.ts"
import { Hash } from "./Hash.tsx"
import { SurfaceSummary } from "./SurfaceSummary.tsx"

interface MachineProps {
  readonly machine: machines.MachineRow
  readonly set: CuratedSet
  /** Undefined for those who do not decide. */
  readonly onPin: ((plugin: machines.KnownPlugin) => void) | undefined
}

/** What one machine has, and how that differs from what was agreed. */
export function Machine({ machine, set, onPin }: MachineProps) {
  const text = useText()
  const { inventory, deviations } = machine
  const curated = new Map(set.plugins.map((plugin) => [plugin.id, plugin]))
  return (
    <li className="rounded-lg border border-line bg-surface shadow-(--shadow-card)">
      <header className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Laptop aria-hidden className="size-4 text-faint" />
        <h3 className="font-medium">{machine.name}</h3>
        <span className="text-xs text-faint">{machine.agent.name}</span>
        <When at={machine.lastSeenAt} />
        <span className="ml-auto">{deviations.length === 0 ? <Badge tone="done">{text("plugins.asAgreed")}</Badge> : <Badge tone="failed">{text("plugins.deviates", { count: deviations.length })}</Badge>}</span>
      </header>
      {deviations.length > 0 && (
        <ul className="grid grid-cols-1 gap-1 border-t border-line px-4 py-2 text-sm">
          {deviations.map(({ id, kind, expected, actual }) => (
            <li key={id + kind + (actual ?? "")} className="flex flex-wrap items-center gap-2">
              <Badge tone={kind === "changed_surface" || kind === "changed_content" || kind === "load_error" ? "failed" : "waiting"}>{text(`plugins.deviation.${kind}`)}</Badge>
              <span className="font-medium">{id}</span>
              <span className="min-w-0 truncate text-xs text-faint" title={[expected, actual].filter(Boolean).join(" → ")}>
                {[expected, actual].filter(Boolean).join(" → ")}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="relative overflow-x-auto border-t border-line" tabIndex={0} role="group" aria-label={machine.name}>
        {inventory === null || inventory.plugins.length === 0 ? (
          <div className="px-4 py-3">
            <Nothing>{text("plugins.noInventory")}</Nothing>
          </div>
        ) : (
          <table className="w-full text-left text-sm">
            <thead className="text-xs text-faint">
              <tr>
                <th className="px-4 py-2 font-medium">{text("plugins.name")}</th>
                <th className="px-2 py-2 font-medium">{text("plugins.version")}</th>
                <th className="px-2 py-2 font-medium">{text("plugins.scope")}</th>
                <th className="px-2 py-2 font-medium">{text("plugins.surface")}</th>
                <th className="px-2 py-2 font-medium">{text("plugins.content")}</th>
                <th className="px-2 py-2 font-medium">{text("plugins.state")}</th>
                {onPin !== undefined && (
                  <th className="px-4 py-2">
                    <span className="sr-only">{text("action.more")}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {inventory.plugins.map((plugin) => (
                <tr key={`${plugin.id} ${plugin.scope}`}>
                  <td className="px-4 py-2 font-medium">{plugin.id}</td>
                  <td className="px-2 py-2 whitespace-nowrap tabular-nums">
                    {plugin.version}
                    {plugin.update !== undefined && <span className="ml-1.5 text-xs text-progress">{text("plugins.newer", { version: plugin.update })}</span>}
                  </td>
                  <td className="px-2 py-2 text-muted">{plugin.scope}</td>
                  <td className="px-2 py-2">
                    <SurfaceSummary surface={plugin.surface} />
                  </td>
                  <td className="px-2 py-2">
                    <Hash value={plugin.contentHash} />
                  </td>
                  <td className="px-2 py-2 text-muted">{text(plugin.enabled ? "plugins.enabled" : "plugins.disabled")}</td>
                  {onPin !== undefined && (
                    <td className="px-4 py-1.5 text-right">
                      {!isAgreed(plugin, curated.get(plugin.id)) && (
                        <Button size="sm" disabled={!canPin(plugin)} title={canPin(plugin) ? undefined : text("plugins.noHash")} onClick={() => onPin(knownOn(inventory, plugin))}>
                          {text(curated.has(plugin.id) ? "plugins.update" : "plugins.add")}
                        </Button>
                      )}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </li>
  )
}
