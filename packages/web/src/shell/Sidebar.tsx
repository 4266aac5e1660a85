import { Link, useParams } from "@tanstack/react-router"
import {
  Activity,
  Bot,
  ChartNoAxesCombined,
  CirclePlay,
  FileText,
  Folder,
  FolderOpen,
  GitPullRequestArrow,
  Inbox,
  Lamp,
  Lightbulb,
  List,
  type LucideIcon,
  Network,
  Plus,
  Puzzle,
  Search,
  Settings2,
  SquareKanban,
  Users,
} from "lucide-react"
import type { ReactNode } from "react"
import { useAwakeCount } from "../attention/awake.ts"
import { useNeedsYou, useTitleCount } from "../attention/use-needs-you.ts"
import { classes, IconButton, Kbd, Skeleton } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { NotificationBell } from "../notifications/NotificationBell.tsx"
import { atHand, useVisit, useVisits } from "../projects/at-hand.ts"
import { useProjects } from "../projects/use-projects.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { mayChange } from "./rights.ts"
import { useShell } from "./shell-context.ts"
import { UserMenu } from "./UserMenu.tsx"

const ROW =
  "flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted transition-colors duration-100 hover:bg-hover hover:text-ink"
const ACTIVE = { className: "bg-hover font-medium text-ink", "aria-current": "page" as const }

const PLACES = [
  { to: "/projects/$projectUuid/board", label: "nav.board", icon: SquareKanban },
  { to: "/projects/$projectUuid/list", label: "items.list", icon: List },
  { to: "/projects/$projectUuid/graph", label: "nav.graph", icon: Network },
  { to: "/projects/$projectUuid/ideas", label: "nav.ideas", icon: Lightbulb },
  { to: "/projects/$projectUuid/proposals", label: "nav.proposals", icon: GitPullRequestArrow },
  { to: "/projects/$projectUuid/documents", label: "nav.documents", icon: FileText },
  { to: "/projects/$projectUuid/insights", label: "nav.insights", icon: ChartNoAxesCombined },
  { to: "/projects/$projectUuid/activity", label: "nav.activity", icon: Activity },
  { to: "/projects/$projectUuid/settings", label: "nav.projectSettings", icon: Settings2 },
] as const satisfies readonly { to: string; label: TextKey; icon: LucideIcon }[]

/** Where one can go: what waits, the workspace, the projects. */
export function Sidebar() {
  const text = useText()
  const { openPalette, openNewProject } = useShell()
  const { person } = useSignedIn()
  const waiting = useAwakeCount(useNeedsYou())
  useTitleCount(waiting, text("app.name"))
  const { projectUuid: here } = useParams({ strict: false })
  const { answer, status } = useProjects()
  const visits = useVisits()
  useVisit(here)
  return (
    <div className="flex h-full flex-col bg-canvas">
      <div className="flex h-12 shrink-0 items-center gap-2 px-4">
        <img src="/favicon.svg" alt="" className="size-5" />
        <span className="flex-1 font-semibold">{text("app.name")}</span>
        <NotificationBell />
      </div>
      <div className="px-3 pb-2">
        <button
          type="button"
          onClick={openPalette}
          className="flex h-8 w-full cursor-pointer items-center gap-2 rounded-md border border-line bg-surface px-2 text-sm text-faint shadow-(--shadow-card) hover:border-line-strong"
        >
          <Search aria-hidden className="size-4" />
          <span className="flex-1 text-left">{text("nav.searchHint")}</span>
          <Kbd keys="⌘ K" />
        </button>
      </div>
      <nav aria-label={text("nav.main")} className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 pb-3">
        <ul className="grid gap-px">
          <li>
            <Link to="/" activeOptions={{ exact: true }} activeProps={ACTIVE} className={ROW}>
              <Inbox aria-hidden className="size-4" />
              <span className="flex-1">{text("nav.needsYou")}</span>
              {waiting > 0 && (
                <span className="rounded-full bg-waiting-soft px-1.5 text-xs font-semibold text-waiting tabular-nums">
                  {waiting}
                </span>
              )}
            </Link>
          </li>
          <Place to="/agents" icon={Bot}>
            {text("nav.agents")}
          </Place>
          <Place to="/teams" icon={Users}>
            {text("teams.title")}
          </Place>
          <Place to="/runs" icon={CirclePlay}>
            {text("runs.title")}
          </Place>
          <Place to="/office" icon={Lamp}>
            {text("nav.office")}
          </Place>
          <Place to="/plugins" icon={Puzzle}>
            {text("plugins.title")}
          </Place>
        </ul>
        <section aria-labelledby="sidebar-projects">
          <header className="flex h-7 items-center pr-1 pl-2">
            <h2 id="sidebar-projects" className="flex-1 text-xs font-medium text-faint">
              <Link to="/projects" className="hover:text-ink">
                {text("nav.projects")}
              </Link>
            </h2>
            {mayChange(person) && (
              <IconButton
                icon={Plus}
                size="sm"
                className="size-6"
                label={text("nav.newProject")}
                onClick={openNewProject}
              />
            )}
          </header>
          {status === "loading" && <Skeleton className="mx-2 my-1 h-6 w-40" />}
          <ul className="grid gap-px">
            {atHand(answer?.projects ?? [], visits, here).map(({ uuid, name }) => (
              <li key={uuid}>
                <Link
                  to="/projects/$projectUuid/board"
                  params={{ projectUuid: uuid }}
                  className={classes(ROW, uuid === here && "font-medium text-ink")}
                >
                  {uuid === here ? (
                    <FolderOpen aria-hidden className="size-4 shrink-0" />
                  ) : (
                    <Folder aria-hidden className="size-4 shrink-0" />
                  )}
                  <span className="truncate">{name}</span>
                </Link>
                {uuid === here && <ProjectPlaces projectUuid={uuid} />}
              </li>
            ))}
          </ul>
        </section>
      </nav>
      <div className="border-t border-line p-2">
        <UserMenu />
      </div>
    </div>
  )
}

function ProjectPlaces({ projectUuid }: { readonly projectUuid: string }) {
  const text = useText()
  return (
    <ul className="my-0.5 ml-4 grid gap-px border-l border-line pl-2">
      {PLACES.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Link to={to} params={{ projectUuid }} activeProps={ACTIVE} className={classes(ROW, "h-7")}>
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{text(label)}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Place({
  to,
  icon: Icon,
  children,
}: {
  readonly to: "/agents" | "/teams" | "/runs" | "/office" | "/plugins"
  readonly icon: LucideIcon
  readonly children: ReactNode
}) {
  return (
    <li>
      <Link to={to} activeProps={ACTIVE} className={ROW}>
        <Icon aria-hidden className="size-4" />
        <span className="flex-1">{children}</span>
      </Link>
    </li>
  )
}
