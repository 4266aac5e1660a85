import { Link } from "@tanstack/react-router"
import { Bell } from "lucide-react"
import { Button } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useNotifications } from "./use-notifications.ts"

export function NotificationBell() {
  const text = useText()
  const unread = useNotifications().answer?.unreadCount ?? 0
  return (
    <Button asChild tone="ghost" size="sm" className="relative w-7 px-0!">
      <Link
        to="/notifications"
        aria-label={unread === 0 ? text("nav.notifications") : text("notifications.unread", { count: unread })}
      >
        <Bell aria-hidden className="size-4" />
        {unread > 0 && (
          <span aria-hidden className="absolute top-1 right-1 size-2 rounded-full border border-canvas bg-waiting" />
        )}
      </Link>
    </Button>
  )
}
