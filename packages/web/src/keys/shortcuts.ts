import type { TextKey } from "../i18n/language.ts"

/** Places that `g` and a letter lead to. */
export const GO_PLACES = {
  home: { to: "/", label: "nav.needsYou", inProject: false },
  projects: { to: "/projects", label: "nav.projects", inProject: false },
  agents: { to: "/agents", label: "nav.agents", inProject: false },
  teams: { to: "/teams", label: "teams.title", inProject: false },
  runs: { to: "/runs", label: "runs.title", inProject: false },
  plugins: { to: "/plugins", label: "plugins.title", inProject: false },
  office: { to: "/office", label: "nav.office", inProject: false },
  settings: { to: "/settings", label: "nav.settings", inProject: false },
  board: { to: "/projects/$projectUuid/board", label: "nav.board", inProject: true },
  list: { to: "/projects/$projectUuid/list", label: "items.list", inProject: true },
  graph: { to: "/projects/$projectUuid/graph", label: "nav.graph", inProject: true },
  ideas: { to: "/projects/$projectUuid/ideas", label: "nav.ideas", inProject: true },
  proposals: { to: "/projects/$projectUuid/proposals", label: "nav.proposals", inProject: true },
  documents: { to: "/projects/$projectUuid/documents", label: "nav.documents", inProject: true },
  insights: { to: "/projects/$projectUuid/insights", label: "nav.insights", inProject: true },
  activity: { to: "/projects/$projectUuid/activity", label: "nav.activity", inProject: true },
} as const satisfies Record<string, { to: string; label: TextKey; inProject: boolean }>

/** How long after `g` a letter still means a place. */
export const SEQUENCE_MS = 1200

export type GoPlace = keyof typeof GO_PLACES

export const GO_TO: Readonly<Record<string, GoPlace>> = {
  n: "home",
  h: "projects",
  a: "agents",
  t: "teams",
  r: "runs",
  u: "plugins",
  o: "office",
  s: "settings",
  b: "board",
  l: "list",
  g: "graph",
  i: "ideas",
  p: "proposals",
  d: "documents",
  x: "insights",
  y: "activity",
}
