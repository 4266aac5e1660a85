import { ArrowUpDown, ListFilter, Rows3, Search } from "lucide-react"
import { Button, Menu, MenuCheck, MenuChoice, MenuItem, MenuLine } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { LayoutSwitch } from "../items/LayoutSwitch.tsx"
import type { Layout } from "../items/layouts.ts"
import { GROUP_LABEL, orderIn, SORT_LABEL } from "../items/table.ts"
import { useItemSearch } from "../items/use-item-search.ts"
import { useLabels } from "../items/use-labels.ts"
import { ViewsMenu } from "../items/ViewsMenu.tsx"
import { type BoardSearch, GROUPS, SORTS } from "../shell/board-search.ts"
import { COLUMNS, NOBODY } from "./columns.ts"

interface Named {
  readonly uuid: string
  readonly name: string
}

interface BoardToolsProps {
  readonly layout: Layout
  readonly projectUuid: string
  readonly holders: readonly Named[]
  readonly proposals: readonly Named[]
}

const ANY = ""

/** What narrows the board, the list and the graph, kept in the address so that it can be shared and comes back. */
export function BoardTools({ layout, projectUuid, holders, proposals }: BoardToolsProps) {
  const text = useText()
  const { search, set } = useItemSearch()
  const { labels } = useLabels(projectUuid)
  const active = filterCount(search)
  return (
    <>
      <LayoutSwitch projectUuid={projectUuid} layout={layout} />
      {layout !== "graph" && (
        <label className="relative flex items-center">
          <Search aria-hidden className="pointer-events-none absolute left-2.5 size-4 text-faint" />
          <span className="sr-only">{text("board.find")}</span>
          <input
            type="search"
            value={search.find ?? ""}
            onChange={(event) => set({ find: event.target.value })}
            placeholder={text("board.find")}
            className="h-8 w-32 rounded-md border border-line bg-surface pr-2 pl-8 sm:w-44 text-sm placeholder:text-faint"
          />
        </label>
      )}
      <Menu
        trigger={
          <Button icon={ListFilter}>
            {active > 0 && (
              <span aria-hidden className="tabular-nums sm:hidden">
                {active}
              </span>
            )}
            <span className="max-sm:sr-only">
              {active === 0 ? text("board.filter") : text("board.filterCount", { count: active })}
            </span>
          </Button>
        }
      >
        <MenuCheck checked={search.ready === true} onChange={(ready) => set({ ready: ready ? true : undefined })}>
          {text("board.ready")}
        </MenuCheck>
        <MenuCheck checked={search.closed === true} onChange={(closed) => set({ closed: closed ? true : undefined })}>
          {text("board.closed")}
        </MenuCheck>
        <MenuCheck checked={search.late === true} onChange={(late) => set({ late: late ? true : undefined })}>
          {text("items.late")}
        </MenuCheck>
        <MenuLine />
        <MenuChoice
          label={text("tasks.statusName")}
          value={search.status ?? ANY}
          onChange={(status) => set({ status: status === ANY ? undefined : status })}
          options={[
            { value: ANY, label: text("board.priority.any") },
            ...COLUMNS.map(({ id, label }) => ({ value: id, label: text(label) })),
          ]}
        />
        <MenuLine />
        <MenuChoice
          label={text("board.priority")}
          value={search.priority ?? ANY}
          onChange={(priority) => set({ priority: priority === ANY ? undefined : priority })}
          options={[
            { value: ANY, label: text("board.priority.any") },
            { value: "high", label: text("board.priority.high") },
            { value: "medium", label: text("board.priority.medium") },
            { value: "low", label: text("board.priority.low") },
          ]}
        />
        <MenuLine />
        <MenuChoice
          label={text("board.assignee")}
          value={search.assignee ?? ANY}
          onChange={(assignee) => set({ assignee })}
          options={[
            { value: ANY, label: text("board.assignee.any") },
            { value: NOBODY, label: text("board.assignee.nobody") },
            ...holders.map(({ uuid, name }) => ({ value: uuid, label: name })),
          ]}
        />
        {proposals.length > 0 && (
          <>
            <MenuLine />
            <MenuChoice
              label={text("board.proposal")}
              value={search.proposal ?? ANY}
              onChange={(proposal) => set({ proposal })}
              options={[
                { value: ANY, label: text("board.proposal.any") },
                ...proposals.map(({ uuid, name }) => ({ value: uuid, label: name })),
              ]}
            />
          </>
        )}
        {labels.length > 0 && (
          <>
            <MenuLine />
            <MenuChoice
              label={text("items.label")}
              value={search.label ?? ANY}
              onChange={(label) => set({ label })}
              options={[
                { value: ANY, label: text("items.anyLabel") },
                ...labels.map(({ name }) => ({ value: name, label: name })),
              ]}
            />
          </>
        )}
        {active > 0 && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => set(NO_FILTER)}>{text("board.clear")}</MenuItem>
          </>
        )}
      </Menu>
      {layout === "board" && <LanesMenu chosen={search.lanes} onChange={(lanes) => set({ lanes })} />}
      {layout === "list" && <GroupMenu chosen={search.group} onChange={(group) => set({ group })} />}
      {layout === "list" && <SortMenu chosen={search.sort} onChange={(sort) => set({ sort })} />}
      <ViewsMenu projectUuid={projectUuid} layout={layout} />
    </>
  )
}

interface ChoiceProps<Value> {
  readonly chosen: Value | undefined
  onChange(value: Value | undefined): void
}

function LanesMenu({ chosen: lanes, onChange }: ChoiceProps<BoardSearch["lanes"]>) {
  const text = useText()
  return (
    <Menu
      trigger={
        <Button icon={Rows3}>
          <span className="max-sm:sr-only">
            {text(
              lanes === undefined ? "board.lanes" : lanes === "agent" ? "board.lanes.agent" : "board.lanes.proposal",
            )}
          </span>
        </Button>
      }
    >
      <MenuChoice
        label={text("board.lanes")}
        value={lanes ?? ANY}
        onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
        options={[
          { value: ANY, label: text("board.lanes.none") },
          { value: "proposal", label: text("board.lanes.proposal") },
          { value: "agent", label: text("board.lanes.agent") },
        ]}
      />
    </Menu>
  )
}

function GroupMenu({ chosen: group, onChange }: ChoiceProps<BoardSearch["group"]>) {
  const text = useText()
  return (
    <Menu
      trigger={
        <Button icon={Rows3}>
          <span className="max-sm:sr-only">{text(group === undefined ? "items.group" : GROUP_LABEL[group])}</span>
        </Button>
      }
    >
      <MenuChoice
        label={text("items.group")}
        value={group ?? ANY}
        onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
        options={[
          { value: ANY, label: text("items.group.none") },
          ...GROUPS.map((value) => ({ value, label: text(GROUP_LABEL[value]) })),
        ]}
      />
    </Menu>
  )
}

/** Where the table has no room for the heads of its columns. */
function SortMenu({ chosen: sort, onChange }: ChoiceProps<string>) {
  const text = useText()
  return (
    <Menu
      trigger={
        <Button icon={ArrowUpDown} className="min-[900px]:hidden">
          <span className="max-sm:sr-only">{text("items.sort")}</span>
        </Button>
      }
    >
      <MenuChoice
        label={text("items.sort")}
        value={orderIn(sort).by}
        onChange={onChange}
        options={SORTS.map((value) => ({ value, label: text(SORT_LABEL[value]) }))}
      />
    </Menu>
  )
}

export const NO_FILTER = {
  find: undefined,
  status: undefined,
  priority: undefined,
  assignee: undefined,
  proposal: undefined,
  label: undefined,
  ready: undefined,
  late: undefined,
} as const

const FILTERS = Object.keys(NO_FILTER) as (keyof typeof NO_FILTER)[]

export function filterCount(search: BoardSearch): number {
  return FILTERS.filter((name) => search[name] !== undefined).length
}
