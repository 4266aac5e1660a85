import type { LucideIcon } from "lucide-react"
import { ToggleGroup } from "radix-ui"

interface SegmentedProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: NoInfer<Value>; readonly label: string; readonly icon?: LucideIcon }[]
  onChange(value: NoInfer<Value>): void
}

/** A few ways to look at the same thing, one of them chosen. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next !== "" && onChange(next as Value)}
      aria-label={label}
      className="inline-flex h-8 items-center gap-0.5 rounded-md bg-sunken p-0.5"
    >
      {options.map(({ value: option, label: name, icon: Icon }) => (
        <ToggleGroup.Item
          key={option}
          value={option}
          className="inline-flex h-7 cursor-pointer items-center gap-1.5 rounded-sm px-2.5 text-sm text-muted transition-colors duration-100 hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-(--shadow-card)"
        >
          {Icon !== undefined && <Icon aria-hidden className="size-4" />}
          {name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
