import { type ReactNode, useState } from "react"
import { Input, Menu, MenuCheck, MenuItem } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { LabelChip, LabelHues } from "./LabelChip.tsx"
import { useLabels } from "./use-labels.ts"

interface LabelPickerProps {
  readonly projectUuid: string
  readonly trigger: ReactNode
  /** Those that are on. */
  readonly chosen: readonly string[]
  onToggle(name: string, on: boolean): void
}

/** Puts labels on and takes them off; what is typed and not there yet is made. */
export function LabelPicker({ trigger, ...rest }: LabelPickerProps) {
  return (
    <Menu trigger={trigger}>
      <Choices {...rest} />
    </Menu>
  )
}

function Choices({ projectUuid, chosen, onToggle }: Omit<LabelPickerProps, "trigger">) {
  const text = useText()
  const { labels, hues } = useLabels(projectUuid)
  const [typed, setTyped] = useState("")
  const wanted = typed.trim()
  const fits = (name: string) => name.toLowerCase().includes(wanted.toLowerCase())
  const exact = labels.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const make = () => {
    if (wanted === "") return
    onToggle(exact?.name ?? wanted, true)
    setTyped("")
  }
  return (
    <LabelHues value={hues}>
      <div className="p-1">
        <Input
          compact
          autoFocus
          maxLength={40}
          value={typed}
          aria-label={text("items.findLabel")}
          placeholder={text("items.findLabel")}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") make()
            // Letters are words here, and not ways to jump about in the menu.
            if (!["Escape", "Tab", "ArrowDown", "ArrowUp"].includes(event.key)) event.stopPropagation()
          }}
        />
      </div>
      {labels
        .filter(({ name }) => fits(name))
        .map(({ uuid, name }) => (
          <MenuCheck key={uuid} checked={chosen.includes(name)} onChange={(on) => onToggle(name, on)}>
            <LabelChip name={name} />
          </MenuCheck>
        ))}
      {wanted !== "" && exact === undefined && (
        <MenuItem onSelect={make}>{text("items.makeLabel", { name: wanted })}</MenuItem>
      )}
    </LabelHues>
  )
}
