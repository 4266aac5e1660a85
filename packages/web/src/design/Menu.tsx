import { Check, type LucideIcon } from "lucide-react"
import { DropdownMenu as Radix } from "radix-ui"
import type { ReactNode } from "react"
import { classes } from "./classes.ts"

interface MenuProps {
  /** The button that opens the menu; it takes a ref and props. */
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: "start" | "center" | "end"
  readonly side?: "top" | "right" | "bottom" | "left"
}

const SURFACE =
  "z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-(--shadow-raised)"
const ITEM =
  "flex h-8 cursor-default items-center gap-2 rounded-md px-2 text-sm outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover"

export function Menu({ trigger, children, align = "start", side = "bottom" }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} side={side} sideOffset={4} collisionPadding={8} className={SURFACE}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface MenuItemProps {
  readonly icon?: LucideIcon
  readonly children: ReactNode
  readonly danger?: boolean
  readonly disabled?: boolean
  /** Keys that do the same. */
  readonly hint?: string
  onSelect(): void
}

export function MenuItem({ icon: Icon, children, danger = false, disabled = false, hint, onSelect }: MenuItemProps) {
  return (
    <Radix.Item disabled={disabled} onSelect={onSelect} className={classes(ITEM, danger && "text-failed")}>
      {Icon !== undefined && <Icon aria-hidden className={classes("size-4", !danger && "text-muted")} />}
      <span className="flex-1 truncate">{children}</span>
      {hint !== undefined && <span className="text-xs text-faint">{hint}</span>}
    </Radix.Item>
  )
}

interface MenuChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: NoInfer<Value>; readonly label: string; readonly icon?: LucideIcon }[]
  onChange(value: NoInfer<Value>): void
}

/** One of several, ticked. */
export function MenuChoice<Value extends string>({ label, value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)} aria-label={label}>
      <MenuLabel>{label}</MenuLabel>
      {options.map(({ value: option, label: name, icon: Icon }) => (
        <Radix.RadioItem key={option} value={option} className={ITEM}>
          {Icon !== undefined && <Icon aria-hidden className="size-4 text-muted" />}
          <span className="flex-1 truncate">{name}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="size-4" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

interface MenuCheckProps {
  readonly checked: boolean
  readonly children: ReactNode
  onChange(checked: boolean): void
}

/** A switch in a menu; the menu stays open, so that several can be set. */
export function MenuCheck({ checked, children, onChange }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={ITEM}
    >
      <span className="flex-1 truncate">{children}</span>
      <Radix.ItemIndicator>
        <Check aria-hidden className="size-4" />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-2 pb-1 text-xs font-medium text-faint">{children}</Radix.Label>
}

export function MenuLine() {
  return <Radix.Separator className="mx-1 my-1 h-px bg-line" />
}
