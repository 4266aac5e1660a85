import type { CuratedSet } from "@chorus/contracts"
import { Trash2 } from "lucide-react"
import { Badge, Checkbox, IconButton, Rows, Switch } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { marketplaceOf, nameOf, withChange, withoutPlugin } from "./curate.ts"
import { Hash, SurfaceSummary } from "./Surface.tsx"

interface CuratedProps {
  readonly set: CuratedSet
  /** Undefined for those who do not decide. */
  readonly onChange: ((change: (set: CuratedSet) => CuratedSet) => void) | undefined
}

/** What every machine should have. */
export function Curated({ set, onChange }: CuratedProps) {
  const text = useText()
  const markets = Object.entries(set.marketplaces)
  return (
    <div className="grid grid-cols-1 gap-4">
      <Rows label={text("plugins.curated")}>
        {set.plugins.map((plugin) => (
          <li key={plugin.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm">
            <span className="grid min-w-0 flex-1 basis-56 gap-0.5">
              <span className="flex min-w-0 items-baseline gap-2">
                <span className="truncate font-medium">{nameOf(plugin.id)}</span>
                <span className="text-xs text-faint tabular-nums">{plugin.version}</span>
                <span className="truncate text-xs text-faint">{marketplaceOf(plugin.id)}</span>
              </span>
              <SurfaceSummary surface={plugin.surface} />
            </span>
            <span className="text-xs text-faint">
              {text("plugins.content")} <Hash value={plugin.contentHash} />
            </span>
            {onChange === undefined ? (
              <span className="flex gap-1">
                {plugin.required && <Badge>{text("plugins.required")}</Badge>}
                <Badge>{text(plugin.enabled ? "plugins.enabled" : "plugins.disabled")}</Badge>
              </span>
            ) : (
              <span className="flex items-center gap-4">
                <Checkbox
                  checked={plugin.required}
                  label={text("plugins.required")}
                  onChange={(required) => onChange((now) => withChange(now, plugin.id, { required }))}
                />
                <Checkbox
                  checked={plugin.enabled}
                  label={text("plugins.enabled")}
                  onChange={(enabled) => onChange((now) => withChange(now, plugin.id, { enabled }))}
                />
                <IconButton
                  icon={Trash2}
                  size="sm"
                  label={text("plugins.removeOne", { name: nameOf(plugin.id) })}
                  onClick={() => onChange((now) => withoutPlugin(now, plugin.id))}
                />
              </span>
            )}
          </li>
        ))}
      </Rows>
      <div className="grid grid-cols-1 gap-3 rounded-lg border border-line px-4 py-3 text-sm">
        <p className="flex flex-wrap items-center gap-2 text-muted">
          {text("plugins.marketplaces")}
          {markets.map(([name, { source }]) => (
            <Badge key={name} title={JSON.stringify(source)}>
              {name}
            </Badge>
          ))}
        </p>
        <Switch
          checked={set.exclusive}
          disabled={onChange === undefined}
          label={text("plugins.exclusive")}
          hint={text("plugins.exclusiveHint")}
          onChange={(exclusive) => onChange?.((now) => ({ ...now, exclusive }))}
        />
      </div>
    </div>
  )
}
