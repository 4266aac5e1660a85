import { useNavigate, useParams } from "@tanstack/react-router"
import {
  ArrowRight,
  FolderPlus,
  Keyboard,
  Languages,
  Lightbulb,
  type LucideIcon,
  Moon,
  Plug,
  Sun,
  Tag,
} from "lucide-react"
import { setTheme, useDark } from "../design/index.ts"
import { setLanguage, useLanguage, useText } from "../i18n/language.ts"
import { GO_PLACES, GO_TO, type GoPlace } from "../keys/shortcuts.ts"
import { useLabels } from "../items/use-labels.ts"
import { useProjects } from "../projects/use-projects.ts"
import { mayChange } from "../shell/rights.ts"
import { useShell } from "../shell/shell-context.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"

export interface Command {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: string
  run(): void
}

/** Everything that can be done from anywhere: places first, then projects, labels and actions. */
export function useCommands(): Readonly<Record<"places" | "labels" | "actions", readonly Command[]>> {
  const text = useText()
  const language = useLanguage()
  const navigate = useNavigate()
  const { projectUuid } = useParams({ strict: false })
  const { openNewProject, openShortcuts } = useShell()
  const projects = useProjects().answer?.projects ?? []
  const here = projects.find(({ uuid }) => uuid === projectUuid)

  const placesToGo = (Object.keys(GO_PLACES) as GoPlace[]).filter(
    (place) => !GO_PLACES[place].inProject || projectUuid !== undefined,
  )
  const places: Command[] = placesToGo.map((place) => ({
    id: place,
    label: text(GO_PLACES[place].label),
    icon: ArrowRight,
    keys: `G ${(Object.keys(GO_TO).find((key) => GO_TO[key] === place) ?? "").toUpperCase()}`,
    run: () => void navigate({ to: GO_PLACES[place].to, params: { projectUuid: projectUuid ?? "" } }),
  }))
  const toProjects: Command[] = projects.map(({ uuid, name }) => ({
    id: uuid,
    label: name,
    icon: ArrowRight,
    run: () => void navigate({ to: "/projects/$projectUuid/board", params: { projectUuid: uuid } }),
  }))
  const toLabels: Command[] = useLabels(projectUuid).labels.map(({ uuid, name }) => ({
    id: uuid,
    label: text("palette.label", { name }),
    icon: Tag,
    run: () =>
      void navigate({
        to: "/projects/$projectUuid/list",
        params: { projectUuid: projectUuid ?? "" },
        search: { label: name },
      }),
  }))
  const dark = useDark()
  const may = mayChange(useSignedIn().person)
  const actions: Command[] = [
    ...(here === undefined || !may
      ? []
      : [
          {
            id: "new-idea",
            label: text("palette.createIdea", { project: here.name }),
            icon: Lightbulb,
            run: () =>
              void navigate({
                to: "/projects/$projectUuid/ideas",
                params: { projectUuid: here.uuid },
                state: { newIdea: true },
              }),
          },
        ]),
    ...(may
      ? [
          { id: "new-project", label: text("palette.createProject"), icon: FolderPlus, run: openNewProject },
          { id: "connect", label: text("palette.connect"), icon: Plug, run: () => void navigate({ to: "/welcome" }) },
        ]
      : []),
    {
      id: "theme",
      label: text(dark ? "palette.themeLight" : "palette.themeDark"),
      icon: dark ? Sun : Moon,
      run: () => setTheme(dark ? "light" : "dark"),
    },
    {
      id: "language",
      label: text("palette.language"),
      icon: Languages,
      run: () => void setLanguage(language === "en" ? "zh" : "en"),
    },
    { id: "shortcuts", label: text("palette.shortcuts"), icon: Keyboard, keys: "?", run: openShortcuts },
  ]
  return { places: [...places, ...toProjects], labels: toLabels, actions }
}
