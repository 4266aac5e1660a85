import type { StatusRow } from "@chorus/contracts"
import { stateLook } from "./state-look.ts"

export const LINE_FORMATS = ["prompt", "tmux", "starship"] as const
export type LineFormat = (typeof LINE_FORMATS)[number]

const TMUX_COLOUR = {
  green: "green",
  yellow: "yellow",
  red: "red",
  blue: "blue",
  gray: "colour245",
  magenta: "magenta",
} as const

/** All terminals in one short line, such as "?1 ●2 ✓1"; nothing when nothing is going on. */
export function promptLine(rows: readonly StatusRow[], format: LineFormat = "prompt"): string {
  const counts = new Map<string, { look: ReturnType<typeof stateLook>; count: number }>()
  for (const row of rows) {
    if (row.state === "idle") continue
    const look = stateLook(row)
    counts.set(look.name, { look, count: (counts.get(look.name)?.count ?? 0) + 1 })
  }
  return [...counts.values()]
    .sort((a, b) => a.look.order - b.look.order)
    .map(({ look, count }) =>
      format === "tmux" ? `#[fg=${TMUX_COLOUR[look.colour]}]${look.icon}${count}#[default]` : `${look.icon}${count}`,
    )
    .join(" ")
}
