import { statSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { configure, forgetConfiguration, readConfiguration, secretStore } from "./configure.ts"
import { optionsOf } from "./option.ts"

const bench = useWorkbench()
const home = () => bench().context().home
const secrets = () => secretStore(home(), bench().env)
const ID = "p@m"

const text = { type: "string", title: "T", description: "d" }
const manifest = {
  userConfig: {
    url: text,
    n: { ...text, type: "number", max: 9 },
    key: { ...text, sensitive: true },
    many: { ...text, multiple: true },
    keys: { ...text, sensitive: true, multiple: true },
  },
}

const set = (values: Record<string, unknown>, of: Record<string, unknown> = manifest) =>
  configure(home(), secrets(), ID, optionsOf(of), values)
const now = (of: Record<string, unknown> = manifest) =>
  Object.fromEntries(readConfiguration(home(), secrets(), ID, optionsOf(of)).values)
const credentials = () => bench().json(bench().claude(".credentials.json"))

describe("configuring a plugin", () => {
  it("keeps plain values in settings with their type and secrets apart, and says what was saved", async () => {
    expect(await set({ key: "S3", url: "https://x.example", n: "4", many: "a,b", keys: ["x", "y"] })).toEqual([
      "url",
      "n",
      "many",
      "key",
      "keys",
    ])
    expect(bench().settings).toEqual({
      pluginConfigs: { [ID]: { options: { url: "https://x.example", n: 4, many: ["a", "b"] } } },
    })
    expect(credentials()).toEqual({ pluginSecrets: { [ID]: { key: "S3", keys: '["x","y"]' } } })
    expect(statSync(bench().claude(".credentials.json")).mode & 0o777).toBe(0o600)
    expect(now()).toEqual({ url: "https://x.example", n: 4, key: "S3", many: ["a", "b"], keys: '["x","y"]' })
  })

  it("changes what is given and leaves the rest, in settings and beside them", async () => {
    bench().write("../home/.claude", {
      "settings.json": {
        model: "opus",
        pluginConfigs: { [ID]: { options: { url: "old", n: 1 }, mcpServers: { s: {} } }, "other@m": {} },
      },
      ".credentials.json": { claudeAiOauth: { token: "kept" } },
    })
    await set({ url: "new", key: "S3" })
    expect(bench().settings).toEqual({
      model: "opus",
      pluginConfigs: { [ID]: { options: { url: "new", n: 1 }, mcpServers: { s: {} } }, "other@m": {} },
    })
    expect(credentials()).toEqual({ claudeAiOauth: { token: "kept" }, pluginSecrets: { [ID]: { key: "S3" } } })
  })

  it("with one value that does not fit saves none", async () => {
    await expect(set({ url: "x", key: "S3", n: 10 })).rejects.toMatchObject({ code: "option_refused" })
    expect([now(), bench().written()]).toEqual([{}, []])
  })

  it("with an option it does not have is refused, and told which it has", async () => {
    await expect(set({ uri: "x" })).rejects.toMatchObject({
      code: "option_unknown",
      message: 'p@m has no option "uri".',
      next: "Its options: url, n, key, many, keys.",
    })
    await expect(set({ x: 1 }, {})).rejects.toMatchObject({ code: "option_unknown", next: "It has no options at all." })
    await expect(set({ toString: "x" })).rejects.toMatchObject({ code: "option_unknown" })
  })

  it("with nothing writes nothing", async () => {
    expect(await set({})).toEqual([])
    expect(bench().written()).toEqual([])
  })

  it("takes a value out of settings once its option has become a secret", async () => {
    await set({ url: "https://user:pass@x.example", n: 1 })
    const later = { userConfig: { ...manifest.userConfig, url: { ...text, sensitive: true } } }
    expect(now(later)["url"]).toBeUndefined()
    await set({ url: "https://user:new@x.example" }, later)
    expect(JSON.stringify(bench().settings)).not.toContain("pass")
    expect(now(later)).toMatchObject({ url: "https://user:new@x.example", n: 1 })
  })
})

describe("the configuration of a plugin", () => {
  it("tells every option and which are not set", async () => {
    await set({ url: "x" })
    const { options, unset } = readConfiguration(home(), secrets(), ID, optionsOf(manifest))
    expect([options.map(({ key }) => key), unset.map(({ key }) => key)]).toEqual([
      ["url", "n", "key", "many", "keys"],
      ["n", "key", "many", "keys"],
    ])
  })

  it("is what the administrator says where they say something", async () => {
    await set({ url: "mine", n: 1 })
    bench().write("..", { "managed-settings.json": { pluginConfigs: { [ID]: { options: { url: "theirs" } } } } })
    expect(now()).toEqual({ url: "theirs", n: 1 })
    bench().write("../managed-settings.d", { "a.json": { pluginConfigs: { [ID]: { options: { n: 2 } } } } })
    expect(now()).toEqual({ url: "theirs", n: 2 })
  })

  it("passes over what is no value, and over options the plugin no longer has", () => {
    bench().write("../home/.claude", {
      "settings.json": { pluginConfigs: { [ID]: { options: { url: { a: 1 }, n: null, many: [1], gone: "x" } } } },
    })
    expect(now()).toEqual({})
  })

  it.each([{ pluginConfigs: [] }, { pluginConfigs: { [ID]: "x" } }, { pluginConfigs: { [ID]: { options: [] } } }])(
    "is empty in %j",
    (settings) => {
      bench().write("../home/.claude", { "settings.json": settings })
      expect(now()).toEqual({})
    },
  )

  it("that is forgotten is gone from both places, and nothing else is", async () => {
    bench().write("../home/.claude", { "settings.json": { pluginConfigs: { "other@m": { options: { a: 1 } } } } })
    await set({ url: "x", key: "S3" })
    await secrets().change("other@m", { k: "v" })
    await forgetConfiguration(home(), secrets(), ID)
    expect([bench().settings, credentials()]).toEqual([
      { pluginConfigs: { "other@m": { options: { a: 1 } } } },
      { pluginSecrets: { "other@m": { k: "v" } } },
    ])
    await forgetConfiguration(home(), secrets(), ID)
  })
})

describe("secrets", () => {
  it("are kept by plugin, changed one by one, and leave nothing behind when they go", async () => {
    await secrets().change(ID, { a: "1", b: "2" })
    await secrets().change(ID, { a: undefined, c: "3" })
    expect(secrets().read(ID)).toEqual({ b: "2", c: "3" })
    await secrets().change(ID, { b: undefined, c: undefined })
    expect([secrets().read(ID), credentials()]).toEqual([{}, {}])
  })

  it("that are no map of texts are none", () => {
    bench().write("../home/.claude", { ".credentials.json": { pluginSecrets: { [ID]: { a: 1 } } } })
    expect([secrets().read(ID), secrets().read("constructor")]).toEqual([{}, {}])
  })

  it("of many plugins set at once all arrive", async () => {
    const ids = Array.from({ length: 6 }, (_, index) => `p${index}@m`)
    await Promise.all(ids.map((id) => secrets().change(id, { k: id })))
    expect(ids.map((id) => secrets().read(id)["k"])).toEqual(ids)
  })

  it("what is given out is a copy", () => {
    bench().write("../home/.claude", { ".credentials.json": { pluginSecrets: { [ID]: { a: "1" } } } })
    secrets().read(ID)["a"] = "2"
    expect(secrets().read(ID)).toEqual({ a: "1" })
  })
})
