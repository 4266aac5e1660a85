import { Eye, FileText, GitPullRequestArrow, Lightbulb, Paperclip, Pencil, SquareCheckBig } from "lucide-react"
import { type ComponentProps, type ReactNode, useDeferredValue, useId, useRef, useState } from "react"
import { Avatar, Button, classes, IconButton, isComposing, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { type Asked, askedAt, withChosen } from "./completion.ts"
import { type AttachTo, useAttaching } from "./use-attaching.ts"
import { type Completion, useCompletions } from "./use-completions.ts"

interface MarkdownFieldProps extends Omit<ComponentProps<"textarea">, "value" | "onChange" | "ref"> {
  readonly value: string
  onChange(value: string): void
  /** What pasted and dropped files are attached to; without it none are taken. */
  readonly attachTo?: AttachTo | "later" | undefined
  /** False where nobody of this workspace reads along. */
  readonly completes?: boolean
  /** False where the preview stands beside it anyway. */
  readonly preview?: boolean
  /** What is done with the words, below them. */
  readonly children?: ReactNode
}

const ICONS = { task: SquareCheckBig, idea: Lightbulb, proposal: GitPullRequestArrow, document: FileText }

/**
 * Where Markdown is written: `@` mentions, `#` links, files are pasted or dropped, and the preview shows what it will
 * look like.
 */
export function MarkdownField({
  value,
  onChange,
  attachTo,
  completes = true,
  preview = true,
  children,
  onKeyDown,
  ...rest
}: MarkdownFieldProps) {
  const text = useText()
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const listId = useId()
  const [looking, setLooking] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const [at, setAt] = useState(0)
  const found = useCompletions(asked)
  const { attach, busy } = useAttaching(attachTo, value, onChange)
  const shown = useDeferredValue(value)
  const open = asked !== undefined && found.length > 0
  const take = (files: FileList | null | undefined, event?: { preventDefault(): void }) => {
    if (attachTo === undefined || files === null || files === undefined || files.length === 0) return
    event?.preventDefault()
    void attach([...files], field.current?.selectionStart ?? value.length)
  }
  const choose = (chosen: Completion | undefined) => {
    if (chosen === undefined || asked === undefined) return
    const put = withChosen(value, asked, chosen.put)
    onChange(put.text)
    setAsked(undefined)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(put.caret, put.caret)
    })
  }
  return (
    <div className="grid grid-cols-1 gap-2">
      {looking && (
        <div className="min-h-16 rounded-md border border-line px-3 py-2">
          <Markdown source={shown} className="text-sm" />
        </div>
      )}
      <div className={classes("relative", looking && "hidden")}>
        <TextArea
          {...rest}
          ref={field}
          value={value}
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={open ? `${listId}-${at}` : undefined}
          onChange={({ target }) => {
            onChange(target.value)
            setAsked(completes ? askedAt(target.value, target.selectionStart) : undefined)
            setAt(0)
          }}
          onPaste={(event) => take(event.clipboardData.files, event)}
          onDragOver={(event) => attachTo !== undefined && event.preventDefault()}
          onDrop={(event) => take(event.dataTransfer.files, event)}
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
            onKeyDown?.(event)
          }}
        />
        <ul
          id={listId}
          role="listbox"
          aria-label={text("writing.completions")}
          hidden={!open}
          className="absolute top-full left-0 z-20 w-72 max-w-full rounded-lg border border-line bg-raised p-1 shadow-(--shadow-raised)"
        >
          {found.map((each, row) => (
            <li
              key={each.uuid}
              id={`${listId}-${row}`}
              role="option"
              aria-selected={row === at}
              onPointerDown={(event) => {
                event.preventDefault()
                choose(each)
              }}
              className={classes(
                "flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm pointer-coarse:h-11",
                row === at && "bg-hover",
              )}
            >
              <Sign of={each} />
              <span className="min-w-0 flex-1 truncate">{each.name}</span>
              {each.actor?.online === true && <span className="text-xs text-done">{text("writing.online")}</span>}
            </li>
          ))}
        </ul>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        {preview && value.trim() !== "" && (
          <Button size="sm" tone="ghost" icon={looking ? Pencil : Eye} onClick={() => setLooking(!looking)}>
            {text(looking ? "documents.write" : "documents.preview")}
          </Button>
        )}
        {attachTo !== undefined && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={text("writing.attach")}
              onChange={({ target }) => {
                const chosen = target.files
                take(chosen)
                target.value = ""
              }}
            />
            <IconButton
              icon={Paperclip}
              size="sm"
              label={text("writing.attach")}
              disabled={busy}
              onClick={() => picker.current?.click()}
            />
          </>
        )}
      </div>
    </div>
  )
}

function Sign({ of: { actor, thing } }: { readonly of: Completion }) {
  if (actor !== undefined) return <Avatar actor={actor} size="sm" />
  const Icon = ICONS[thing?.entityType as keyof typeof ICONS] ?? FileText
  return <Icon aria-hidden className="size-4 shrink-0 text-faint" />
}
