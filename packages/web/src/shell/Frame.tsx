import { Outlet, useParams, useRouterState } from "@tanstack/react-router"
import { Menu as MenuIcon, Search } from "lucide-react"
import { lazy, Suspense, useContext, useEffect, useRef, useState } from "react"
import { IconButton, Toasts } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { NotificationBell } from "../notifications/NotificationBell.tsx"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { ConnectionContext } from "./connection.ts"
import { Drawer } from "./Drawer.tsx"
import { mayChange } from "./rights.ts"
import { ShellContext } from "./shell-context.ts"
import { Sidebar } from "./Sidebar.tsx"
import { usePageInView } from "./use-page-in-view.ts"
import { KeysMeanwhile } from "./KeysMeanwhile.tsx"
import { useShortcuts } from "./use-shortcuts.ts"

const Palette = lazy(async () => ({ default: (await import("../palette/Palette.tsx")).Palette }))
const NewTask = lazy(async () => ({ default: (await import("../board/NewTask.tsx")).NewTask }))
const NewProject = lazy(async () => ({ default: (await import("../projects/NewProject.tsx")).NewProject }))
const Shortcuts = lazy(async () => ({ default: (await import("../palette/Shortcuts.tsx")).Shortcuts }))

type Overlay = "palette" | "shortcuts" | "new-project" | "new-task" | "navigation"

/** What stands around every page. */
export function Frame() {
  const text = useText()
  const connected = useContext(ConnectionContext)
  const [overlay, setOverlay] = useState<Overlay>()
  const path = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => setOverlay((open) => (open === "navigation" ? undefined : open)), [path])
  const typed = useRef("")
  const { projectUuid } = useParams({ strict: false })
  const { person } = useSignedIn()
  const openNewTask = () => setOverlay(mayChange(person) ? "new-task" : undefined)
  useShortcuts({
    onPalette: () => setOverlay("palette"),
    onShortcuts: () => setOverlay("shortcuts"),
    onNewTask: openNewTask,
  })
  usePageInView()
  const close = (open: boolean) => setOverlay(open ? overlay : undefined)
  const shell = {
    openPalette: () => setOverlay("palette"),
    openShortcuts: () => setOverlay("shortcuts"),
    openNewProject: () => setOverlay("new-project"),
    openNewTask,
  }
  return (
    <ShellContext value={shell}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 shadow-(--shadow-raised) focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {text("app.skip")}
      </a>
      <div className="flex h-full">
        <div className="hidden w-58 shrink-0 border-r border-line md:block print:hidden">
          <Sidebar />
        </div>
        <div className="flex min-w-0 flex-1 flex-col bg-surface">
          <ConnectionBanner connected={connected} />
          <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 md:hidden print:hidden">
            <IconButton icon={MenuIcon} label={text("nav.open")} onClick={() => setOverlay("navigation")} />
            <span className="flex-1 font-semibold">{text("app.name")}</span>
            <NotificationBell />
            <IconButton icon={Search} label={text("nav.search")} onClick={shell.openPalette} />
          </div>
          <Outlet />
          <Toasts />
        </div>
      </div>
      <Drawer open={overlay === "navigation"} onOpenChange={close} title={text("nav.main")}>
        <Sidebar />
      </Drawer>
      <Suspense
        fallback={overlay === "palette" && <KeysMeanwhile typed={typed} onClose={() => setOverlay(undefined)} />}
      >
        {overlay === "palette" && <Palette typed={typed} onClose={() => setOverlay(undefined)} />}
        {overlay === "new-project" && <NewProject open onOpenChange={close} />}
        {overlay === "new-task" && <NewTask projectUuid={projectUuid} onClose={() => setOverlay(undefined)} />}
        {overlay === "shortcuts" && <Shortcuts onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </ShellContext>
  )
}

function ConnectionBanner({ connected }: { readonly connected: boolean }) {
  const text = useText()
  return (
    <div role="status" aria-live="polite" data-connected={connected}>
      {!connected && (
        // What lies over the page from the right leaves room for it, or is lain over and still pressed through it.
        <p className="pointer-events-none bg-waiting-soft px-4 py-1 text-sm text-waiting max-xl:relative max-xl:z-40 max-xl:text-center">
          {text("app.reconnecting")}
        </p>
      )}
    </div>
  )
}
