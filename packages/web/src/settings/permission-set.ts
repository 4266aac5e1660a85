import type { Action, Permission, Preset, Resource } from "@chorus/contracts"

export const RESOURCES = ["idea", "proposal", "document", "task", "project"] as const satisfies readonly Resource[]
export const ACTIONS = ["read", "write", "admin"] as const satisfies readonly Action[]
export const PRESETS = ["developer", "lead", "admin"] as const satisfies readonly Preset[]

/** What the page offers; `pm` gives what `lead` gives and shows as that. */
export type OfferedPreset = (typeof PRESETS)[number]

/** The bits a preset gives. No bit implies another. */
export function bitsOf(preset: OfferedPreset): ReadonlySet<Permission> {
  const all = RESOURCES.flatMap((resource) => ACTIONS.map((action): Permission => `${resource}:${action}`))
  if (preset === "admin") return new Set(all)
  if (preset === "lead") return new Set(all.filter((bit) => !bit.endsWith(":admin")))
  return new Set(all.filter((bit) => bit.endsWith(":read") || bit === "task:write"))
}

/** What has to be given one by one beside the preset to hold exactly these bits; undefined when the preset gives too much. */
export function beside(preset: OfferedPreset, wanted: ReadonlySet<Permission>): Permission[] | undefined {
  const given = bitsOf(preset)
  if ([...given].some((bit) => !wanted.has(bit))) return undefined
  return [...wanted].filter((bit) => !given.has(bit))
}

/** The preset that gives exactly these bits, if one does. */
export function presetOf(bits: ReadonlySet<Permission>): OfferedPreset | undefined {
  return PRESETS.find((preset) => beside(preset, bits)?.length === 0)
}

/** The largest preset that gives nothing too much, and the rest one by one. */
export function split(bits: ReadonlySet<Permission>): { presets: Preset[]; permissions: Permission[] } {
  for (const preset of PRESETS.toReversed()) {
    const rest = beside(preset, bits)
    if (rest !== undefined) return { presets: [preset], permissions: rest }
  }
  return { presets: [], permissions: [...bits] }
}
