import { expect, test } from "vitest"
import { pickerLines, pressKey, startPicker, type PickerState, type PickerItem } from "./picker.ts"

const items = [{ label: "alpha", hint: "first" }, { label: "beta" }, { label: "gamma", hint: "third" }]

function press(keys: readonly string[], state: PickerState<PickerItem> = startPicker("Pick", items)) {
  let step = pressKey(state, "none")
  for (const key of keys) {
    if (step.kind !== "show") return step
    step = pressKey(step.state, key)
  }
  return step
}

test("arrows move within the list and Enter picks", () => {
  expect(press(["down", "return"])).toEqual({ kind: "picked", item: items[1] })
  expect(press(["up", "up", "return"])).toEqual({ kind: "picked", item: items[0] })
  expect(press(["down", "down", "down", "down", "return"])).toEqual({ kind: "picked", item: items[2] })
})

test("letters filter by label and hint; Escape clears the filter before it leaves", () => {
  expect(press(["t", "h", "i", "r", "return"])).toEqual({ kind: "picked", item: items[2] })
  expect(press(["x", "return"])).toMatchObject({ kind: "show" })
  expect(press(["x", "escape", "return"])).toEqual({ kind: "picked", item: items[0] })
  expect(press(["escape"])).toEqual({ kind: "left" })
  expect(press(["b", "backspace", "return"])).toEqual({ kind: "picked", item: items[0] })
})

test("long lists scroll with the chosen line in sight, and long lines are cut", () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ label: `item-${index} ${"x".repeat(80)}` }))
  const lines = pickerLines({ title: "T", items: many, filter: "", at: 57 }, 12, 40)
  expect(lines.length).toBeLessThanOrEqual(12)
  expect(lines.find((line) => line.startsWith("❯"))).toContain("item-57")
  expect(Math.max(...lines.slice(1, -1).map((line) => line.length))).toBeLessThanOrEqual(40)
})
