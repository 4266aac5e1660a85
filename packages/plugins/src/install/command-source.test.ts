import { describe, expect, it } from "vitest"
import { words } from "./command-source.ts"
import { dependenciesIn, formatId, parseId } from "./installed.ts"
import { conflict } from "./fetch-plugin.ts"
import { pathHash } from "./version.ts"

describe("the words of a command", () => {
  it.each([
    ["make plugin", ["make", "plugin"]],
    ["  make   plugin ", ["make", "plugin"]],
    ['tool "a b" c', ["tool", "a b", "c"]],
    ["tool 'a b'", ["tool", "a b"]],
    ['tool --out="my dir"/x', ["tool", "--out=my dir/x"]],
    ["tool 'it'\"s\"", ["tool", "its"]],
    ['tool ""', ["tool", ""]],
    ["tool '$HOME; rm -rf *'", ["tool", "$HOME; rm -rf *"]],
    [`tool "it's"`, ["tool", "it's"]],
    ["", []],
  ])("%s are %j", (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  it.each([
    "a | b",
    "a; b",
    "a && b",
    "a > f",
    "a < f",
    "echo $HOME",
    'echo "$HOME"',
    "echo `id`",
    "ls *",
    "a?",
    "~/x",
    "a \\ b",
    "a # b",
    "!x",
    "(a)",
    "a\nb",
    'tool "open',
    "tool 'open",
  ])("of %j need a shell, and get none", (command) => {
    expect(() => words(command)).toThrow(
      expect.objectContaining({
        code: "command_needs_shell",
        next: expect.stringContaining("plain command") as string,
      }) as Error,
    )
  })
})

describe("a dependency", () => {
  const read = (item: unknown) =>
    dependenciesIn({ dependencies: [item] }, "home").map(({ name, marketplace, range }) => [name, marketplace, range])

  it.each([
    ["a", [["a", "home", undefined]]],
    ["a@m", [["a", "m", undefined]]],
    ["a@", [["a", "home", undefined]]],
    ["a@m@", [["a", "m", undefined]]],
    ["a@^1.0", [["a", "home", "^1.0"]]],
    ["a@>=1 <2", [["a", "home", ">=1 <2"]]],
    ["a@m@~2.1", [["a", "m", "~2.1"]]],
    ["@m", []],
    ["", []],
    [7, []],
    [null, []],
    [{}, []],
    [{ name: "a", version: "" }, [["a", "home", undefined]]],
    [{ name: "a", marketplace: 7, version: 8 }, [["a", "home", undefined]]],
    [{ name: "a", marketplace: "m", version: "^1" }, [["a", "m", "^1"]]],
  ])("%j is %j", (item, expected) => {
    expect(read(item)).toEqual(expected)
  })

  it("stands in a list, and nothing else is one", () => {
    for (const dependencies of [undefined, "a", { a: "1" }]) expect(dependenciesIn({ dependencies }, "m")).toEqual([])
  })

  it("whose ranges no version satisfies names every range once, or the one there is", () => {
    expect(conflict("a@m", ["^3.0", "~2.1", "^3.0"]).message).toBe(
      '"a@m" has conflicting version requirements (no version satisfies all of: ^3.0, ~2.1).',
    )
    expect(conflict("a@m", ["^9"]).message).toBe('No released version of "a@m" satisfies ^9.')
  })
})

describe("an id", () => {
  it("is read back as it is written, and its last @ divides it", () => {
    expect(formatId(parseId("a.b-c@m_1"))).toBe("a.b-c@m_1")
    expect(() => parseId("a@b@c")).toThrow(expect.objectContaining({ code: "invalid_id" }) as Error)
  })
})

describe("two plugins of one commit", () => {
  it("are told apart by where they lie, however that is written", () => {
    expect([pathHash("./tools/x/"), pathHash("tools/x"), pathHash("tools/x//")]).toEqual(
      Array.from({ length: 3 }, () => "af1330de"),
    )
    expect(pathHash("tools/y")).not.toBe("af1330de")
  })
})
