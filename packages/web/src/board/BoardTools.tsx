import { useNavigate } from "@tanstack/react-router"
import { ListFilter, Rows3, Search } from "lucide-react"
import { Button, Menu, MenuCheck, MenuChoice, MenuItem, MenuLine } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { BoardSearch } from "../shell/board-search.ts"
import { NOBODY } from "./columns.ts"

interface Named {
  readonly uuid: string
  readonly name: string
}

interface BoardToolsProps {
  readonly search: BoardSearch
  readonly holders: readonly Named[]
  readonly proposals: readonly Named[]
}

const ANY = ""

/** What narrows the board, kept in the address so that it can be shared and comes back. */
export function BoardTools({ search, holders, proposals }: BoardToolsProps) {
  const text = useText()
  const navigate = useNavigate({ from: "/projects/$projectUuid/board" })
  const set = (changes: { [Key in keyof BoardSearch]?: BoardSearch[Key] | undefined }) =>
    void navigate({ search: (now) => clean({ ...now, ...changes }), replace: true })
  const active = filterCount(search)
  return (
    <>
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
      <Menu
        trigger={
          <Button icon={ListFilter}>
            {active === 0 ? text("board.filter") : text("board.filterCount", { count: active })}
          </Button>
        }
      >
        <MenuCheck checked={search.ready === true} onChange={(ready) => set({ ready: ready ? true : undefined })}>
          {text("board.ready")}
        </MenuCheck>
        <MenuCheck checked={search.closed === true} onChange={(closed) => set({ closed: closed ? true : undefined })}>
          {text("board.closed")}
        </MenuCheck>
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
        {active > 0 && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => set(NO_FILTER)}>{text("board.clear")}</MenuItem>
          </>
        )}
      </Menu>
      <Menu
        trigger={
          <Button icon={Rows3}>
            {text(
              search.lanes === undefined
                ? "board.lanes"
                : search.lanes === "agent"
                  ? "board.lanes.agent"
                  : "board.lanes.proposal",
            )}
          </Button>
        }
      >
        <MenuChoice
          label={text("board.lanes")}
          value={search.lanes ?? ANY}
          onChange={(lanes) => set({ lanes: lanes === ANY ? undefined : lanes })}
          options={[
            { value: ANY, label: text("board.lanes.none") },
            { value: "proposal", label: text("board.lanes.proposal") },
            { value: "agent", label: text("board.lanes.agent") },
          ]}
        />
      </Menu>
    </>
  )
}

export const NO_FILTER = {
  find: undefined,
  priority: undefined,
  assignee: undefined,
  proposal: undefined,
  ready: undefined,
} as const

export function filterCount({ find, priority, assignee, proposal, ready }: BoardSearch): number {
  return [find, priority, assignee, proposal, ready].filter((each) => each !== undefined).length
}

function clean(search: Record<string, unknown>): BoardSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ""))
}
