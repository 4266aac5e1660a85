import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Avatar, SessionBadge } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { byDay, type Deed, deedsOf, didKey, type Line, wordsOf } from "./feed.ts"

/** What happened, day by day; new lines come in on top. */
export function ActivityFeed({ lines }: { readonly lines: readonly Line[] }) {
  const text = useText()
  const format = useFormat()
  const now = new Date()
  const today = format.date(now.toISOString())
  const yesterday = format.date(new Date(now.getTime() - 86_400_000).toISOString())
  const nameOf = (day: string) =>
    day === today ? text("activity.today") : day === yesterday ? text("activity.yesterday") : day
  return (
    <div className="grid gap-6">
      {byDay(lines, format.date).map(({ day, lines: members }) => (
        <section key={day} aria-label={nameOf(day)}>
          <h2 className="mb-2 text-xs font-medium text-faint">{nameOf(day)}</h2>
          <ol className="grid">
            {deedsOf(members).map((deed) => (
              <FeedLine key={deed.line.id} deed={deed} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function FeedLine({ deed: { line, parts, times, others } }: { readonly deed: Deed }) {
  const text = useText()
  const format = useFormat()
  return (
    <li className="flex min-h-9 animate-fade items-center gap-2.5 border-b border-line py-1.5 text-sm last:border-0">
      <Avatar actor={line.actor} size="sm" />
      <p className="min-w-0 flex-1 break-words text-muted">
        <span className="font-medium text-ink">{line.actor.name}</span> {text(didKey(line))}{" "}
        {line.targetTitle !== null && <Target line={line}>{line.targetTitle}</Target>}{" "}
        {others > 0 && <span> {text("activity.others", { count: others })}</span>}
        {times > 1 && <span className="text-faint">{text("activity.times", { count: times })}</span>}{" "}
        {line.sessionUuid !== null && line.sessionName !== null && (
          <span className="ml-1 inline-block max-w-40 align-middle">
            <SessionBadge
              session={{ uuid: line.sessionUuid, name: line.sessionName }}
              agent={line.actor}
              live={false}
            />
          </span>
        )}
        {parts.length > 0 && (
          <span className="block text-xs text-faint">
            {text("activity.with", {
              parts: [...new Set(parts.map((part) => text("activity.part", { did: text(didKey(part)) })))].reduce(
                (first, second) => text("activity.and", { first, second }),
              ),
            })}
          </span>
        )}
        {[...new Set([line, ...parts].flatMap((each) => wordsOf(text, each)))].map((words) => (
          <span key={words} className="block text-xs whitespace-pre-line wrap-anywhere text-faint">
            <InlineCode text={words} />
          </span>
        ))}
      </p>
      <time
        dateTime={line.createdAt}
        title={format.dateTime(line.createdAt)}
        className="shrink-0 text-xs text-faint tabular-nums"
      >
        {format.time(line.createdAt)}
      </time>
    </li>
  )
}

function Target({ line, children }: { readonly line: Line; readonly children: ReactNode }) {
  const { projectUuid, targetType, targetUuid, value } = line
  const look = "font-medium text-ink hover:underline"
  const taskUuid =
    targetType === "task" ? targetUuid : typeof value["taskUuid"] === "string" ? value["taskUuid"] : undefined
  if (projectUuid === null) return <span className="font-medium text-ink">{children}</span>
  if (taskUuid !== undefined) {
    return (
      <Link to="/projects/$projectUuid/tasks/$taskUuid" params={{ projectUuid, taskUuid }} className={look}>
        {children}
      </Link>
    )
  }
  if (targetType === "idea") {
    return (
      <Link to="/projects/$projectUuid/ideas/$ideaUuid" params={{ projectUuid, ideaUuid: targetUuid }} className={look}>
        {children}
      </Link>
    )
  }
  if (targetType === "proposal") {
    return (
      <Link
        to="/projects/$projectUuid/proposals/$proposalUuid"
        params={{ projectUuid, proposalUuid: targetUuid }}
        className={look}
      >
        {children}
      </Link>
    )
  }
  if (targetType === "document") {
    return (
      <Link
        to="/projects/$projectUuid/documents/$documentUuid"
        params={{ projectUuid, documentUuid: targetUuid }}
        className={look}
      >
        {children}
      </Link>
    )
  }
  return <span className="font-medium text-ink">{children}</span>
}
