import type { CuratedPlugin, CuratedSet, InventoryPlugin, machines } from "@chorus/contracts"
import { Laptop } from "lucide-react"
import { Badge, Button, Nothing, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { canPin, isAgreed, knownOn } from "./curate.ts"
import { Hash, SurfaceSummary } from "./Surface.tsx"

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
  return (
    <li className="rounded-lg border border-line bg-surface shadow-(--shadow-card)">
      <header className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Laptop aria-hidden className="size-4 text-faint" />
        <h3 className="font-medium">{machine.name}</h3>
        <span className="text-xs text-faint">{machine.agent.name}</span>
        <When at={machine.lastSeenAt} />
        <span className="ml-auto">
          {deviations.length === 0 ? (
            <Badge tone="done">{text("plugins.asAgreed")}</Badge>
          ) : (
            <Badge tone="failed">{text("plugins.deviates", { count: deviations.length })}</Badge>
          )}
        </span>
      </header>
      {deviations.length > 0 && (
        <ul className="grid grid-cols-1 gap-1 border-t border-line px-4 py-2 text-sm">
          {deviations.map(({ id, kind, expected, actual }) => (
            <li key={id + kind + (actual ?? "")} className="flex flex-wrap items-center gap-2">
              <Badge
                tone={
                  kind === "changed_surface" || kind === "changed_content" || kind === "load_error"
                    ? "failed"
                    : "waiting"
                }
              >
                {text(`plugins.deviation.${kind}`)}
              </Badge>
              <span className="font-medium">{id}</span>
              <span
                className="min-w-0 truncate text-xs text-faint"
                title={[expected, actual].filter(Boolean).join(" → ")}
              >
                {[expected, actual].filter(Boolean).join(" → ")}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="border-t border-line">
        {inventory === null || inventory.plugins.length === 0 ? (
          <div className="px-4 py-3">
            <Nothing>{text("plugins.noInventory")}</Nothing>
          </div>
        ) : (
          <ul aria-label={machine.name} className="divide-y divide-line">
            {inventory.plugins.map((plugin) => (
              <Installed
                key={`${plugin.id} ${plugin.scope}`}
                plugin={plugin}
                curated={set.plugins.find(({ id }) => id === plugin.id)}
                onPin={onPin && (() => onPin(knownOn(inventory, plugin)))}
              />
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

interface InstalledProps {
  readonly plugin: InventoryPlugin
  /** What was agreed about it. */
  readonly curated: CuratedPlugin | undefined
  readonly onPin: (() => void) | undefined
}

function Installed({ plugin, curated, onPin }: InstalledProps) {
  const text = useText()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm">
      <div className="grid min-w-0 flex-1 basis-56 gap-1">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="font-medium wrap-anywhere">{plugin.id}</span>
          <span className="text-xs text-muted tabular-nums">{plugin.version ?? text("plugins.versionUnknown")}</span>
          {plugin.update !== undefined && (
            <span className="text-xs text-progress">{text("plugins.newer", { version: plugin.update })}</span>
          )}
        </p>
        <SurfaceSummary surface={plugin.surface} />
      </div>
      <p className="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
        <span>
          {text("plugins.content")} <Hash value={plugin.contentHash} />
        </span>
        <span title={text("plugins.scope")}>{plugin.scope}</span>
        <span>{text(plugin.enabled ? "plugins.enabled" : "plugins.disabled")}</span>
      </p>
      {onPin !== undefined && !isAgreed(plugin, curated) && (
        <Button
          size="sm"
          disabled={!canPin(plugin)}
          title={canPin(plugin) ? undefined : text("plugins.noHash")}
          onClick={onPin}
        >
          {text(curated === undefined ? "plugins.add" : "plugins.update")}
        </Button>
      )}
    </li>
  )
}
