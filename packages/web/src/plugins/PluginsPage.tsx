import type { CuratedSet, machines } from "@chorus/contracts"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Laptop, Puzzle } from "lucide-react"
import { useState } from "react"
import { Button } from "../design/Button.tsx"
import { EmptyState } from "../design/EmptyState.tsx"
import { Page } from "../design/Page.tsx"
import { Problem } from "../design/Problem.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { Tabs } from "../design/Tabs.tsx"
import { toast } from "../design/toasts.ts"
import { say, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { isSteward } from "../shell/rights.ts"
import { useSignedIn } from "../shell/session-context.ts"
import { Approve } from "./Approve.tsx"
import { Browse } from "./Browse.tsx"
import { Curated } from "./Curated.tsx"
import { withPlugin } from "./curate.ts"
import { Machine } from "./Machine.tsx"

type Part = "curated" | "browse" | "machines"

/** The plugins every machine should have, what there is to choose from, and where machines differ. */
export function PluginsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const curated = useOperation("chorus_get_curated_plugins", {}, reloadWhen(({ entityType }) => entityType === "curated_plugins"))
  const machineList = useOperation("chorus_list_machines", {}, reloadWhen(({ entityType }) => entityType === "machine" || entityType === "curated_plugins"))
  const known = useOperation("chorus_browse_plugins", {}, reloadWhen(({ entityType }) => entityType === "machine" || entityType === "curated_plugins"))
  const curate = useAction("chorus_curate_plugins")
  const { part = "curated" } = useSearch({ from: "/plugins" })
  const navigate = useNavigate({ from: "/plugins" })
  const setPart = (next: Part) => void navigate({ search: next === "curated" ? {} : { part: next }, replace: true })
  const [pinning, setPinning] = useState<machines.KnownPlugin>()
  const steward = isSteward(person)
  const set = curated.answer
  const found = machineList.answer?.machines
  const change = async (next: CuratedSet | undefined) => {
    if (next === undefined) return
    const done = await curate.run(next, { amend: [amending("chorus_get_curated_plugins", {}, (now) => ({ ...next, revision: now.revision }))] })
    if (done !== undefined) toast(say("plugins.changed"))
  }
  const tabs = set !== undefined && [
    {
      value: "curated" as const,
      label: text("plugins.curated"),
      count: set.plugins.length,
      content:
        set.plugins.length === 0 ? (
          <EmptyState icon={Puzzle} title={text("plugins.noCurated")} action={<Button tone="primary" onClick={() => setPart("browse")}>{text("plugins.browse")}</Button>}>
            {text("plugins.noCuratedLead")}
          </EmptyState>
        ) : (
          <Curated set={set} onChange={steward ? (next) => void change(next) : undefined} />
        ),
    },
    {
      value: "browse" as const,
      label: text("plugins.browse"),
      count: known.answer?.plugins.length,
      content: known.answer === undefined ? <SkeletonRows /> : <Browse plugins={known.answer.plugins} set={set} onPin={steward ? setPinning : undefined} />,
    },
    {
      value: "machines" as const,
      label: text("plugins.machines"),
      count: found?.length,
      content:
        found?.length === 0 ? (
          <EmptyState icon={Laptop} title={text("plugins.noMachines")}>
            {text("plugins.noMachinesLead")}
          </EmptyState>
        ) : (
          <ul className="grid grid-cols-1 gap-3">
            {found?.map((machine) => (
              <Machine key={machine.uuid} machine={machine} set={set} onPin={steward ? setPinning : undefined} />
            ))}
          </ul>
        ),
    },
  ]
  return (
    <Page title={text("plugins.title")} beside={set !== undefined && set.revision > 0 && <span className="text-sm text-faint">{text("plugins.revision", { number: set.revision })}</span>}>
      {curated.status === "loading" && <SkeletonRows />}
      {curated.status === "failed" && <Problem error={curated.error} onRetry={curated.reload} />}
      {tabs !== false && <Tabs label={text("plugins.title")} tabs={tabs} value={part} onChange={setPart} />}
      {pinning !== undefined && set !== undefined && (
        <Approve
          plugin={pinning}
          before={set.plugins.find(({ id }) => id === pinning.id)}
          onClose={() => setPinning(undefined)}
          onApprove={() => {
            setPinning(undefined)
            void change(withPlugin(set, pinning))
          }}
        />
      )}
    </Page>
  )
}
