import { describe, expect, it } from "vitest"
import { bashScript, type Completions, fishScript, zshScript } from "./script.ts"

const words: Completions = new Map([
  ["", ["agent", "--help"]],
  ["agent", ["add", "list"]],
  ["agent add", ["--name"]],
  ["agent add --preset", ["reader", "writer"]],
])

describe("a completion script", () => {
  it.each([
    [
      "bash",
      bashScript(words),
      [
        '"agent"|"agent add") path=',
        '"") choices="agent --help" ;;',
        '"agent add") choices="--name" ;;',
        '"agent add --preset") path="$word" ;;',
        '"agent add --preset") choices="reader writer" ;;',
        "complete -F _chorus chorus",
      ],
    ],
    [
      "zsh",
      zshScript(words),
      [
        "'agent'|'agent add') at=",
        "'') choices=(agent --help) ;;",
        "'agent add') choices=(--name) ;;",
        "'agent add --preset') at=\"$word\" ;;",
        "compdef _chorus chorus",
      ],
    ],
    [
      "fish",
      fishScript(words),
      [
        "contains -- $next 'agent' 'agent add'; and set at $next",
        "case ''\n      printf '%s\\n' agent --help",
        "case 'agent add'\n      printf '%s\\n' --name",
        "contains -- $valued 'agent add --preset'; and set at $valued",
      ],
    ],
  ])("for %s holds what may follow each line, and ends with a line of its own", (_, script, parts) => {
    for (const part of parts) expect(script).toContain(part)
    expect(script.endsWith("\n")).toBe(true)
  })
})
