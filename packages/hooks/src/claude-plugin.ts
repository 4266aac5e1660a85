/** The repository is its own marketplace, under this name. */
export const MARKETPLACE = "chorus-plugins"

export type ClaudePlugin = "chorus" | "chorus-legacy"

/** The first version that runs hooks without a process. */
const MODERN = [2, 1, 118] as const

/**
 * Which of the two plugins a version of Claude Code can load: older ones refuse a manifest or a hook type they do not know, and one whose
 * options nobody but a person can set would be left without its key.
 */
export function pluginFor(version: string, setsOptions: boolean): ClaudePlugin {
  if (!setsOptions) return "chorus-legacy"
  const parts = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? []
  for (const [at, wanted] of MODERN.entries()) {
    const part = parts[at] ?? 0
    if (part !== wanted) return part > wanted ? "chorus" : "chorus-legacy"
  }
  return "chorus"
}
