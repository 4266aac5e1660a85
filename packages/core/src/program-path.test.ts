import { expect, it } from "vitest"
import { programPlaces } from "./program-path.ts"

it("looks beside the source, then among the build's programs, from its folder or one below", () => {
  expect(
    programPlaces("file:///c/packages/teams/src/agents/x.ts", "../mcp/main.ts", "team-tools.js").map(
      ({ pathname }) => pathname,
    )[0],
  ).toBe("/c/packages/teams/src/mcp/main.ts")
  expect(
    programPlaces("file:///c/dist/chorus.js", "../mcp/main.ts", "team-tools.js").map(({ pathname }) => pathname),
  ).toContain("/c/dist/programs/team-tools.js")
  expect(
    programPlaces("file:///c/dist/chunks/a.js", "../mcp/main.ts", "team-tools.js").map(({ pathname }) => pathname),
  ).toContain("/c/dist/programs/team-tools.js")
})
