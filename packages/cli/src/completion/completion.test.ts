import { expect, test } from "vitest"
import { NOUNS } from "../nouns.ts"
import { program } from "../program.ts"
import { allCompletions } from "./command.ts"
import { bashScript, fishScript, zshScript } from "./script.ts"

const words = await allCompletions()

test("every noun loads and is completed with its options", () => {
  expect(words.get("")).toEqual(expect.arrayContaining(Object.keys(NOUNS)))
  for (const name of Object.keys(NOUNS)) expect(words.get(name), name).toContain("--help")
})

test("every command that prints answers programs too", () => {
  const answering = [
    "start",
    "signin",
    "project add",
    "project list",
    "agent add",
    "agent list",
    "agent key",
    "key list",
    "key revoke",
    "user add",
    "user list",
    "backup",
    "restore",
    "export",
    "import",
    "doctor",
    "call",
  ]
  for (const path of answering) expect(words.get(path), path).toContain("--json")
})

test("the scripts hold no word that a shell would take for something else", () => {
  for (const choices of words.values()) for (const word of choices) expect(word).toMatch(/^[\w-]+$/)
  expect(bashScript(words)).toContain("complete -F _chorus chorus")
  expect(zshScript(words)).toContain("#compdef chorus")
  expect(fishScript(words)).toContain("complete -c chorus -a '(__chorus_words)'")
})

test("only the noun that is called is loaded; the others are there by name", async () => {
  const chorus = await program(["project", "list"])
  expect(chorus.commands.map((command) => command.name())).toEqual(Object.keys(NOUNS))
  expect(chorus.commands.filter((command) => command.commands.length > 0).map((command) => command.name())).toEqual([
    "project",
  ])
})
