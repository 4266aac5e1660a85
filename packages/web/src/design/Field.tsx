import { Check, ChevronDown } from "lucide-react"
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from "radix-ui"
import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from "react"
import { useText } from "../i18n/language.ts"
import { classes } from "./classes.ts"

const CONTROL =
  "w-full rounded-md border border-line-strong bg-surface px-3 text-ink placeholder:text-faint focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-failed"

const SIZE = { normal: "h-9 text-base", compact: "h-8 text-sm" }

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** What a `pattern` wants, in words. */
  readonly format?: string
  /** Gets the id the label points to, and what describes it. */
  children(ids: {
    readonly id: string
    readonly "aria-describedby"?: string
    readonly "aria-invalid"?: true
  }): ReactNode
}

type Fault = "missing" | "email" | "format" | "short"

/** What a browser finds wrong is said at the field, in the page's language rather than in the browser's. */
export function Field({ label, hint, error: told, format, children }: FieldProps) {
  const text = useText()
  const id = useId()
  const [found, setFound] = useState<{ readonly fault: Fault; readonly count: number }>()
  const words = found?.fault === "format" ? format : found && text(`field.${found.fault}`, { count: found.count })
  const error = told ?? words
  const note = error ?? hint
  const refuse = (event: FormEvent) => {
    const control = event.target as HTMLInputElement
    const fault = faultOf(control, format !== undefined)
    if (fault === undefined) return
    event.preventDefault()
    setFound({ fault, count: control.minLength })
    if (control.form?.querySelector(":is(input, select, textarea):invalid") === control) control.focus()
  }
  return (
    <div className="grid gap-1.5" onInvalidCapture={refuse} onInput={() => setFound(undefined)}>
      <label htmlFor={id} className="text-sm font-medium text-muted">
        {label}
      </label>
      {children({
        id,
        ...(note === undefined ? {} : { "aria-describedby": `${id}-note` }),
        ...(error === undefined ? {} : { "aria-invalid": true as const }),
      })}
      {note !== undefined && (
        <div id={`${id}-note`} className={classes("text-xs", error === undefined ? "text-faint" : "text-failed")}>
          {note}
        </div>
      )}
    </div>
  )
}

/** Undefined for what the browser says better itself, as with numbers out of their range. */
function faultOf({ type, validity }: HTMLInputElement, formatted: boolean): Fault | undefined {
  if (validity.valueMissing) return "missing"
  if (type === "email" && (validity.typeMismatch || validity.patternMismatch)) return "email"
  if (validity.patternMismatch && formatted) return "format"
  return validity.tooShort ? "short" : undefined
}

/** As the server wants it: the browser alone would let a@b pass. */
const EMAIL = "[^@\\s]+@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}"

/** `compact` is for toolbars, where it stands beside buttons. */
interface Size {
  readonly compact?: boolean
}

export function Input({ className, compact = false, ...rest }: ComponentProps<"input"> & Size) {
  return (
    <input
      className={classes(CONTROL, SIZE[compact ? "compact" : "normal"], className)}
      {...(rest.type === "email" ? { pattern: EMAIL } : {})}
      {...rest}
    />
  )
}

export function TextArea({ className, rows = 4, ...rest }: ComponentProps<"textarea">) {
  return <textarea rows={rows} className={classes(CONTROL, "py-2 text-base leading-relaxed", className)} {...rest} />
}

/** The browser's own list of choices: it is right on every device. */
export function Select({ className, children, compact = false, ...rest }: ComponentProps<"select"> & Size) {
  return (
    <span className={classes("relative inline-flex", className ?? "w-full")}>
      <select
        className={classes(CONTROL, SIZE[compact ? "compact" : "normal"], "cursor-pointer appearance-none pr-8")}
        {...rest}
      >
        {children}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4 text-faint" />
    </span>
  )
}

interface ToggleProps {
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly label: ReactNode
  readonly hint?: string | undefined
  readonly disabled?: boolean
}

export function Switch({ checked, onChange, label, hint, disabled = false }: ToggleProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-4">
      <label htmlFor={id} className="min-w-0 flex-1">
        <span className="block text-base">{label}</span>
        {hint !== undefined && <span className="block text-sm text-muted">{hint}</span>}
      </label>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="relative mt-0.5 h-5 w-9 shrink-0 cursor-pointer rounded-full bg-line-strong transition-colors duration-150 disabled:opacity-50 data-[state=checked]:bg-accent"
      >
        <RadixSwitch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-white shadow-(--shadow-card) transition-transform duration-150 data-[state=checked]:translate-x-[18px]" />
      </RadixSwitch.Root>
    </div>
  )
}

export function Checkbox({ checked, onChange, label, hint, disabled = false }: ToggleProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        onCheckedChange={(state) => onChange(state === true)}
        disabled={disabled}
        className="mt-0.5 grid size-4 shrink-0 cursor-pointer place-items-center rounded-sm border border-line-strong bg-surface disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixCheckbox.Indicator>
          <Check aria-hidden className="size-3 text-accent-ink" strokeWidth={3} />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <label htmlFor={id} className="min-w-0 flex-1 text-sm">
        {label}
        {hint !== undefined && <span className="block text-xs text-faint">{hint}</span>}
      </label>
    </div>
  )
}
