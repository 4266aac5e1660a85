import { pathOfNotification, plainWords } from "@chorus/core"
import { useRouter } from "@tanstack/react-router"
import { Archive, BellOff, CheckCheck } from "lucide-react"
import { Avatar, Button, classes, EmptyState, IconButton, Page, Problem, SkeletonRows } from "../design/index.ts"
import { useFormat, useText, useWritten } from "../i18n/language.ts"
import { amending, useAction } from "../live/use-action.ts"
import { followNotifications, INBOX, useNotifications } from "./use-notifications.ts"
import { saidIn } from "./said.ts"
import type { notifications } from "@chorus/contracts"

type Row = notifications.NotificationRow

export function NotificationsPage() {
  const text = useText()
  const { history } = useRouter()
  const { answer, status, error, reload } = useNotifications()
  const markRead = useAction("chorus_mark_notification_read")
  const archive = useAction("chorus_archive_notification")
  const now = () => new Date().toISOString()
  const rows = answer?.notifications ?? []
  const unread = answer?.unreadCount ?? 0

  const open = (row: Row) => {
    if (row.readAt === null) void markRead.run({ notificationUuid: row.uuid }, changing(row, { readAt: now() }))
    const path = pathOfNotification(row)
    if (path !== undefined) history.push(path)
  }
  const readAll = () =>
    void markRead.run(
      { all: true },
      {
        amend: [
          amending("chorus_get_notifications", INBOX, (inbox) => ({
            ...inbox,
            unreadCount: 0,
            notifications: inbox.notifications.map((row) => ({ ...row, readAt: row.readAt ?? now() })),
          })),
        ],
      },
    )
  return (
    <Page
      title={text("nav.notifications")}
      beside={unread > 0 && <span className="text-sm text-faint tabular-nums">{unread}</span>}
      actions={
        unread > 0 && (
          <Button icon={CheckCheck} onClick={readAll}>
            {text("notifications.readAll")}
          </Button>
        )
      }
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && rows.length === 0 && (
        <EmptyState icon={BellOff} title={text("notifications.empty")}>
          {text("notifications.emptyLead")}
        </EmptyState>
      )}
      <ul className="grid">
        {rows.map((row) => (
          <NotificationLine
            key={row.uuid}
            row={row}
            onOpen={() => open(row)}
            onArchive={() => void archive.run({ notificationUuid: row.uuid }, changing(row, { archivedAt: now() }))}
          />
        ))}
      </ul>
    </Page>
  )
}

function changing(row: Row, patch: Partial<Row>) {
  const event = {
    id: 0,
    at: "",
    kind: "notification.read",
    entityType: "notification",
    entityUuid: row.uuid,
    projectUuid: null,
    action: "updated",
    patch,
    actor: { type: "system", uuid: "", name: "" },
    requestId: null,
  } as const
  return {
    amend: [amending("chorus_get_notifications", INBOX, (inbox) => followNotifications.apply(inbox, event) ?? inbox)],
  }
}

interface NotificationLineProps {
  readonly row: Row
  onOpen(): void
  onArchive(): void
}

function NotificationLine({ row, onOpen, onArchive }: NotificationLineProps) {
  const text = useText()
  const written = useWritten()
  const format = useFormat()
  const unread = row.readAt === null
  return (
    <li className="group flex items-start gap-3 border-b border-line py-2.5 last:border-0">
      <span
        aria-hidden
        className={classes("mt-2.5 size-1.5 shrink-0 rounded-full", unread ? "bg-waiting" : "bg-transparent")}
      />
      <Avatar actor={{ type: row.actorType, uuid: row.actorUuid, name: row.actorName }} />
      <button type="button" onClick={onOpen} className="min-w-0 flex-1 cursor-pointer text-left">
        <span className={classes("block break-words", unread ? "font-medium" : "text-muted")}>
          {plainWords(saidIn(text, written, row))}
        </span>
        <span className="mt-0.5 block text-xs text-faint">
          {row.projectName !== null && `${row.projectName} · `}
          <time dateTime={row.createdAt} title={format.dateTime(row.createdAt)}>
            {format.ago(row.createdAt)}
          </time>
          {unread && <span className="sr-only">{text("notifications.isUnread")}</span>}
        </span>
      </button>
      <IconButton
        icon={Archive}
        size="sm"
        label={text("notifications.archive")}
        onClick={onArchive}
        className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
      />
    </li>
  )
}
