import { contributionOf, loadPlugins, validatePath } from "@chorus/plugins"
import { writeCatalogue, writeInstalled } from "../packages/plugins/test/catalogue.ts"
import { Workbench } from "../packages/plugins/test/workbench.ts"
import { type Figure, percentile } from "./figure.ts"

/** How long a person waits for a verdict on a large catalogue, and for a list of what is installed. */
export async function bench(): Promise<Figure[]> {
  await using place = new Workbench()
  const { root, folders } = writeCatalogue(place, 1000)
  const validated = await seconds(async () => {
    validatePath(root)
    for (const folder of folders) validatePath(folder)
  })
  writeInstalled(place, 100)
  const loads: number[] = []
  for (let round = 0; round < 5; round++) {
    const took = await seconds(async () => {
      for (const plugin of (await loadPlugins(place.context())).plugins) contributionOf(plugin)
    })
    loads.push(took * 1000)
  }
  return [
    { name: "validate 1,000 plugins and their catalogue", value: validated, unit: "s", budget: { atMost: 10 } },
    { name: "list and load 100 enabled plugins, first time", value: loads[0] ?? Number.NaN, unit: "ms" },
    {
      name: "list and load 100 enabled plugins (median of 5)",
      value: percentile(loads, 0.5),
      unit: "ms",
      budget: { atMost: 300 },
    },
  ]
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
