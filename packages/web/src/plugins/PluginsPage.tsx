import type { machines } from "@chorus/contracts"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Laptop, Puzzle } from "lucide-react"
import { useState } from "react"
import { Button, EmptyState, Page, Tabs } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Pending } from "../settings/Section.tsx"
import { isSteward } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Approve } from "./Approve.tsx"
import { Browse } from "./Browse.tsx"
import { Curated } from "./Curated.tsx"
import { withPlugin } from "./curate.ts"
import { Machine } from "./Machine.tsx"
import { useCuration } from "./use-curation.ts"

type Part = "curated" | "browse" | "machines"

/** The plugins every machine should have, what there is to choose from, and where machines differ. */
export function PluginsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const curated = useOperation(
    "chorus_get_curated_plugins",
    {},
    reloadWhen(({ entityType }) => entityType === "curated_plugins"),
  )
  const machineList = useOperation(
    "chorus_list_machines",
    {},
    reloadWhen(({ entityType }) => entityType === "machine" || entityType === "curated_plugins"),
  )
  const known = useOperation(
    "chorus_browse_plugins",
    {},
    reloadWhen(({ entityType }) => entityType === "machine" || entityType === "curated_plugins"),
  )
  const change = useCuration()
  const { part = "curated" } = useSearch({ from: "/plugins" })
  const navigate = useNavigate({ from: "/plugins" })
  const setPart = (next: Part) => void navigate({ search: next === "curated" ? {} : { part: next }, replace: true })
  const [pinning, setPinning] = useState<machines.KnownPlugin>()
  const steward = isSteward(person)
  const set = curated.answer
  const found = machineList.answer?.machines
  const tabs = set !== undefined && [
    {
      value: "curated" as const,
      label: text("plugins.curated"),
      count: set.plugins.length,
      content:
        set.plugins.length === 0 ? (
          <EmptyState
            icon={Puzzle}
            title={text("plugins.noCurated")}
            action={
              <Button tone="primary" onClick={() => setPart("browse")}>
                {text("plugins.browse")}
              </Button>
            }
          >
            {text("plugins.noCuratedLead")}
          </EmptyState>
        ) : (
          <Curated set={set} onChange={steward ? change : undefined} />
        ),
    },
    {
      value: "browse" as const,
      label: text("plugins.browse"),
      count: known.answer?.plugins.length,
      content:
        known.answer === undefined ? (
          <Pending of={known} />
        ) : (
          <Browse plugins={known.answer.plugins} set={set} onPin={steward ? setPinning : undefined} />
        ),
    },
    {
      value: "machines" as const,
      label: text("plugins.machines"),
      count: found?.length,
      content:
        found === undefined ? (
          <Pending of={machineList} />
        ) : found.length === 0 ? (
          <EmptyState icon={Laptop} title={text("plugins.noMachines")}>
            <InlineCode text={text("plugins.noMachinesLead")} />
          </EmptyState>
        ) : (
          <ul className="grid grid-cols-1 gap-3">
            {found.map((machine) => (
              <Machine key={machine.uuid} machine={machine} set={set} onPin={steward ? setPinning : undefined} />
            ))}
          </ul>
        ),
    },
  ]
  return (
    <Page
      title={text("plugins.title")}
      beside={
        set !== undefined &&
        set.revision > 0 && (
          <span className="text-sm text-faint">{text("plugins.revision", { number: set.revision })}</span>
        )
      }
    >
      {tabs === false && <Pending of={curated} />}
      {tabs !== false && <Tabs label={text("plugins.title")} tabs={tabs} value={part} onChange={setPart} />}
      {pinning !== undefined && set !== undefined && (
        <Approve
          plugin={pinning}
          before={set.plugins.find(({ id }) => id === pinning.id)}
          onClose={() => setPinning(undefined)}
          onApprove={() => {
            setPinning(undefined)
            change((now) => withPlugin(now, pinning))
          }}
        />
      )}
    </Page>
  )
}
