import { Avatar } from "../design/Avatar.tsx"
import { useFormat } from "../i18n/format.ts"
import { useText } from "../i18n/language.ts"

interface WhoProps {
  readonly actor: { readonly type: string; readonly uuid: string; readonly name: string } | null
}

/** Somebody by picture and name; nobody in words. */
export function Who({ actor }: WhoProps) {
  const text = useText()
  if (actor === null) return <span className="text-faint">{text("tasks.nobody")}</span>
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Avatar actor={actor} size="sm" />
      <span className="truncate">{actor.name}</span>
    </span>
  )
}

/** How long ago, with the exact time on hover. */
export function When({ at, className }: { readonly at: string; readonly className?: string }) {
  const format = useFormat()
  return (
    <time dateTime={at} title={format.dateTime(at)} className={className ?? "text-xs text-faint"}>
      {format.ago(at)}
    </time>
  )
}
