import { createContext, use } from "react"
import { hueOf } from "../design/index.ts"

/** The colours of a project's labels, by name. */
export const LabelHues = createContext<ReadonlyMap<string, number>>(new Map())

export function LabelChip({ name }: { readonly name: string }) {
  const hue = use(LabelHues).get(name) ?? hueOf(name)
  return (
    <span
      data-hue={hue}
      data-label={name}
      title={name}
      className="inline-flex h-4.5 max-w-32 shrink-0 items-center rounded-full bg-(--hue-soft) px-2 text-xs font-medium text-(--hue)"
    >
      <span className="truncate">{name}</span>
    </span>
  )
}
