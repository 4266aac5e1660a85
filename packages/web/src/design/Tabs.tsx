import { Tabs as Radix } from "radix-ui"
import type { ReactNode } from "react"

interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly count?: number | undefined
  readonly content: ReactNode
}

interface TabsProps<Value extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  readonly value: Value
  onChange(value: NoInfer<Value>): void
}

export function Tabs<Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as Value)} className="min-w-0">
      <Radix.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="flex h-9 shrink-0 pointer-coarse:h-11 cursor-pointer items-center gap-1.5 border-b-2 border-transparent text-sm font-medium text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-ink data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && (
              <span className="text-xs text-faint tabular-nums">{tab.count}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
