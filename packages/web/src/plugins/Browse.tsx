import type { CuratedSet, machines } from "@chorus/contracts"
import { Columns2, Store } from "lucide-react"
import { useState } from "react"
import { Badge, Button, Checkbox, Dialog, EmptyState, Input, Nothing, Rows, Select } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { canPin, isAgreed, marketplaceOf, nameOf } from "./curate.ts"
import { Comparison, type Side } from "./Comparison.tsx"
import { SurfaceList, SurfaceSummary } from "./Surface.tsx"

type Known = machines.KnownPlugin

interface BrowseProps {
  readonly plugins: readonly Known[]
  readonly set: CuratedSet
  /** Undefined for those who do not decide. */
  readonly onPin: ((plugin: Known) => void) | undefined
}

/** Every plugin the team's machines have or are offered; two of them can be laid side by side. */
export function Browse({ plugins, set, onPin }: BrowseProps) {
  const text = useText()
  const [find, setFind] = useState("")
  const [market, setMarket] = useState("")
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [comparing, setComparing] = useState(false)
  const [shown, setShown] = useState<Known>()
  if (plugins.length === 0) {
    return (
      <EmptyState icon={Store} title={text("plugins.noOffers")}>
        <InlineCode text={text("plugins.noOffersLead")} />
      </EmptyState>
    )
  }
  const words = find.trim().toLowerCase()
  const listed = plugins.filter(
    (plugin) =>
      (market === "" || marketplaceOf(plugin.id) === market) &&
      `${plugin.id} ${plugin.description ?? ""}`.toLowerCase().includes(words),
  )
  const [left, right] = chosen.map((key) => plugins.find((plugin) => keyOf(plugin) === key))
  const choose = (plugin: Known, on: boolean) =>
    setChosen((now) => (on ? [...now, keyOf(plugin)].slice(-2) : now.filter((key) => key !== keyOf(plugin))))
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          compact
          type="search"
          value={find}
          aria-label={text("plugins.find")}
          placeholder={text("plugins.find")}
          onChange={(event) => setFind(event.target.value)}
          className="min-w-40 flex-1 sm:max-w-64"
        />
        <Select
          compact
          aria-label={text("plugins.marketplaces")}
          className="w-40 sm:w-48"
          value={market}
          onChange={(event) => setMarket(event.target.value)}
        >
          <option value="">{text("plugins.allMarketplaces")}</option>
          {[...new Set(plugins.map(({ id }) => marketplaceOf(id)))].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <span className="ml-auto flex items-center gap-3">
          <span className="text-xs text-faint">{text("plugins.compareHint")}</span>
          <Button
            icon={Columns2}
            disabled={left === undefined || right === undefined}
            onClick={() => setComparing(true)}
          >
            {text("plugins.compare")}
          </Button>
        </span>
      </div>
      {listed.length === 0 && <Nothing>{text("plugins.noMatch")}</Nothing>}
      {listed.length > 0 && (
        <Rows label={text("plugins.browse")}>
          {listed.map((plugin) => (
            <li
              key={keyOf(plugin)}
              className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm transition-colors duration-100 hover:bg-hover"
            >
              <Checkbox
                checked={chosen.includes(keyOf(plugin))}
                label={
                  <span className="sr-only">
                    {text("plugins.chooseToCompare", { name: `${plugin.id} ${plugin.version ?? ""}` })}
                  </span>
                }
                onChange={(on) => choose(plugin, on)}
              />
              <div className="grid min-w-0 flex-1 gap-1 max-sm:basis-4/5">
                <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
                  <button
                    type="button"
                    className="cursor-pointer truncate font-medium hover:underline"
                    onClick={() => setShown(plugin)}
                  >
                    {nameOf(plugin.id)}
                  </button>
                  <span className="text-xs text-muted tabular-nums">
                    {plugin.version ?? text("plugins.versionUnknown")}
                  </span>
                  <span className="truncate text-xs text-faint">{marketplaceOf(plugin.id)}</span>
                </p>
                {plugin.description !== undefined && <p className="line-clamp-2 text-muted">{plugin.description}</p>}
                {plugin.problem === undefined ? (
                  <SurfaceSummary surface={plugin.surface} />
                ) : (
                  <p className="text-xs text-failed">{plugin.problem}</p>
                )}
              </div>
              <span className="flex shrink-0 flex-wrap items-center gap-2 max-sm:pl-9">
                {plugin.installedOn.length > 0 && (
                  <span className="hidden text-xs text-faint sm:inline" title={plugin.installedOn.join(", ")}>
                    {text("plugins.onMachines", { count: plugin.installedOn.length })}
                  </span>
                )}
                {plugin.approved ? (
                  <Badge tone="done">{text("plugins.approved")}</Badge>
                ) : (
                  onPin !== undefined && <Pin plugin={plugin} set={set} onPin={onPin} />
                )}
              </span>
            </li>
          ))}
        </Rows>
      )}
      {shown !== undefined && (
        <Dialog
          open
          wide
          onOpenChange={() => setShown(undefined)}
          title={`${nameOf(shown.id)} ${shown.version ?? ""}`}
          description={shown.description}
          footer={
            onPin !== undefined &&
            !shown.approved && <Pin plugin={shown} set={set} onPin={(plugin) => (setShown(undefined), onPin(plugin))} />
          }
        >
          <SurfaceList surface={shown.surface} unseen={shown.unseen} />
        </Dialog>
      )}
      {comparing && left !== undefined && right !== undefined && (
        <Dialog
          open
          wide
          onOpenChange={() => setComparing(false)}
          title={text("plugins.compare")}
          description={text("plugins.compareLead")}
        >
          <Comparison left={sideOf(left)} right={sideOf(right)} />
        </Dialog>
      )}
    </div>
  )
}

function Pin({ plugin, set, onPin }: { readonly plugin: Known; readonly set: CuratedSet; onPin(plugin: Known): void }) {
  const text = useText()
  const curated = set.plugins.find(({ id }) => id === plugin.id)
  if (isAgreed(plugin, curated)) return null
  return (
    <Button
      size="sm"
      disabled={!canPin(plugin)}
      title={canPin(plugin) ? undefined : text("plugins.noHash")}
      onClick={() => onPin(plugin)}
    >
      {text(curated === undefined ? "plugins.add" : "plugins.update")}
    </Button>
  )
}

function sideOf({ id, version, contentHash, surface, unseen }: Known): Side {
  return { title: id, version, contentHash, surface, unseen }
}

function keyOf({ id, version, contentHash }: Known): string {
  return `${id} ${contentHash ?? version ?? ""}`
}
