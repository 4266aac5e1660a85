import type { CuratedSet, MachineInventory } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { knownPlugins } from "./known-plugins.ts"

const hook = { kind: "hook" as const, where: "PostToolUse", does: "./lint.sh" }
const source = { source: "github" as const, repo: "acme/tools" }
const set: CuratedSet = { revision: 1, marketplaces: { tools: { source } }, plugins: [], exclusive: false }

function machine(name: string, more: Partial<MachineInventory>): MachineInventory {
  return {
    machine: name,
    takenAt: "2026-01-01T00:00:00.000Z",
    marketplaces: [{ name: "tools", source }],
    plugins: [],
    ...more,
  }
}

const installed = {
  id: "lint@tools",
  version: "1.0.0",
  scope: "user" as const,
  enabled: true,
  contentHash: "c1",
  surfaceHash: "s1",
  errors: [],
}

describe("known plugins", () => {
  it("are the same build wherever the bytes are the same, and carry what any machine told about it", () => {
    const [lint, ...rest] = knownPlugins(
      [
        machine("studio", { plugins: [installed] }),
        machine("laptop", {
          offers: [
            {
              id: "lint@tools",
              version: "1.0.0",
              contentHash: "c1",
              surfaceHash: "s1",
              surface: [hook],
              description: "Lints",
            },
          ],
        }),
      ],
      set,
    )
    expect(rest).toEqual([])
    expect(lint).toMatchObject({
      source,
      installedOn: ["studio"],
      offeredOn: ["laptop"],
      surface: [hook],
      description: "Lints",
      approved: false,
    })
  })

  it("are two builds where the bytes differ, under one version too; the approved one first", () => {
    const curated = {
      ...set,
      plugins: [
        {
          id: "lint@tools",
          version: "1.0.0",
          contentHash: "c2",
          surfaceHash: "s2",
          enabled: true,
          required: true,
          surface: [],
        },
      ],
    }
    const found = knownPlugins([machine("studio", { plugins: [installed] })], curated)
    expect(found.map(({ contentHash, approved, installedOn }) => [contentHash, approved, installedOn])).toEqual([
      ["c2", true, []],
      ["c1", false, ["studio"]],
    ])
  })

  it("show the newest version first by number", () => {
    const offers = ["1.9.0", "1.10.0"].map((version) => ({ id: "lint@tools", version, contentHash: version }))
    expect(knownPlugins([machine("studio", { offers })], set).map(({ version }) => version)).toEqual([
      "1.10.0",
      "1.9.0",
    ])
  })
})
