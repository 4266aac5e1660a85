import type { CuratedSet, InventoryPlugin, MachineInventory } from "@chorus/contracts"
import { Laptop, Puzzle, Trash2, TriangleAlert } from "lucide-react"
import { useState } from "react"
import { Badge } from "../design/Badge.tsx"
import { Button, IconButton } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { EmptyState } from "../design/EmptyState.tsx"
import { Checkbox, Switch } from "../design/Field.tsx"
import { Page } from "../design/Page.tsx"
import { Problem } from "../design/Problem.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { toast } from "../design/toasts.ts"
import { say, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Rows, Section } from "../sections/Section.tsx"
import { isSteward } from "../shell/rights.ts"
import { useSignedIn } from "../shell/session-context.ts"
import { withChange, withoutPlugin, withPlugin } from "./curate.ts"
import { Hash } from "./Hash.tsx"
import { Machine } from "./Machine.tsx"

interface Pinning {
  readonly inventory: MachineInventory
  readonly plugin: InventoryPlugin
}

/** The plugins every machine should have, what each one has, and where they differ. */
export function PluginsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const curated = useOperation("chorus_get_curated_plugins", {}, reloadWhen(({ entityType }) => entityType === "curated_plugins"))
  const machines = useOperation("chorus_list_machines", {}, reloadWhen(({ entityType }) => entityType === "machine" || entityType === "curated_plugins"))
  const curate = useAction("chorus_curate_plugins")
  const [pinning, setPinning] = useState<Pinning>()
  const steward = isSteward(person)
  const set = curated.answer
  const change = async (next: CuratedSet | undefined) => {
    if (next === undefined) return
    const done = await curate.run(next, { amend: [amending("chorus_get_curated_plugins", {}, (now) => ({ ...next, revision: now.revision }))] })
    if (done !== undefined) toast(say("plugins.changed"))
  }
  return (
    <Page title={text("plugins.title")}>
      {curated.status === "loading" && <SkeletonRows />}
      {curated.status === "failed" && <Problem error={curated.error} onRetry={curated.reload} />}
      {set !== undefined && (
        <div className="grid grid-cols-1 gap-8">
          <Section title={text("plugins.curated")} count={set.plugins.length} actions={set.revision > 0 && <span className="text-xs text-faint">{text("plugins.revision", { number: set.revision })}</span>}>
            {set.plugins.length === 0 ? (
              <EmptyState icon={Puzzle} title={text("plugins.noCurated")}>
                {text("plugins.noCuratedLead")}
              </EmptyState>
            ) : (
              <Curated set={set} onChange={steward ? (next) => void change(next) : undefined} />
            )}
          </Section>
          <Section title={text("plugins.machines")} count={machines.answer?.machines.length}>
            {machines.answer?.machines.length === 0 && (
              <EmptyState icon={Laptop} title={text("plugins.noMachines")}>
                {text("plugins.noMachinesLead")}
              </EmptyState>
            )}
            <ul className="grid grid-cols-1 gap-3">
              {machines.answer?.machines.map((machine) => (
                <Machine key={machine.uuid} machine={machine} set={set} onPin={steward ? (inventory, plugin) => setPinning({ inventory, plugin }) : undefined} />
              ))}
            </ul>
          </Section>
        </div>
      )}
      {pinning !== undefined && set !== undefined && (
        <Approve
          {...pinning}
          set={set}
          onClose={() => setPinning(undefined)}
          onApprove={() => {
            setPinning(undefined)
            void change(withPlugin(set, pinning.inventory, pinning.plugin))
          }}
        />
      )}
    </Page>
  )
}

function Curated({ set, onChange }: { readonly set: CuratedSet; readonly onChange: ((next: CuratedSet) => void) | undefined }) {
  const text = useText()
  const markets = Object.entries(set.marketplaces)
  return (
    <div className="grid grid-cols-1 gap-4">
      <Rows label={text("plugins.curated")}>
        {set.plugins.map((plugin) => (
          <li key={plugin.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
            <span className="min-w-0 flex-1 basis-48">
              <span className="block truncate font-medium">{plugin.id}</span>
              <span className="text-xs text-faint tabular-nums">{plugin.version}</span>
            </span>
            <span className="text-xs text-muted">
              {text("plugins.content")} <Hash value={plugin.contentHash} />
            </span>
            <span className="text-xs text-muted">
              {text("plugins.surface")} <Hash value={plugin.surfaceHash} />
            </span>
            {onChange === undefined ? (
              <>
                {plugin.required && <Badge>{text("plugins.required")}</Badge>}
                <Badge>{text(plugin.enabled ? "plugins.enabled" : "plugins.disabled")}</Badge>
              </>
            ) : (
              <>
                <Checkbox checked={plugin.required} label={text("plugins.required")} onChange={(required) => onChange(withChange(set, plugin.id, { required }))} />
                <Checkbox checked={plugin.enabled} label={text("plugins.enabled")} onChange={(enabled) => onChange(withChange(set, plugin.id, { enabled }))} />
                <IconButton icon={Trash2} size="sm" label={text("plugins.remove")} onClick={() => onChange(withoutPlugin(set, plugin.id))} />
              </>
            )}
          </li>
        ))}
      </Rows>
      <div className="grid grid-cols-1 gap-3 rounded-lg bg-canvas px-4 py-3 text-sm">
        <p className="flex flex-wrap items-center gap-2 text-muted">
          {text("plugins.marketplaces")}
          {markets.map(([name, { source }]) => (
            <Badge key={name} title={JSON.stringify(source)}>
              {name}
            </Badge>
          ))}
        </p>
        <Switch checked={set.exclusive} disabled={onChange === undefined} label={text("plugins.exclusive")} hint={text("plugins.exclusiveHint")} onChange={(exclusive) => onChange?.({ ...set, exclusive })} />
      </div>
    </div>
  )
}

/** Nobody approves bytes unseen: what was approved and what would be stand side by side. */
function Approve({ inventory, plugin, set, onClose, onApprove }: Pinning & { readonly set: CuratedSet; onClose(): void; onApprove(): void }) {
  const text = useText()
  const before = set.plugins.find(({ id }) => id === plugin.id)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text("plugins.confirmTitle", { name: plugin.id })}
      description={text("plugins.confirmLead")}
      footer={
        <>
          <Button onClick={onClose}>{text("action.cancel")}</Button>
          <Button tone="primary" onClick={onApprove}>
            {text("plugins.approve")}
          </Button>
        </>
      }
    >
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-faint">
          <tr>
            <th className="py-1">
              <span className="sr-only">{text("plugins.name")}</span>
            </th>
            {before !== undefined && <th className="py-1 font-medium">{text("plugins.before")}</th>}
            <th className="py-1 font-medium">{text("plugins.after", { machine: inventory.machine })}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th className="py-1 font-normal text-muted">{text("plugins.version")}</th>
            {before !== undefined && <td>{before.version}</td>}
            <td>{plugin.version}</td>
          </tr>
          <tr>
            <th className="py-1 font-normal text-muted">{text("plugins.content")}</th>
            {before !== undefined && (
              <td>
                <Hash value={before.contentHash} />
              </td>
            )}
            <td>
              <Hash value={plugin.contentHash} />
            </td>
          </tr>
          <tr>
            <th className="py-1 font-normal text-muted">{text("plugins.surface")}</th>
            {before !== undefined && (
              <td>
                <Hash value={before.surfaceHash} />
              </td>
            )}
            <td>
              <Hash value={plugin.surfaceHash} />
            </td>
          </tr>
        </tbody>
      </table>
      {before !== undefined && before.surfaceHash !== plugin.surfaceHash && (
        <p className="mt-3 flex items-start gap-2 rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {text("plugins.surfaceChanged")}
        </p>
      )}
    </Dialog>
  )
}
