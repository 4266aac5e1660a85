import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { Command } from "commander"
import { describe, expect, it } from "vitest"
import { withStreams } from "../test/command-line.ts"
import { type Target, withData, withJson, withTarget } from "./output.ts"

/** What a command is given, or the first line of its refusal. */
async function given(
  make: (command: Command) => Command,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<Target | string> {
  let options: Target | string = "nothing"
  const { stderr } = await withStreams({ env }, async () => {
    const command = make(new Command("x"))
      .exitOverride()
      .action((target: Target) => void (options = target))
    await command.parseAsync(argv, { from: "user" }).catch(() => undefined)
  })
  return stderr === "" ? options : (stderr.split("\n")[0] ?? "")
}

describe("which Chorus a command works on", () => {
  it.each([
    ["the data in the home folder", [], {}, { data: join(homedir(), ".chorus") }],
    ["the data that is named", ["--data", "/d"], {}, { data: "/d" }],
    ["the data that is named from where one is", ["--data", "d"], {}, { data: resolve("d") }],
    ["the data that the environment names", [], { CHORUS_DATA: "/env" }, { data: "/env" }],
    [
      "a database, for the commands of that data",
      ["--database", "postgres://h/d"],
      {},
      { data: join(homedir(), ".chorus"), database: "postgres://h/d" },
    ],
    [
      "a server elsewhere, with a key",
      ["--url", "https://chorus.example/", "--key", "cho_k"],
      {},
      { data: join(homedir(), ".chorus"), url: "https://chorus.example/", key: "cho_k" },
    ],
    [
      "a server that the environment names, by the key that is typed",
      ["--key", "typed"],
      { CHORUS_URL: "http://h:1", CHORUS_KEY: "env" },
      { data: join(homedir(), ".chorus"), url: "http://h:1", key: "typed" },
    ],
  ])("is %s", async (_, argv, env, target) => {
    expect(await given(withTarget, argv, env)).toEqual(target)
  })

  it.each([
    ["a directory without a name", ["--data", ""], {}, "Name a directory."],
    ["a directory of blanks", ["--data", "  "], {}, "Name a directory."],
    ["no address", ["--url", ""], {}, "Give an address like http://127.0.0.1:8637."],
    ["an address without its scheme", ["--url", "127.0.0.1:8637"], {}, "Give an address like http://127.0.0.1:8637."],
    [
      "an address of another kind",
      [],
      { CHORUS_URL: "file:///etc/passwd" },
      "Give an address like http://127.0.0.1:8637.",
    ],
  ])("is not %s", async (_, argv, env, says) => {
    expect(await given(withTarget, argv, env)).toContain(says)
  })

  it("is never a server elsewhere for what works on the data itself", async () => {
    expect(await given(withData, ["--url", "http://h"])).toContain("unknown option '--url'")
    expect(await given(withData, [], { CHORUS_URL: "http://h" })).not.toHaveProperty("url")
  })

  it("does not matter to a command that only prints", async () => {
    expect(await given(withJson, ["--json"], { CHORUS_DATA: "/env" })).toEqual({ json: true })
  })
})
