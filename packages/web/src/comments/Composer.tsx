import type { OutputOf, search } from "@chorus/contracts"
import { useEffect, useId, useRef, useState } from "react"
import { Avatar, Button, classes, DraftNote, isComposing, onModEnter, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useLive } from "../live/use-operation.ts"
import { type MentionQuery, mentionQuery, withMention } from "./mention-query.ts"

type Mentionable = OutputOf<typeof search.searchMentionables>["results"][number]

interface ComposerProps {
  readonly placeholder: string
  readonly send: string
  /** What is written to, so that the words are kept for it until they are sent. */
  readonly draft: string
  readonly initial?: string
  readonly autoFocus?: boolean
  /** False where nobody of this workspace reads along. */
  readonly mentions?: boolean
  /** Answers whether it arrived; what did not stays in the field. */
  onSend(text: string): Promise<boolean>
  onCancel?(): void
}

/** Where one writes to others: ⌘/Ctrl+Enter sends, `@` mentions. */
export function Composer({
  placeholder,
  send,
  draft: name,
  initial = "",
  autoFocus = false,
  mentions = true,
  onSend,
  onCancel,
}: ComposerProps) {
  const text = useText()
  const field = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const draft = useDraft(name, initial)
  const { value, set: setValue } = draft
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState<MentionQuery>()
  const [at, setAt] = useState(0)
  const found = useMentionables(asked?.query)
  const submit = async () => {
    if (value.trim() === "" || busy) return
    setBusy(true)
    if (await onSend(value.trim())) draft.drop()
    setBusy(false)
  }
  const choose = (who: Mentionable | undefined) => {
    if (who === undefined || asked === undefined) return
    const put = withMention(value, asked, who.mention)
    setValue(put.text)
    setAsked(undefined)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(put.caret, put.caret)
    })
  }
  const look = (area: HTMLTextAreaElement) => {
    setAsked(mentions ? mentionQuery(area.value, area.selectionStart) : undefined)
    setAt(0)
  }
  const open = asked !== undefined && found.length > 0
  return (
    <div className="relative grid gap-2">
      <TextArea
        ref={field}
        rows={value.split("\n").length > 3 ? 6 : 2}
        value={value}
        autoFocus={autoFocus}
        aria-label={placeholder}
        placeholder={placeholder}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={open ? `${listId}-${at}` : undefined}
        onChange={(event) => {
          setValue(event.target.value)
          look(event.target)
        }}
        onBlur={() => setTimeout(() => setAsked(undefined), 150)}
        onKeyDown={(event) => {
          if (open && !isComposing(event)) {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault()
              setAt((now) => (now + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length)
              return
            }
            if ((event.key === "Enter" && !event.metaKey && !event.ctrlKey) || event.key === "Tab") {
              event.preventDefault()
              choose(found[at])
              return
            }
            if (event.key === "Escape") {
              event.stopPropagation()
              setAsked(undefined)
              return
            }
          }
          if (event.key === "Escape" && onCancel !== undefined) {
            event.stopPropagation()
            onCancel()
          }
          onModEnter(() => void submit())(event)
        }}
      />
      <ul
        id={listId}
        role="listbox"
        aria-label={text("comments.mention")}
        hidden={!open}
        className="absolute top-full left-0 z-20 -mt-9 w-64 rounded-lg border border-line bg-raised p-1 shadow-(--shadow-raised)"
      >
        {found.map((who, row) => (
          <li
            key={who.uuid}
            id={`${listId}-${row}`}
            role="option"
            aria-selected={row === at}
            onPointerDown={(event) => {
              event.preventDefault()
              choose(who)
            }}
            className={classes(
              "flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm",
              row === at && "bg-hover",
            )}
          >
            <Avatar actor={who} size="sm" />
            <span className="min-w-0 flex-1 truncate">{who.name}</span>
            {who.online && <span className="text-xs text-done">{text("comments.online")}</span>}
          </li>
        ))}
      </ul>
      <div className="flex items-center gap-2">
        <Button tone="primary" size="sm" disabled={busy || value.trim() === ""} onClick={() => void submit()}>
          {send}
        </Button>
        {onCancel !== undefined && (
          <Button size="sm" onClick={onCancel}>
            {text("action.cancel")}
          </Button>
        )}
        <DraftNote draft={draft} />
      </div>
    </div>
  )
}

/** People and agents whose name fits; an older answer never replaces a newer one. */
function useMentionables(query: string | undefined): readonly Mentionable[] {
  const { client } = useLive()
  const [found, setFound] = useState<readonly Mentionable[]>([])
  useEffect(() => {
    if (query === undefined) {
      setFound([])
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      client.call("chorus_search_mentionables", { query, limit: 6 }, { signal: stop.signal, retry: false }).then(
        ({ results }) => setFound(results),
        () => undefined,
      )
    }, 100)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, query])
  return found
}
