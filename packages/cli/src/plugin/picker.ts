import { fit, visible } from "../output.ts"

/** A list a person moves through with the keyboard. Pure: keys in, state and lines out. */
export interface PickerItem {
  readonly label: string
  readonly hint?: string | undefined
}

export interface PickerState<T extends PickerItem> {
  readonly title: string
  readonly items: readonly T[]
  readonly filter: string
  readonly at: number
}

export type PickerStep<T extends PickerItem> =
  | { readonly kind: "show"; readonly state: PickerState<T> }
  | { readonly kind: "picked"; readonly item: T }
  | { readonly kind: "left" }

export function startPicker<T extends PickerItem>(title: string, items: readonly T[]): PickerState<T> {
  return { title, items, filter: "", at: 0 }
}

export function matching<T extends PickerItem>(state: PickerState<T>): T[] {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean)
  return state.items.filter((item) =>
    words.every((word) => `${item.label} ${item.hint ?? ""}`.toLowerCase().includes(word)),
  )
}

/** One key press: arrows move, letters filter, Enter picks, Escape clears the filter and then leaves. */
export function pressKey<T extends PickerItem>(state: PickerState<T>, key: string): PickerStep<T> {
  const found = matching(state)
  if (key === "up") return show({ ...state, at: Math.max(0, state.at - 1) })
  if (key === "down") return show({ ...state, at: Math.min(Math.max(0, found.length - 1), state.at + 1) })
  if (key === "return") {
    const item = found[state.at]
    return item === undefined ? show(state) : { kind: "picked", item }
  }
  if (key === "interrupt") return { kind: "left" }
  if (key === "escape") return state.filter === "" ? { kind: "left" } : show({ ...state, filter: "", at: 0 })
  if (key === "backspace") return show({ ...state, filter: [...state.filter].slice(0, -1).join(""), at: 0 })
  return /^[^\p{Cc}]$/u.test(key) ? show({ ...state, filter: state.filter + key, at: 0 }) : show(state)
}

/** The lines to draw, at most `height` of at most `width` columns, with the chosen one marked. */
export function pickerLines<T extends PickerItem>(state: PickerState<T>, height: number, width: number): string[] {
  const found = matching(state)
  const room = Math.max(1, height - 3)
  const first = Math.min(Math.max(0, state.at - Math.floor(room / 2)), Math.max(0, found.length - room))
  const rows = found
    .slice(first, first + room)
    .map(
      (item, index) =>
        `${first + index === state.at ? "❯ " : "  "}${item.label}${item.hint === undefined ? "" : `  ${item.hint}`}`,
    )
  const foot = `${found.length} of ${state.items.length}${state.filter === "" ? "" : `  filter: ${state.filter}`}  ↑↓ move · type to filter · Enter · Esc back`
  return [state.title, ...(found.length === 0 ? ["  nothing matches"] : rows), foot].map((line) =>
    fit(visible(line), width),
  )
}

function show<T extends PickerItem>(state: PickerState<T>): PickerStep<T> {
  return { kind: "show", state }
}
