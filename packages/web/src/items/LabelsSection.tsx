import type { labels } from "@chorus/contracts"
import { Trash2 } from "lucide-react"
import { useState } from "react"
import { IconButton, Input, Menu, MenuItem, onEnter } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { ConfirmDialog } from "../settings/ConfirmDialog.tsx"
import { Section } from "../settings/Section.tsx"
import { useLabels } from "./use-labels.ts"

const HUES = [0, 1, 2, 3, 4, 5, 6, 7]

/** The labels of a project: their names, their colours, and a way to be rid of one. */
export function LabelsSection({ projectUuid }: { readonly projectUuid: string }) {
  const text = useText()
  const { labels: known } = useLabels(projectUuid)
  return (
    <Section title={text("items.labels")} lead={text(known.length === 0 ? "items.noLabels" : "items.labelsLead")}>
      <ul className="grid max-w-md gap-1">
        {known.map((label) => (
          <LabelRow key={`${label.uuid} ${label.name}`} label={label} />
        ))}
      </ul>
    </Section>
  )
}

function LabelRow({ label }: { readonly label: labels.LabelRow }) {
  const text = useText()
  const update = useAction("chorus_update_label")
  const remove = useAction("chorus_delete_label")
  const [name, setName] = useState(label.name)
  const [asking, setAsking] = useState(false)
  const rename = async () => {
    if (name.trim() === "" || name.trim() === label.name) return
    const renamed = await update.run({ labelUuid: label.uuid, name: name.trim() })
    if (renamed === undefined) setName(label.name)
  }
  return (
    <li className="flex items-center gap-2">
      <Menu
        trigger={
          <button
            type="button"
            data-hue={label.hue}
            aria-label={text("items.labelHue", { name: label.name })}
            className="size-6 shrink-0 cursor-pointer rounded-full border border-(--hue) bg-(--hue-soft)"
          />
        }
      >
        {HUES.map((hue) => (
          <MenuItem key={hue} onSelect={() => void update.run({ labelUuid: label.uuid, hue })}>
            <span data-hue={hue} className="flex items-center gap-2 text-(--hue)">
              <span className="size-4 rounded-full border border-(--hue) bg-(--hue-soft)" />
              {text("items.hue", { number: hue + 1 })}
            </span>
          </MenuItem>
        ))}
      </Menu>
      <Input
        compact
        maxLength={40}
        aria-label={text("items.labelName", { name: label.name })}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => void rename()}
        onKeyDown={onEnter(() => void rename())}
      />
      <IconButton
        icon={Trash2}
        size="sm"
        label={text("items.deleteLabel", { name: label.name })}
        onClick={() => setAsking(true)}
      />
      {asking && (
        <ConfirmDialog
          title={text("items.deleteLabel", { name: label.name })}
          lead={text("items.deleteLabelLead")}
          confirm={text("action.delete")}
          onClose={() => setAsking(false)}
          onConfirm={() => void remove.run({ labelUuid: label.uuid })}
        />
      )}
    </li>
  )
}
