/** @module-tag stress */
import { expect, test } from "vitest"
import { contributionOf, loadPlugins, validatePath } from "@chorus/plugins"
import { writeCatalogue, writeInstalled } from "./catalogue.ts"
import { Workbench } from "./workbench.ts"

test("a thousand plugins and their catalogue validate without a crash, each with its own verdict", async () => {
  await using bench = new Workbench()
  const { root, folders } = writeCatalogue(bench, 1000)
  const verdicts = folders.map((folder) => validatePath(folder).verdict)
  expect(validatePath(root).verdict).toBe("errors")
  expect(verdicts.filter((verdict) => verdict === "errors").length).toBe(20)
  expect(verdicts.filter((verdict) => verdict === "valid").length).toBeGreaterThan(850)
})

test("of a hundred enabled plugins every sound one loads and tells its cost", async () => {
  await using bench = new Workbench()
  const sound = writeInstalled(bench, 100)
  const { plugins } = await loadPlugins(bench.context())
  expect(plugins.length).toBe(100)
  expect(plugins.filter((one) => one.loads).length).toBe(sound)
  expect(plugins.filter((one) => contributionOf(one).tokens.always > 0).length).toBe(sound)
})
