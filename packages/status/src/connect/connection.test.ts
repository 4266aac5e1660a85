import { expect, it } from "vitest"
import { codexConnection, type ConnectionStep, openCodeConnection } from "./connection.ts"

const board = { url: "http://127.0.0.1:8637/api/mcp", keyVariable: "CHORUS_API_KEY" }

it("Codex is connected by its own command, the key by its variable's name", () => {
  const [command] = codexConnection(board, { HOME: "/h" })
  expect(command).toEqual({
    kind: "command",
    connect: ["codex", "mcp", "add", "chorus", "--url", board.url, "--bearer-token-env-var", "CHORUS_API_KEY"],
    disconnect: ["codex", "mcp", "remove", "chorus"],
  })
})

it("OpenCode's configuration gains one entry and loses it again", () => {
  const file = fileStep(openCodeConnection(board, { HOME: "/h" })[0])
  expect(file.path).toBe("/h/.config/opencode/opencode.json")
  const theirs = { theme: "dark", mcp: { mine: { type: "local" } } }
  const connected = JSON.parse(file.connect(JSON.stringify(theirs))) as typeof theirs
  expect(connected).toEqual({ ...theirs, mcp: { ...theirs.mcp, chorus: { type: "remote", url: board.url, enabled: true, oauth: false, headers: { Authorization: "Bearer {env:CHORUS_API_KEY}" } } } })
  expect(JSON.parse(file.disconnect(JSON.stringify(connected)) ?? "")).toEqual(theirs)
  expect(JSON.parse(file.disconnect(file.connect(undefined)) ?? "")).toEqual({})
  expect(() => file.connect("{ // a comment\n}")).toThrow(/not plain JSON/)
})

it.each([
  ["codex", codexConnection(board, { CODEX_HOME: "/c" })[1], "/c/AGENTS.md"],
  ["opencode", openCodeConnection(board, { XDG_CONFIG_HOME: "/x" })[1], "/x/opencode/AGENTS.md"],
])("the instructions for %s stand beside the person's, once, and go without a trace", (_agent, step, path) => {
  const file = fileStep(step)
  expect(file.path).toBe(path)
  const theirs = "# Mine\n\nBe kind.\n"
  const twice = file.connect(file.connect(theirs))
  expect(twice.match(/chorus_checkin/g)).toHaveLength(1)
  expect(twice.startsWith(theirs)).toBe(true)
  expect(file.disconnect(twice)).toBe(theirs)
  expect(file.disconnect(file.connect(undefined))).toBeUndefined()
})

function fileStep(step: ConnectionStep | undefined) {
  if (step?.kind !== "file") throw new Error("not a file")
  return step
}
