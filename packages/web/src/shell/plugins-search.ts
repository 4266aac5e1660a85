/** Which part of the plugins page the address names; the curated set where it names none. */
export interface PluginsSearch {
  readonly part?: "browse" | "machines"
}

export function pluginsSearch({ part }: Record<string, unknown>): PluginsSearch {
  return part === "browse" || part === "machines" ? { part } : {}
}
