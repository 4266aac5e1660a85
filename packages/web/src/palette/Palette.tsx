import type { search } from "@chorus/contracts"
import { useNavigate } from "@tanstack/react-router"
import {
  Bot,
  CircleDot,
  FileText,
  Folder,
  GitPullRequestArrow,
  Layers,
  Lightbulb,
  type LucideIcon,
  Search,
  User,
  Zap,
} from "lucide-react"
import { Dialog } from "radix-ui"
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react"
import { classes, isComposing, Kbd, useOpener } from "../design/index.ts"
import { type Translate, useText } from "../i18n/language.ts"
import { PROPOSAL_LABEL } from "../proposals/proposal-status.ts"
import { TASK_LABEL } from "../tasks/task-status.ts"
import { placeOfResult } from "./place-of-result.ts"
import { ranked } from "./rank.ts"
import { type Command, useCommands } from "./use-commands.ts"
import { useSearchResults } from "./use-search.ts"

const ICONS: Record<search.SearchKind, LucideIcon> = {
  task: CircleDot,
  idea: Lightbulb,
  proposal: GitPullRequestArrow,
  document: FileText,
  project: Folder,
  project_group: Layers,
}

interface Choice extends Command {
  readonly group: string
  readonly detail?: string
}

interface PaletteProps {
  /** What was typed before it was there. */
  readonly typed?: RefObject<string>
  onClose(): void
}

/** One place to find anything and do anything, by keys alone. */
export function Palette({ typed, onClose }: PaletteProps) {
  const text = useText()
  const listId = useId()
  const [query, setQuery] = useState(() => typed?.current ?? "")
  useEffect(() => {
    if (typed !== undefined) typed.current = ""
  }, [typed])
  /** The one walked to, by its id: what is found arrives later and stands above it. */
  const [chosen, setChosen] = useState<string>()
  const choices = useChoices(query)
  const opener = useOpener(true)
  const at = Math.max(
    0,
    choices.findIndex(({ id }) => id === chosen),
  )
  const current = choices[at]
  useEffect(() => {
    document.getElementById(`${listId}-${current?.id}`)?.scrollIntoView({ block: "nearest" })
  }, [current?.id, listId])

  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    choice.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === "ArrowDown") setChosen(choices[at + 1]?.id ?? current?.id)
    else if (event.key === "ArrowUp") setChosen(choices[at - 1]?.id ?? current?.id)
    else if (event.key === "Enter") choose(current)
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Dialog.Content
          {...opener}
          aria-describedby={undefined}
          className="fixed top-[10vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 animate-rise flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-(--shadow-raised)"
        >
          <Dialog.Title className="sr-only">{text("nav.search")}</Dialog.Title>
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search aria-hidden className="size-4 text-faint" />
            <input
              autoFocus
              role="combobox"
              aria-expanded
              aria-controls={listId}
              aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
              aria-label={text("palette.placeholder")}
              placeholder={text("palette.placeholder")}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value)
                setChosen(undefined)
              }}
              onKeyDown={onKeyDown}
              className="h-12 flex-1 bg-transparent text-lg outline-none placeholder:text-faint"
            />
          </div>
          <p role="status" className="sr-only">
            {text("palette.results", { count: choices.length })}
          </p>
          {choices.length === 0 && (
            <p className="px-4 py-8 text-center text-sm text-muted">{text("palette.none", { query })}</p>
          )}
          <div id={listId} role="listbox" aria-label={text("palette.found")} className="min-h-0 overflow-y-auto p-2">
            {choices.map((choice, index) => (
              <Option
                key={choice.id}
                id={`${listId}-${choice.id}`}
                choice={choice}
                first={choices[index - 1]?.group !== choice.group}
                current={choice === current}
                onPoint={() => setChosen(choice.id)}
                onChoose={() => choose(choice)}
              />
            ))}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface OptionProps {
  readonly id: string
  readonly choice: Choice
  readonly first: boolean
  readonly current: boolean
  onPoint(): void
  onChoose(): void
}

function Option({ id, choice, first, current, onPoint, onChoose }: OptionProps) {
  const Icon = choice.icon
  return (
    <>
      {first && (
        <p aria-hidden className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
          {choice.group}
        </p>
      )}
      <div
        id={id}
        role="option"
        aria-selected={current}
        onPointerMove={onPoint}
        onClick={onChoose}
        className={classes(
          "flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 text-sm",
          current && "bg-hover",
        )}
      >
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="truncate">{choice.label}</span>
        {choice.detail !== undefined && <span className="truncate text-xs text-faint">{choice.detail}</span>}
        {choice.keys !== undefined && (
          <span className="ml-auto">
            <Kbd keys={choice.keys} />
          </span>
        )}
      </div>
    </>
  )
}

function useChoices(query: string): readonly Choice[] {
  const text = useText()
  const navigate = useNavigate()
  const { places, labels, actions } = useCommands()
  const results = useSearchResults(query)
  const [here] = useState(actionsHere)
  const actors = results.actors.map(({ uuid, name, type }): Choice => ({
    id: uuid,
    group: text("palette.found"),
    label: name,
    detail: text(`palette.kind.${type}`),
    icon: type === "agent" ? Bot : User,
    run: () =>
      void navigate(
        type === "agent" ? { to: "/agents" } : { to: "/settings/$section", params: { section: "members" } },
      ),
  }))
  const found = results.things.flatMap((result): Choice[] => {
    const place = placeOfResult(result)
    if (place === undefined) return []
    const kind = text(`palette.kind.${result.entityType}`)
    const detail = [kind, result.shortId, stateOf(text, result), result.projectName].filter(Boolean).join(" · ")
    return [
      {
        id: result.uuid,
        group: text("palette.found"),
        label: result.title,
        detail,
        icon: ICONS[result.entityType],
        run: () => void navigate(place),
      },
    ]
  })
  const ids = new Set(found.map(({ id }) => id))
  // A project may have hundreds of labels: they are there for who asks.
  const go = ranked(query, query.trim() === "" ? places : [...places, ...labels]).map((command): Choice => ({
    ...command,
    group: text("palette.go"),
  }))
  const act = ranked(query, actions).map((command): Choice => ({ ...command, group: text("palette.do") }))
  const now = ranked(query, here).map((command): Choice => ({ ...command, group: text("palette.here") }))
  return [...now, ...found, ...actors, ...go.filter(({ id }) => !ids.has(id)), ...act]
}

/** How far a task or a plan is, in the words of its page. */
function stateOf(text: Translate, { entityType, status }: search.SearchResult): string | undefined {
  const label =
    entityType === "task"
      ? Object.entries(TASK_LABEL).find(([each]) => each === status)?.[1]
      : entityType === "proposal"
        ? Object.entries(PROPOSAL_LABEL).find(([each]) => each === status)?.[1]
        : undefined
  return label === undefined ? undefined : text(label)
}

/** The buttons of what is open: the task beside the board, else the page. */
function actionsHere(): readonly Command[] {
  const shown = document.querySelector("[role=dialog] [data-actions]") ?? document.querySelector("main [data-actions]")
  const buttons = [...(shown?.querySelectorAll<HTMLButtonElement>("button:not([aria-haspopup]):enabled") ?? [])]
  return buttons.flatMap((button) => {
    const label = button.textContent.trim()
    return label === "" ? [] : [{ id: `here ${label}`, label, icon: Zap, run: () => button.click() }]
  })
}
