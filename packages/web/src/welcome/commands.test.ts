import { describe, expect, it } from "vitest"
import { connectCommands, mcpAddress, PROGRAMS } from "./commands.ts"

const commands = (program: (typeof PROGRAMS)[number]) =>
  connectCommands(program, "https://chorus.example:8637", "cho_a-B_9")

describe("the two lines that connect a program", () => {
  it.each(PROGRAMS)("carry the server and the key for %s", (program) => {
    const served = "npx -y --allow-remote=root https://chorus.example:8637/chorus.tgz"
    expect(commands(program)[0]).toBe(`${served} connect ${program} --url https://chorus.example:8637 --key cho_a-B_9`)
  })

  it("start Claude Code without the key, which it keeps itself", () => {
    expect(commands("claude")[1]).toBe("claude")
  })

  it.each(["codex", "opencode"] as const)("start %s with the key in its environment", (program) => {
    expect(commands(program)[1]).toBe(`CHORUS_API_KEY=cho_a-B_9 ${program}`)
  })

  it.each(PROGRAMS)("hold nothing for %s that a shell would take for more than words", (program) => {
    for (const line of commands(program)) expect(line).toMatch(/^[\w ./:=-]+$/)
  })
})

it("an MCP client finds the server under its own address", () => {
  expect(mcpAddress("https://chorus.example")).toBe("https://chorus.example/api/mcp?tools=lean")
})
