import type { InstalledPlugin } from "@chorus/contracts"
import type { Inventory, Plugin } from "../read/index.ts"

export type PluginOrigin = "marketplace" | "session" | "skills-dir" | "builtin"

/** Something to tell about a plugin, with the type Claude Code gives the same thing. */
export interface LoadMessage {
  readonly type:
    | "generic-error"
    | "hook-load-failed"
    | "dependency-unsatisfied"
    | "folder-shadowed-by-manifest"
    | "engine-range-exempt"
    | "ineffective-disable"
    | "name-taken"
    | "policy"
    | "plugin-not-found"
    | "packages-missing"
    | "other-version-runs"
    | "not-installed"
  readonly message: string
  /** What to do about it, where there is a choice. */
  readonly next?: string
}

/** A plugin as this machine would run it, or why it would not. */
export interface LoadedPlugin {
  readonly id: string
  readonly origin: PluginOrigin
  readonly record: InstalledPlugin | undefined
  /** The folder it runs from: the cache, or for a local marketplace its own folder. */
  readonly folder: string
  readonly inPlace: boolean
  readonly version: string
  /** What settings say. A plugin can be enabled and still not load. */
  readonly enabled: boolean
  readonly loads: boolean
  readonly plugin: Plugin | undefined
  readonly inventory: Inventory | undefined
  readonly errors: readonly LoadMessage[]
  readonly notes: readonly LoadMessage[]
}
