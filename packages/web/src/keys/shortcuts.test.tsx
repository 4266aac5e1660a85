import { describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { isComposing, isTyping } from "../design/index.ts"
import { GO_PLACES, GO_TO } from "./shortcuts.ts"

describe("keys that go somewhere", () => {
  it("lead to every place, each by its own letter", () => {
    expect(Object.values(GO_TO).toSorted()).toEqual(Object.keys(GO_PLACES).toSorted())
    expect(Object.keys(GO_TO).every((key) => /^[a-z]$/.test(key))).toBe(true)
  })

  it("ask for a project exactly where the place lies in one", () => {
    for (const { to, inProject } of Object.values(GO_PLACES)) expect(to.includes("$projectUuid")).toBe(inProject)
  })
})

describe("where somebody is typing", () => {
  it("no shortcut takes a key: fields, lists of choices and everything inside a text that can be edited", async () => {
    const screen = await render(
      <>
        <input data-testid="typing" />
        <textarea data-testid="typing" />
        <select data-testid="typing" />
        <div contentEditable suppressContentEditableWarning>
          <b data-testid="typing">bold</b>
        </div>
        <div role="textbox" tabIndex={0} data-testid="typing" />
        <button type="button" data-testid="free">
          button
        </button>
        <p data-testid="free">text</p>
      </>,
    )
    expect(screen.getByTestId("typing").elements().map(isTyping)).toEqual([true, true, true, true, true])
    expect(screen.getByTestId("free").elements().map(isTyping)).toEqual([false, false])
    expect([isTyping(null), isTyping(window), isTyping(document)]).toEqual([false, false, false])
  })

  it("a composition is told from any of its signs", () => {
    expect([{ isComposing: true }, { nativeEvent: { isComposing: true } }, { keyCode: 229 }].map(isComposing)).toEqual([
      true,
      true,
      true,
    ])
    expect(
      [{}, { isComposing: false }, { nativeEvent: { isComposing: false } }, { keyCode: 13 }].map(isComposing),
    ).toEqual([false, false, false, false])
  })
})
