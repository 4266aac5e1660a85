import type { criteria } from "@chorus/contracts"
import { Plus, Trash2 } from "lucide-react"
import { Button, Checkbox, IconButton, Input } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

/** Criteria as a person writes them, one below the other. */
export function CriteriaFields({
  items,
  onChange,
}: {
  readonly items: readonly criteria.CriterionInput[]
  onChange(items: readonly criteria.CriterionInput[]): void
}) {
  const text = useText()
  const change = (at: number, next: Partial<criteria.CriterionInput>) =>
    onChange(items.map((item, index) => (index === at ? { ...item, ...next } : item)))
  const prove = (at: number, words: string) =>
    onChange(
      items.map((item, index) => {
        const { command: _, ...bare } = item
        return index !== at ? item : words.trim() === "" ? bare : { ...bare, command: words }
      }),
    )
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="mb-1.5 text-sm font-medium text-muted">{text("tasks.criteria")}</legend>
      {items.map((item, index) => (
        <div key={index} className="grid grid-cols-1 gap-1">
          <div className="flex items-center gap-2">
            <Input
              aria-label={text("proposals.criterion", { number: index + 1 })}
              value={item.description}
              maxLength={2000}
              onChange={(event) => change(index, { description: event.target.value })}
            />
            <Checkbox
              checked={item.required !== false}
              label={text("tasks.required")}
              onChange={(required) => change(index, { required })}
            />
            <IconButton
              icon={Trash2}
              size="sm"
              label={text("proposals.removeCriterion", { number: index + 1 })}
              disabled={items.length === 1}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            />
          </div>
          <Input
            compact
            className="font-mono"
            aria-label={text("checks.proofOf", { number: index + 1 })}
            placeholder={text("checks.proof")}
            value={item.command ?? ""}
            maxLength={2000}
            onChange={(event) => prove(index, event.target.value)}
          />
        </div>
      ))}
      <span>
        <Button
          size="sm"
          tone="ghost"
          icon={Plus}
          disabled={items.length >= 50}
          onClick={() => onChange([...items, { description: "" }])}
        >
          {text("proposals.addCriterion")}
        </Button>
      </span>
    </fieldset>
  )
}
