import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { Frame } from "./Frame.tsx"

const root = createRootRoute({ component: Frame })

const home = createRoute({ getParentRoute: () => root, path: "/", component: lazyRouteComponent(() => import("../projects/ProjectsPage.tsx"), "ProjectsPage") })

const routeTree = root.addChildren([home])

export const router = createRouter({ routeTree, defaultPreload: "intent" })

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
