import type { Furnished } from "./furnish.ts"
import type { MachineRoom } from "./machine-room.ts"

export interface ShownPage {
  readonly name: string
  readonly path: string
  /** Something only the finished page has; a selector. */
  readonly settled: string
  /** Keys that bring it into the state to be looked at. */
  readonly keys?: string
  /** Made of parts that stand on other pages too: looked at under stress only. */
  readonly seldom?: true
}

type Place = Omit<ShownPage, "path"> & { readonly path: string | ((all: Furnished & MachineRoom) => string) }

const project = ({ projectUuid }: Furnished) => `/projects/${projectUuid}`

/** Every page, with what tells that it has come. */
const PLACES: readonly Place[] = [
  { name: "needs-you", path: "/", settled: "main li" },
  { name: "board", path: (all) => `${project(all)}/board`, settled: "[data-session]" },
  { name: "board-lanes", path: (all) => `${project(all)}/board?lanes=agent`, settled: "[data-session]", seldom: true },
  {
    name: "board-task",
    path: (all) => `${project(all)}/board?task=${all.taskUuids[0]}`,
    settled: "[role=dialog] h2",
    seldom: true,
  },
  { name: "list", path: (all) => `${project(all)}/list`, settled: "[data-row]" },
  { name: "graph", path: (all) => `${project(all)}/graph`, settled: ".react-flow__node" },
  { name: "ideas", path: (all) => `${project(all)}/ideas`, settled: "main a[href*='/ideas/']" },
  { name: "idea", path: (all) => `${project(all)}/ideas/${all.ideaUuid}`, settled: "main article" },
  { name: "proposals", path: (all) => `${project(all)}/proposals`, settled: "main a[href*='/proposals/']" },
  { name: "proposal", path: (all) => `${project(all)}/proposals/${all.proposalUuid}`, settled: "main h2" },
  { name: "task", path: (all) => `${project(all)}/tasks/${all.taskUuids[2]}`, settled: "main h2" },
  { name: "documents", path: (all) => `${project(all)}/documents`, settled: "main a[href*='/documents/']" },
  { name: "document", path: (all) => `${project(all)}/documents/${all.documentUuid}`, settled: "main figure img" },
  { name: "insights", path: (all) => `${project(all)}/insights`, settled: "main svg" },
  { name: "activity", path: (all) => `${project(all)}/activity`, settled: "main ol li" },
  { name: "project-settings", path: (all) => `${project(all)}/settings`, settled: "main [role=switch]" },
  { name: "projects", path: "/projects", settled: "main li" },
  { name: "agents", path: "/agents", settled: "main h2, main li" },
  { name: "office", path: "/office", settled: "main canvas, main li" },
  // The button fades in once the server has said what is in the folder.
  { name: "runs", path: "/runs", settled: "main button:enabled:not([role])", seldom: true },
  { name: "teams", path: "/teams", settled: "main a[href*='/teams/']" },
  { name: "team", path: (all) => `/teams/${all.teamUuid}`, settled: "main textarea" },
  { name: "run", path: (all) => `/runs/${all.runUuid}`, settled: "main textarea" },
  { name: "plugins", path: "/plugins", settled: "[role=tabpanel] li" },
  { name: "plugins-browse", path: "/plugins?part=browse", settled: "[role=tabpanel] li" },
  { name: "notifications", path: "/notifications", settled: "main li, main h2" },
  { name: "welcome", path: "/welcome", settled: "main form" },
  { name: "settings-profile", path: "/settings/profile", settled: "main form", seldom: true },
  { name: "settings-notifications", path: "/settings/notifications", settled: "main [role=switch]", seldom: true },
  { name: "settings-sign-ins", path: "/settings/sign-ins", settled: "main li", seldom: true },
  { name: "settings-undelivered", path: "/settings/undelivered", settled: "main h2", seldom: true },
  { name: "settings-agents", path: "/settings/agents", settled: "main code" },
  { name: "settings-members", path: "/settings/members", settled: "main li li, main ul li p" },
  { name: "settings-webhooks", path: "/settings/webhooks", settled: "main h2", seldom: true },
  { name: "settings-workspace", path: "/settings/workspace", settled: "main form", seldom: true },
  { name: "palette", path: (all) => `${project(all)}/board`, settled: "[role=option]", keys: "Control+k" },
  { name: "shortcuts", path: (all) => `${project(all)}/board`, settled: "[role=dialog] dl", keys: "?", seldom: true },
]

const STRESS = process.env["CHORUS_STRESS"] === "1"

export const ALL_PAGE_NAMES = PLACES.map(({ name }) => name)
export const PAGE_NAMES = PLACES.filter(({ seldom = false }) => STRESS || !seldom).map(({ name }) => name)

export function pageCalled(name: string, all: Furnished & MachineRoom): ShownPage {
  const place = PLACES.find((each) => each.name === name)
  if (place === undefined) throw new Error(`there is no page called ${name}`)
  return { ...place, path: typeof place.path === "string" ? place.path : place.path(all) }
}
