import { array, assert, constantFrom, property } from "fast-check"
import { expect, test } from "vitest"
import { columnsOf } from "../output.ts"
import { matching, pickerLines, pressKey, startPicker, type PickerState, type PickerItem } from "./picker.ts"

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

test.each([
  ["a control character", "\u0001"],
  ["a tab", "\t"],
  ["a key without a letter", "f5"],
  ["nothing", ""],
])("%s is no letter to filter by", (_, key) => {
  expect(press([key, "return"])).toEqual({ kind: "picked", item: items[0] })
})

test("letters of every kind filter and are taken back whole", () => {
  const state = startPicker("Pick", [{ label: "plain" }, { label: "🎨 paint" }])
  expect(press(["🎨", "return"], state)).toMatchObject({ item: { label: "🎨 paint" } })
  expect(press(["🎨", "backspace", "return"], state)).toMatchObject({ item: { label: "plain" } })
})

test("several words all have to be there, in any order and letter case", () => {
  expect(press([..."THIRD gam", "return"])).toEqual({ kind: "picked", item: items[2] })
  expect(press([..."third beta", "return"])).toMatchObject({ kind: "show" })
})

test("Ctrl-C leaves at once, whatever was typed", () => {
  expect(press(["x", "interrupt"])).toEqual({ kind: "left" })
})

test("an empty list has nothing to pick and does not move", () => {
  const empty = startPicker("Pick", [] as PickerItem[])
  expect(press(["down", "up", "return"], empty)).toMatchObject({ kind: "show", state: { at: 0 } })
  expect(pickerLines(empty, 10, 60)).toEqual([
    "Pick",
    "  nothing matches",
    "0 of 0  ↑↓ move · type to filter · Enter · Esc back",
  ])
})

test.each([10, 20, 40])(
  "no line is wider than %i columns, the title and the foot neither, and none hides anything",
  (columns) => {
    const hostile = { label: "项目\u001b[2J".repeat(10), hint: "\u202e".repeat(20) }
    for (const line of pickerLines(startPicker("a long title ".repeat(10), [hostile]), 12, columns)) {
      expect(columnsOf(line)).toBeLessThanOrEqual(columns)
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    }
  },
)

test("whatever is pressed, the mark is on an item that is there", () => {
  const keys = constantFrom("up", "down", "backspace", "a", "b", "t", " ", "x")
  assert(
    property(array(keys, { maxLength: 30 }), (pressed) => {
      const step = press(pressed)
      if (step.kind !== "show") return
      const marked = pickerLines(step.state, 10, 60).filter((line) => line.startsWith("❯"))
      expect(marked).toHaveLength(Math.min(1, matching(step.state).length))
    }),
  )
})
