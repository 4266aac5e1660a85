import { homedir } from "node:os"
import { assert, boolean, double, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { optionsOf, optionValue, type PluginOption } from "./option.ts"

const scratch = useFolder()

function option(more: Partial<PluginOption> = {}): PluginOption {
  return {
    key: "k",
    field: "k",
    server: undefined,
    type: "string",
    title: "The key",
    description: "",
    required: false,
    sensitive: false,
    multiple: false,
    choices: undefined,
    default: undefined,
    min: undefined,
    max: undefined,
    ...more,
  }
}

const refusal = (one: PluginOption, input: unknown) => {
  try {
    return `took ${JSON.stringify(optionValue(one, input, scratch.path))}`
  } catch (error) {
    return (error as Error).message
  }
}

describe("the options of a plugin", () => {
  it("have everything the manifest says about them, and what it leaves out is nothing", () => {
    const full = {
      type: "number",
      title: "N",
      description: "d",
      required: true,
      sensitive: true,
      multiple: true,
      options: ["a"],
      default: 3,
      min: 1,
      max: 5,
    }
    expect(optionsOf({ userConfig: { full, bare: {} } })).toEqual([
      {
        key: "full",
        field: "full",
        server: undefined,
        type: "number",
        title: "N",
        description: "d",
        required: true,
        sensitive: true,
        multiple: true,
        choices: ["a"],
        default: 3,
        min: 1,
        max: 5,
      },
      option({ key: "bare", field: "bare", title: "bare" }),
    ])
  })

  it("are the plugin's own first, then its channels'; of one key the first counts", () => {
    const manifest = {
      userConfig: { a: { title: "own" } },
      channels: [{ server: "s", userConfig: { a: { title: "channel" }, b: {} } }, "x", { userConfig: { c: {} } }],
    }
    expect(optionsOf(manifest).map(({ key, title }) => [key, title])).toEqual([
      ["a", "own"],
      ["b", "b"],
      ["c", "c"],
    ])
  })

  it.each([{}, { userConfig: [] }, { userConfig: { a: 7 } }, { channels: {} }])("are none in %j", (manifest) => {
    expect(optionsOf(manifest)).toEqual([])
  })

  it("of a type nobody knows, and with a default that is none, are plain text without one", () => {
    expect(optionsOf({ userConfig: { a: { type: "colour", default: { r: 1 } } } })[0]).toMatchObject({
      type: "string",
      default: undefined,
    })
  })
})

describe("text", () => {
  it("is taken as it is, whatever it is", () => {
    assert(property(string(), (text) => optionValue(option(), text) === text))
    expect([optionValue(option(), 7), optionValue(option(), false)]).toEqual(["7", "false"])
  })

  it.each([null, undefined, {}, ["a"]])("is not %j", (input) => {
    expect(refusal(option(), input)).toBe("The key: it takes text.")
  })

  it("that is required is not empty, and a choice is one of those on offer", () => {
    expect(refusal(option({ required: true }), "")).toBe("The key: it is required.")
    expect(optionValue(option(), "")).toBe("")
    expect(refusal(option({ choices: ["low", "high"] }), "loud")).toBe("The key: it must be one of: low, high.")
    expect(optionValue(option({ choices: ["low", "high"] }), "low")).toBe("low")
  })
})

describe("a number", () => {
  const number = (more: Partial<PluginOption> = {}) => option({ type: "number", ...more })

  it("is read from text and back, whatever it is", () => {
    assert(
      property(
        double({ noNaN: true, noDefaultInfinity: true }),
        (value) => Object.is(optionValue(number(), String(value)), value) || value === 0,
      ),
    )
  })

  it.each([
    ["3", 3],
    [" 4.5 ", 4.5],
    ["-1e3", -1000],
    [0, 0],
  ])("%j is %d", (input, value) => {
    expect(optionValue(number(), input)).toBe(value)
  })

  it.each(["", " ", "abc", "1,5", "Infinity", Number.NaN, true, null])("is not %j", (input) => {
    expect(refusal(number(), input)).toBe("The key: it takes a number.")
  })

  it.each([
    [{ min: 1, max: 5 }, 6, "The key: it takes a number between 1 and 5."],
    [{ min: 1 }, 0, "The key: it takes a number from 1."],
    [{ max: 5 }, 5.1, "The key: it takes a number up to 5."],
    [{ min: 1, max: 5 }, "x", "The key: it takes a number between 1 and 5."],
  ])("within %j is not %j", (limits, input, message) => {
    expect(refusal(number(limits), input)).toBe(message)
  })

  it("may be its very limits", () => {
    expect([optionValue(number({ min: 1, max: 5 }), 1), optionValue(number({ min: 1, max: 5 }), 5)]).toEqual([1, 5])
  })
})

describe("yes or no", () => {
  const flag = option({ type: "boolean" })

  it.each(["true", "TRUE", "1", "yes", "On", true, 1])("%j is yes", (input) => {
    expect(optionValue(flag, input)).toBe(true)
  })

  it.each(["false", "0", "No", "off", false, 0])("%j is no", (input) => {
    expect(optionValue(flag, input)).toBe(false)
  })

  it.each(["", "maybe", "2", null, undefined])("%j is neither", (input) => {
    expect(refusal(flag, input)).toBe("The key: it must be true or false (or 1/0, yes/no, on/off).")
  })

  it("is read back from what it is written as", () => {
    assert(property(boolean(), (value) => optionValue(flag, String(value)) === value))
  })
})

describe("a file or folder", () => {
  const directory = option({ type: "directory" })
  const file = option({ type: "file" })

  it("is found from where the person stands, and kept as a full path", () => {
    scratch.write({ "d/f.txt": "" })
    expect(optionValue(directory, "d", scratch.path)).toBe(scratch.at("d"))
    expect(optionValue(file, "./d/../d/f.txt", scratch.path)).toBe(scratch.at("d/f.txt"))
    expect(optionValue(file, scratch.at("d/f.txt"), "/")).toBe(scratch.at("d/f.txt"))
  })

  it("may be said from the home", () => {
    expect(optionValue(directory, "~", "/")).toBe(homedir())
  })

  it("that is not there or is the other kind is refused by its full path", () => {
    scratch.write({ "d/f.txt": "" })
    expect(refusal(directory, "gone")).toBe(`The key: there is no directory at ${scratch.at("gone")}.`)
    expect(refusal(directory, "d/f.txt")).toBe(`The key: there is no directory at ${scratch.at("d/f.txt")}.`)
    expect(refusal(file, "d")).toBe(`The key: there is no file at ${scratch.at("d")}.`)
  })

  it("is not the project only because nothing was said", () => {
    expect(refusal(directory, "")).toBe("The key: it takes a directory.")
    expect(refusal(file, "")).toBe("The key: it takes a file.")
  })
})

describe("several values", () => {
  const several = (more: Partial<PluginOption> = {}) => option({ multiple: true, ...more })

  it("are a list, or one text with commas", () => {
    expect([
      optionValue(several(), ["a", "b,c"]),
      optionValue(several(), "a, b ,,c"),
      optionValue(several(), ""),
      optionValue(several(), []),
    ]).toEqual([["a", "b,c"], ["a", "b", "c"], [], []])
  })

  it("are each held to what one is held to", () => {
    expect(refusal(several({ choices: ["x", "y"] }), "x,z")).toBe("The key: it must be one of: x, y.")
    expect(optionValue(several({ type: "number", max: 3 }), "1,2")).toEqual(["1", "2"])
    expect(refusal(several({ type: "number", max: 3 }), "1,4")).toBe("The key: it takes a number up to 3.")
  })

  it("that are required are at least one, and no number or list of numbers", () => {
    expect(refusal(several({ required: true }), " , ")).toBe("The key: it needs at least one value.")
    for (const input of [7, [1], null]) expect(refusal(several(), input)).toBe("The key: it takes several texts.")
  })
})

describe("a refusal", () => {
  it("says which option, and next what the option is for", () => {
    const fault = (one: PluginOption) => {
      try {
        optionValue(one, null)
      } catch (error) {
        return error
      }
      return undefined
    }
    expect(fault(option({ description: "From your account page." }))).toMatchObject({
      code: "option_refused",
      next: "From your account page.",
      details: { option: "k" },
    })
    expect(fault(option())).toMatchObject({ next: "Give another value." })
  })
})
