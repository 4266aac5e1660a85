import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { boardSearch } from "./board-search.ts"
import { Frame } from "./Frame.tsx"
import { LostPage } from "./LostPage.tsx"
import { CrashPage } from "./CrashPage.tsx"
import { PageSkeleton } from "./PageSkeleton.tsx"
import { placeAfter } from "../sign-in/place-after.ts"
import { pluginsSearch } from "./plugins-search.ts"

const root = createRootRoute({ component: Frame, notFoundComponent: LostPage })
const under = () => root

const home = createRoute({
  getParentRoute: under,
  path: "/",
  /** What a call from outside is about; it is brought up when the page is. */
  validateSearch: ({ item }: Record<string, unknown>): { readonly item?: string } =>
    typeof item === "string" ? { item } : {},
  component: lazyRouteComponent(() => import("../attention/NeedsYouPage.tsx"), "NeedsYouPage"),
})
/** The link itself is redeemed before any page is shown; who comes here signed in only passes through. */
const signIn = createRoute({
  getParentRoute: under,
  path: "/sign-in",
  beforeLoad: ({ location }) => {
    throw redirect({ to: placeAfter(location.searchStr), replace: true })
  },
})
const welcome = createRoute({
  getParentRoute: under,
  path: "/welcome",
  component: lazyRouteComponent(() => import("../welcome/WelcomePage.tsx"), "WelcomePage"),
})
const projects = createRoute({
  getParentRoute: under,
  path: "/projects",
  component: lazyRouteComponent(() => import("../projects/ProjectsPage.tsx"), "ProjectsPage"),
})
const agents = createRoute({
  getParentRoute: under,
  path: "/agents",
  component: lazyRouteComponent(() => import("../agents/AgentsPage.tsx"), "AgentsPage"),
})
const teams = createRoute({
  getParentRoute: under,
  path: "/teams",
  component: lazyRouteComponent(() => import("../teams/TeamsPage.tsx"), "TeamsPage"),
})
const team = createRoute({
  getParentRoute: under,
  path: "/teams/$teamUuid",
  component: lazyRouteComponent(() => import("../teams/TeamPage.tsx"), "TeamPage"),
})
const runs = createRoute({
  getParentRoute: under,
  path: "/runs",
  component: lazyRouteComponent(() => import("../runs/RunsPage.tsx"), "RunsPage"),
})
const run = createRoute({
  getParentRoute: under,
  path: "/runs/$runUuid",
  component: lazyRouteComponent(() => import("../runs/RunPage.tsx"), "RunPage"),
})
const plugins = createRoute({
  getParentRoute: under,
  path: "/plugins",
  validateSearch: pluginsSearch,
  component: lazyRouteComponent(() => import("../plugins/PluginsPage.tsx"), "PluginsPage"),
})
const office = createRoute({
  getParentRoute: under,
  path: "/office",
  component: lazyRouteComponent(() => import("../office/OfficePage.tsx"), "OfficePage"),
})
const notifications = createRoute({
  getParentRoute: under,
  path: "/notifications",
  component: lazyRouteComponent(() => import("../notifications/NotificationsPage.tsx"), "NotificationsPage"),
})
const settings = createRoute({
  getParentRoute: under,
  path: "/settings",
  beforeLoad: ({ location }) => {
    if (location.pathname.replace(/\/$/, "") === "/settings")
      throw redirect({ to: "/settings/$section", params: { section: "profile" } })
  },
})
const settingsSection = createRoute({
  getParentRoute: () => settings,
  path: "$section",
  component: lazyRouteComponent(() => import("../settings/SettingsPage.tsx"), "SettingsPage"),
})

const shortId = createRoute({
  getParentRoute: under,
  path: "/t/$shortId",
  component: lazyRouteComponent(() => import("../projects/ShortIdPage.tsx"), "ShortIdPage"),
})

const project = createRoute({
  getParentRoute: under,
  path: "/projects/$projectUuid",
  beforeLoad: ({ location, params }) => {
    if (location.pathname.replace(/\/$/, "") === `/projects/${params.projectUuid}`)
      throw redirect({ to: "/projects/$projectUuid/board", params })
  },
})
const underProject = () => project

const board = createRoute({
  getParentRoute: underProject,
  path: "board",
  validateSearch: boardSearch,
  component: lazyRouteComponent(() => import("../board/BoardPage.tsx"), "BoardPage"),
})
const list = createRoute({
  getParentRoute: underProject,
  path: "list",
  validateSearch: boardSearch,
  component: lazyRouteComponent(() => import("../items/ListPage.tsx"), "ListPage"),
})
const graph = createRoute({
  getParentRoute: underProject,
  path: "graph",
  validateSearch: boardSearch,
  component: lazyRouteComponent(() => import("../graph/GraphPage.tsx"), "GraphPage"),
})
const ideas = createRoute({
  getParentRoute: underProject,
  path: "ideas",
  component: lazyRouteComponent(() => import("../ideas/IdeasPage.tsx"), "IdeasPage"),
})
const idea = createRoute({
  getParentRoute: underProject,
  path: "ideas/$ideaUuid",
  component: lazyRouteComponent(() => import("../ideas/IdeaPage.tsx"), "IdeaPage"),
})
const proposals = createRoute({
  getParentRoute: underProject,
  path: "proposals",
  component: lazyRouteComponent(() => import("../proposals/ProposalsPage.tsx"), "ProposalsPage"),
})
const proposal = createRoute({
  getParentRoute: underProject,
  path: "proposals/$proposalUuid",
  component: lazyRouteComponent(() => import("../proposals/ProposalPage.tsx"), "ProposalPage"),
})
const task = createRoute({
  getParentRoute: underProject,
  path: "tasks/$taskUuid",
  component: lazyRouteComponent(() => import("../tasks/TaskPage.tsx"), "TaskPage"),
})
const documents = createRoute({
  getParentRoute: underProject,
  path: "documents",
  component: lazyRouteComponent(() => import("../documents/DocumentsPage.tsx"), "DocumentsPage"),
})
const document = createRoute({
  getParentRoute: underProject,
  path: "documents/$documentUuid",
  component: lazyRouteComponent(() => import("../documents/DocumentPage.tsx"), "DocumentPage"),
})
const insights = createRoute({
  getParentRoute: underProject,
  path: "insights",
  component: lazyRouteComponent(() => import("../insights/InsightsPage.tsx"), "InsightsPage"),
})
const activity = createRoute({
  getParentRoute: underProject,
  path: "activity",
  component: lazyRouteComponent(() => import("../activity/ActivityPage.tsx"), "ActivityPage"),
})
const projectSettings = createRoute({
  getParentRoute: underProject,
  path: "settings",
  component: lazyRouteComponent(() => import("../projects/ProjectSettingsPage.tsx"), "ProjectSettingsPage"),
})

const routeTree = root.addChildren([
  home,
  signIn,
  welcome,
  projects,
  agents,
  teams,
  team,
  runs,
  run,
  plugins,
  office,
  notifications,
  settings.addChildren([settingsSection]),
  shortId,
  project.addChildren([
    board,
    list,
    graph,
    ideas,
    idea,
    proposals,
    proposal,
    task,
    documents,
    document,
    insights,
    activity,
    projectSettings,
  ]),
])

export const routerOptions = {
  routeTree,
  // What no page understands of an address must not come through to it.
  search: { strict: true },
  defaultPreload: "intent",
  defaultErrorComponent: CrashPage,
  defaultNotFoundComponent: LostPage,
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
} as const

export const router = createRouter(routerOptions)

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
