import { X } from "lucide-react"
import { Button } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { GraphItem } from "./item.ts"
import type { LayoutEdge } from "./layout.ts"
import type { Place } from "./measures.ts"

interface LineButtonProps {
  readonly edge: LayoutEdge
  /** Where the line was pressed. */
  readonly at: Place
  readonly items: readonly GraphItem[]
  onRemove(): void
  onLeave(): void
}

/** What can be done with a line that was pressed, by hand or by the keys. */
export function LineButton({ edge, at, items, onRemove, onLeave }: LineButtonProps) {
  const text = useText()
  const called = (uuid: string) => items.find((item) => item.uuid === uuid)?.title ?? ""
  return (
    <Button
      autoFocus
      size="sm"
      tone="danger"
      icon={X}
      className="absolute z-10 h-auto! max-w-72 -translate-x-1/2 translate-y-2 py-1 text-left wrap-anywhere whitespace-normal! shadow-(--shadow-raised)"
      style={{ left: at.x, top: at.y }}
      onClick={onRemove}
      onKeyDown={({ key }) => {
        if (key === "Delete" || key === "Backspace") onRemove()
        if (key === "Escape") onLeave()
      }}
    >
      {text("graph.removeLine", { task: called(edge.taskUuid), before: called(edge.dependsOnUuid) })}
    </Button>
  )
}
