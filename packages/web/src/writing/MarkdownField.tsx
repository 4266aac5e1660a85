import { Eye, Paperclip, Pencil } from "lucide-react"
import { type ComponentProps, type ReactNode, useDeferredValue, useRef, useState } from "react"
import { Button, classes, IconButton, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { type Asked, askedAt, withChosen } from "./completion.ts"
import { CompletionList } from "./CompletionList.tsx"
import { type AttachTo, useAttaching } from "./use-attaching.ts"
import { useChoosing } from "./use-choosing.ts"
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
  const [looking, setLooking] = useState(false)
  // Nothing is left to look at, as after it was sent: the next words are written.
  if (looking && value.trim() === "") setLooking(false)
  const [asked, setAsked] = useState<Asked>()
  const { attach, busy } = useAttaching(attachTo, value, onChange)
  const shown = useDeferredValue(value)
  const take = (files: FileList | null | undefined, event?: { preventDefault(): void }) => {
    if (attachTo === undefined || files === null || files === undefined || files.length === 0) return
    event?.preventDefault()
    void attach([...files], field.current?.selectionStart ?? value.length)
  }
  const choose = (chosen: Completion) => {
    if (asked === undefined) return
    const put = withChosen(value, asked, chosen.put)
    onChange(put.text)
    setAsked(undefined)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(put.caret, put.caret)
    })
  }
  const choosing = useChoosing(useCompletions(asked), choose, () => setAsked(undefined))
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
          {...choosing.aria}
          onChange={({ target }) => {
            onChange(target.value)
            setAsked(completes ? askedAt(target.value, target.selectionStart) : undefined)
            choosing.restart()
          }}
          onPaste={(event) => take(event.clipboardData.files, event)}
          onDragOver={(event) => attachTo !== undefined && event.preventDefault()}
          onDrop={(event) => take(event.dataTransfer.files, event)}
          onBlur={() => setTimeout(() => setAsked(undefined), 150)}
          onKeyDown={(event) => {
            if (!choosing.onKey(event)) onKeyDown?.(event)
          }}
        />
        <CompletionList label={text("writing.completions")} choosing={choosing} />
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
