import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readResumeCommand, resumeCommandFor } from "./read-line.ts"

const AGENTS = ["claude", "codex", "opencode"] as const

describe("resume commands", () => {
  it("are made from an id on the white list", () => {
    expect(resumeCommandFor("claude", "01a1-b")).toBe("claude --resume 01a1-b")
    expect(resumeCommandFor("codex", "01a1-b")).toBe("codex resume 01a1-b")
    expect(resumeCommandFor("opencode", "ses_1")).toBe("opencode --session ses_1")
  })

  it.each([
    "",
    "a b",
    "a;ls",
    "$(ls)",
    "`ls`",
    "-p",
    "--dangerously-skip-permissions",
    "a\nb",
    "../x",
    "a".repeat(129),
    7,
    null,
  ])("are not made from %j", (id) => {
    for (const agent of AGENTS) expect(resumeCommandFor(agent, id)).toBeUndefined()
  })

  it.each([
    "claude --resume a; ls",
    "claude --resume  a",
    "codex resume a",
    "claude --resume a ",
    "claude --continue",
    "sh -c ls",
    "claude --resume -p",
  ])("of somebody else are refused: %j", (command) => {
    expect(readResumeCommand("claude", command)).toBeUndefined()
  })

  it("never hold anything a shell would act on", () => {
    const hostile = fc
      .array(fc.constantFrom(";", " ", "\n", "$", "`", "'", '"', "|", "&", "-", "\0", "é", "\ud800", "a", "0", "_"), {
        maxLength: 8,
      })
      .map((letters) => letters.join(""))
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENTS),
        fc.oneof(
          fc.string(),
          hostile,
          hostile.map((text) => `claude --resume ${text}`),
        ),
        (agent, text) => {
          for (const words of [resumeCommandFor(agent, text)?.split(" "), readResumeCommand(agent, text)]) {
            if (words !== undefined)
              expect(words.join(" ")).toMatch(
                /^(claude --resume|codex resume|opencode --session) [A-Za-z0-9_][A-Za-z0-9_-]*$/,
              )
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
})
