import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkChannels, checkMonitors, checkUserConfig } from "./user-config-check.ts"

const text = { type: "string", title: "T", description: "d" }

describe("the options a plugin asks for", () => {
  const found = (config: unknown) => findings((report, file) => checkUserConfig(report, file, ["userConfig"], config))
  const option = (more: Record<string, unknown>) => found({ k: { ...text, ...more } })

  it.each([
    [{}],
    [{ required: true, sensitive: true }],
    [{ default: "x" }],
    [{ type: "number", min: 0, max: 9, default: 3 }],
    [{ type: "boolean", default: false }],
    [{ type: "directory" }],
    [{ type: "file" }],
    [{ multiple: true, default: ["a"] }],
    [{ options: ["x", "y"], default: "x" }],
    [{ options: ["x"], required: true }],
    [{ options: ["x".repeat(64)], required: true }],
  ])("%j is right", (more) => {
    expect(option(more)).toEqual([])
  })

  it.each([
    [{ label: "L" }, ["label"]],
    [{ type: "text" }, ["type"]],
    [{ type: undefined }, ["type"]],
    [{ title: undefined }, ["title"]],
    [{ description: 7 }, ["description"]],
    [{ required: "yes" }, ["required"]],
    [{ multiple: 1, sensitive: 0 }, ["multiple", "sensitive"]],
    [{ min: "1", max: "2" }, ["min", "max"]],
    [{ default: null }, ["default"]],
    [{ default: { a: 1 } }, ["default"]],
    [{ default: [1] }, ["default"]],
    [{ options: "x" }, ["options"]],
    [{ options: [] }, ["options"]],
    [{ options: ["x"], type: "number", required: true }, ["options"]],
    [{ options: ["x"], multiple: true, required: true }, ["options"]],
    [{ options: ["x"], sensitive: true, required: true }, ["options"]],
    [{ options: [""], required: true }, ["options"]],
    [{ options: ["x".repeat(65)], required: true }, ["options"]],
    [{ options: ["x", "X"], required: true }, ["options"]],
    [{ options: ["x"] }, ["default"]],
    [{ options: ["x"], default: "z" }, ["default"]],
  ])("%j is wrong at %j", (more, keys) => {
    expect(option(more)).toEqual(keys.map((key) => `error user_config_option userConfig.k.${key}`))
  })

  it.each(["a", "_x", "API_KEY2"])("may be called %s", (key) => {
    expect(found({ [key]: text })).toEqual([])
  })

  it.each(["2a", "a-b", "a.b", "", "ä"])("may not be called %j: it becomes the name of a variable", (key) => {
    expect(found({ [key]: text })).toEqual([`error user_config_key userConfig.${key}`])
  })

  it("are a map of objects", () => {
    expect([found([]), found("x"), found({ k: "x" })]).toEqual([
      ["error user_config_type userConfig"],
      ["error user_config_type userConfig"],
      ["error user_config_option userConfig.k"],
    ])
  })
})

describe("channels", () => {
  const found = (channels: unknown) => findings((report, file) => checkChannels(report, file, ["channels"], channels))

  it.each([
    [[], []],
    [[{ server: "s" }, { server: "t", displayName: "T", userConfig: { k: text } }], []],
    [{}, ["error channels_type channels"]],
    [["s"], ["error channel_invalid channels[0]"]],
    [[{}], ["error channel_invalid channels[0].server"]],
    [[{ server: "" }], ["error channel_invalid channels[0].server"]],
    [[{ server: "s", displayName: 7 }], ["error channel_invalid channels[0].displayName"]],
    [[{ server: "s", icon: "x" }], ["error channel_invalid channels[0].icon"]],
    [
      [{ server: "s", userConfig: { k: {} } }],
      [
        "error user_config_option channels[0].userConfig.k.type",
        "error user_config_option channels[0].userConfig.k.title",
        "error user_config_option channels[0].userConfig.k.description",
      ],
    ],
  ])("%j: %j", (channels, expected) => {
    expect(found(channels)).toEqual(expected)
  })
})

describe("monitors", () => {
  const monitor = { name: "m", command: "x", description: "d" }
  const found = (monitors: unknown[], level?: "error" | "warning") =>
    findings((report, file) => checkMonitors(report, file, ["monitors"], monitors, level))

  it.each([
    [[], []],
    [[monitor, { ...monitor, name: "n", when: "always" }, { ...monitor, name: "o", when: "on-skill-invoke:s" }], []],
    [["x"], ["monitors[0]"]],
    [[{}], ["monitors[0].name", "monitors[0].command", "monitors[0].description"]],
    [[{ ...monitor, command: "" }], ["monitors[0].command"]],
    [[{ ...monitor, interval: 5 }], ["monitors[0].interval"]],
    [[{ ...monitor, when: "on-skill-invoke:" }], ["monitors[0].when"]],
    [[{ ...monitor, when: "sometimes" }], ["monitors[0].when"]],
    [[monitor, monitor], ["monitors[1].name"]],
  ])("%j are wrong at %j", (monitors, places) => {
    expect(found(monitors)).toEqual(places.map((place) => `error monitor_invalid ${place}`))
  })

  it("in a file of their own are only warned about: the rest of the plugin loads", () => {
    expect(found(["x"], "warning")).toEqual(["warning monitor_invalid monitors[0]"])
  })
})
