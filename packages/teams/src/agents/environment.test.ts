import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { memberEnvironment, shellSnapshot } from "./environment.ts"

test("a shell reads back exactly what was noted, whatever the values hold", () => {
  const values = { A: "it's", B: '"; touch /tmp/never; echo "$(id)`id`', C: "two\nlines", D: "ünï \\ $HOME" }
  const script = `${shellSnapshot({ ...values, "BAD-NAME": "x", "X;touch y": "z" })}\nprintf '%s\\0' "$A" "$B" "$C" "$D"`
  const read = execFileSync("sh", ["-c", script], { encoding: "utf8", env: {} }).split("\0").slice(0, 4)
  expect(read).toEqual(Object.values(values))
})

test("what belongs to the lead's own session is not passed on", () => {
  expect(
    memberEnvironment({
      PATH: "/bin",
      TMUX: "x",
      TMUX_PANE: "%1",
      CLAUDE_CODE_SESSION_ID: "s",
      CLAUDE_CODE_MESSAGING_TOKEN: "t",
      EMPTY: undefined,
    }),
  ).toEqual({
    PATH: "/bin",
    CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  })
})
