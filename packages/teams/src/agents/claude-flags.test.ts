import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parseAgentFile } from "./agent-type.ts"
import { memberFlags } from "./claude-flags.ts"

test("the flags are those that a recorded lead gives its members", () => {
  const recorded = readFileSync(
    new URL("../../conformance/fixtures/teammate-argv-2.1.325.txt", import.meta.url),
    "utf8",
  ).split(" ")
  const flags = memberFlags({
    name: "alice",
    team: "session-00000000",
    color: "blue",
    parentSessionId: "p",
    agentType: "general-purpose",
    leadSkipsPermissions: true,
    model: "claude-opus-5-5",
  })
  const names = flags.filter((flag) => flag.startsWith("--"))
  expect(names.filter((name) => name !== "--agent-type" && !recorded.includes(name))).toEqual([])
  expect(flags.slice(0, 4)).toEqual(["--agent-id", "alice@session-00000000", "--agent-name", "alice"])
})

test("tools are allowed and forbidden", () => {
  const flags = memberFlags({
    name: "a",
    team: "t",
    color: "blue",
    parentSessionId: "p",
    agentType: "Bash",
    allowedTools: ["Bash(git:*)", "Read"],
    disallowedTools: ["Write"],
  })
  expect(flags.join(" ")).toContain("--allowedTools Bash(git:*),Read --disallowedTools Write")
})

test("an agent file gives a type with its tools, model and words", () => {
  expect(
    parseAgentFile(
      '---\nname: reviewer\ndescription: "Reads: carefully"\ntools: Read, Grep\nmodel: inherit\npermissionMode: plan\n---\nYou review.\n',
    ),
  ).toEqual({
    name: "reviewer",
    description: "Reads: carefully",
    tools: ["Read", "Grep"],
    disallowedTools: undefined,
    model: undefined,
    mode: "plan",
    prompt: "You review.",
  })
  expect(parseAgentFile("no front matter")).toBeUndefined()
  expect(parseAgentFile("---\ndescription: nameless\n---\n")).toBeUndefined()
})
