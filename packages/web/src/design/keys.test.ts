import { describe, expect, it } from "vitest"
import { type KeyPress, onEnter, onModEnter } from "./keys.ts"

function press(changes: Partial<KeyPress> = {}): KeyPress {
  return { key: "Enter", shiftKey: false, metaKey: false, ctrlKey: false, preventDefault: () => undefined, ...changes }
}

function sentBy(handler: typeof onEnter, event: KeyPress): boolean {
  let sent = false
  handler(() => (sent = true))(event)
  return sent
}

describe("Enter", () => {
  it("sends", () => {
    expect(sentBy(onEnter, press())).toBe(true)
  })

  it.each([
    ["the browser says it composes", press({ isComposing: true })],
    ["React's event carries it", press({ nativeEvent: { isComposing: true } })],
    ["Safari ends a composition with 229", press({ keyCode: 229 })],
  ])("never sends while composing: %s", (_, event) => {
    expect(sentBy(onEnter, event)).toBe(false)
    expect(sentBy(onModEnter, { ...event, metaKey: true })).toBe(false)
  })

  it("makes a new line with shift, and in longer texts without ⌘ or Ctrl", () => {
    expect(sentBy(onEnter, press({ shiftKey: true }))).toBe(false)
    expect(sentBy(onModEnter, press())).toBe(false)
    expect(sentBy(onModEnter, press({ ctrlKey: true }))).toBe(true)
  })
})
