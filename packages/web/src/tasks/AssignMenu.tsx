import { Hand, UserPlus } from "lucide-react"
import type { ReactNode } from "react"
import { Menu, MenuItem, MenuLabel, MenuLine } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"

const MOST_SUGGESTED = 3

interface AssignMenuProps {
  readonly trigger: ReactNode
  readonly takeLabel: string
  onTake(): void
  onAgent(uuid: string): void
  onPerson(uuid: string): void
}

/** Gives something to oneself, an agent or a person. */
export function AssignMenu({ trigger, ...rest }: AssignMenuProps) {
  return (
    <Menu trigger={trigger} align="end">
      <Choices {...rest} />
    </Menu>
  )
}

function Choices({ takeLabel, onTake, onAgent, onPerson }: Omit<AssignMenuProps, "trigger">) {
  const text = useText()
  const agents = useOperation("chorus_list_agents", { pageSize: 100 }).answer?.agents ?? []
  const near = useOperation("chorus_search_mentionables", { query: "", limit: 100 }).answer?.results ?? []
  // Who is at hand and has least to do, before a long list of names.
  const suggested = near
    .filter(({ online }) => online)
    .toSorted((one, other) => one.activeCount - other.activeCount)
    .slice(0, MOST_SUGGESTED)
  const members = useOperation("chorus_list_members", { pageSize: 100 }).answer?.members ?? []
  return (
    <>
      <MenuItem icon={Hand} onSelect={onTake}>
        {takeLabel}
      </MenuItem>
      <MenuLine />
      {suggested.length > 0 && agents.length > MOST_SUGGESTED && (
        <>
          <MenuLabel>{text("tasks.suggested")}</MenuLabel>
          {suggested.map(({ uuid, name, activeCount }) => (
            <MenuItem key={uuid} icon={UserPlus} onSelect={() => onAgent(uuid)}>
              {`${name} · ${text("tasks.suggestion", { count: activeCount })}`}
            </MenuItem>
          ))}
        </>
      )}
      {agents.length > 0 && <MenuLabel>{text("nav.agents")}</MenuLabel>}
      {agents.map(({ uuid, name }) => (
        <MenuItem key={uuid} icon={UserPlus} onSelect={() => onAgent(uuid)}>
          {name}
        </MenuItem>
      ))}
      {members.length > 0 && <MenuLabel>{text("tasks.people")}</MenuLabel>}
      {members
        .filter(({ disabledAt }) => disabledAt === null)
        .map(({ uuid, name }) => (
          <MenuItem key={uuid} icon={UserPlus} onSelect={() => onPerson(uuid)}>
            {name}
          </MenuItem>
        ))}
    </>
  )
}
