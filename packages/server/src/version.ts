import manifest from "../../../package.json" with { type: "json" }

export const VERSION: string = manifest.version

/** Protocol revisions the MCP door speaks, newest first. */
export const MCP_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const
