import type { views } from "@chorus/contracts"

export type Layout = views.ViewLayout

export const LAYOUT_PATH = {
  board: "/projects/$projectUuid/board",
  list: "/projects/$projectUuid/list",
  graph: "/projects/$projectUuid/graph",
} as const satisfies Record<Layout, string>
