import { useId } from "react"
import { classes, onModEnter, TextArea } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

interface OwnWordsProps {
  readonly value: string
  readonly rows: number
  readonly label: string
  readonly placeholder: string
  /** An option is chosen instead of them: they are kept, and not sent. */
  readonly aside: boolean
  onChange(words: string): void
  onSend(): void
}

/** An answer in words of one's own, beside the options on offer. */
export function OwnWords({ value, rows, label, placeholder, aside, onChange, onSend }: OwnWordsProps) {
  const text = useText()
  const id = useId()
  return (
    <div className="grid gap-1">
      <TextArea
        rows={rows}
        value={value}
        className={classes(aside && "text-faint")}
        aria-label={label}
        aria-describedby={aside ? id : undefined}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onModEnter(onSend)}
      />
      {aside && (
        <p id={id} role="status" className="text-xs text-muted">
          {text("needsYou.wordsAside")}
        </p>
      )}
    </div>
  )
}
