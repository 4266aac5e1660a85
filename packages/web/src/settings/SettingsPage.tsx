import type { SignedInPerson } from "@chorus/contracts"
import { Link, useParams } from "@tanstack/react-router"
import {
  Bell,
  Bot,
  Building2,
  MailWarning,
  MonitorSmartphone,
  type LucideIcon,
  User,
  Users,
  Webhook,
} from "lucide-react"
import type { ComponentType } from "react"
import { Page } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { isSteward, mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { AgentsSection } from "./AgentsSection.tsx"
import { MembersSection } from "./MembersSection.tsx"
import { NotificationsSection } from "./NotificationsSection.tsx"
import { ProfileSection } from "./ProfileSection.tsx"
import { SignInsSection } from "./SignInsSection.tsx"
import { UndeliveredSection } from "./UndeliveredSection.tsx"
import { WebhooksSection } from "./WebhooksSection.tsx"
import { WorkspaceSection } from "./WorkspaceSection.tsx"

interface Part {
  readonly id: string
  readonly label: TextKey
  readonly icon: LucideIcon
  readonly content: ComponentType
  /** Only for whom. */
  readonly for?: (person: SignedInPerson) => boolean
}

const PARTS: readonly Part[] = [
  { id: "profile", label: "settings.profile", icon: User, content: ProfileSection },
  { id: "agents", label: "settings.agents", icon: Bot, content: AgentsSection },
  { id: "notifications", label: "settings.notifications", icon: Bell, content: NotificationsSection },
  { id: "sign-ins", label: "settings.signIns", icon: MonitorSmartphone, content: SignInsSection },
  { id: "members", label: "settings.members", icon: Users, content: MembersSection },
  { id: "webhooks", label: "settings.webhooks", icon: Webhook, content: WebhooksSection, for: isSteward },
  {
    id: "undelivered",
    label: "settings.undelivered",
    icon: MailWarning,
    content: UndeliveredSection,
    for: mayChange,
  },
  { id: "workspace", label: "settings.workspace", icon: Building2, content: WorkspaceSection },
]

export function SettingsPage() {
  const text = useText()
  const { person } = useSignedIn()
  const { section } = useParams({ from: "/settings/$section" })
  const parts = PARTS.filter((part) => part.for?.(person) !== false)
  const Content = parts.find(({ id }) => id === section)?.content ?? ProfileSection
  return (
    <Page title={text("nav.settings")}>
      <div className="flex flex-col gap-6 lg:flex-row lg:gap-10">
        <nav aria-label={text("settings.sections")} className="shrink-0 lg:w-48">
          <ul className="flex flex-wrap gap-1 lg:grid">
            {parts.map(({ id, label, icon: Icon }) => (
              <li key={id}>
                <Link
                  to="/settings/$section"
                  params={{ section: id }}
                  activeProps={{ className: "bg-hover font-medium text-ink", "aria-current": "page" }}
                  className="flex h-8 items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap text-muted hover:bg-hover hover:text-ink"
                >
                  <Icon aria-hidden className="size-4" />
                  {text(label)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="min-w-0 flex-1">
          <Content />
        </div>
      </div>
    </Page>
  )
}
