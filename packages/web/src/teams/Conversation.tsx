import { ArrowRight } from "lucide-react"
import { useEffect, useRef } from "react"
import { Badge, Nothing, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { DecisionLine } from "./DecisionLine.tsx"
import { MemberName } from "./MemberName.tsx"
import { answerOf, decisionIn, type Member, type Message, wordsOf } from "./team.ts"

interface ConversationProps {
  readonly messages: readonly Message[]
  readonly members: readonly Member[]
}

/** Who said what to whom, newest at the bottom; it follows while one is there. */
export function Conversation({ messages, members }: ConversationProps) {
  const text = useText()
  const list = useRef<HTMLOListElement>(null)
  const atEnd = useRef(true)
  const byName = new Map(members.map((member) => [member.name, member]))
  useEffect(() => {
    if (atEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [messages.length])
  const named = (name: string) =>
    byName.get(name) ?? { name, color: null, lead: false, state: "unknown" as const, leftAt: null }
  return messages.length === 0 ? (
    <Nothing>{text("teams.noMessages")}</Nothing>
  ) : (
    <ol
      ref={list}
      tabIndex={0}
      aria-label={text("teams.messages")}
      onScroll={({ currentTarget: box }) => {
        atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40
      }}
      className="grid max-h-[60vh] content-start gap-3 overflow-y-auto rounded-lg border border-line bg-canvas p-4"
    >
      {messages.map((message) => {
        const { event, words } = wordsOf(message)
        const decision = decisionIn(message)
        if (decision !== undefined)
          return (
            <li key={message.id} className="text-sm">
              <DecisionLine decision={decision} member={message.to} at={message.sentAt} />
            </li>
          )
        const said = event ? answerOf(message) : words
        return (
          <li key={message.id} className="text-sm">
            <p className="mb-1 flex flex-wrap items-center gap-1.5">
              <MemberName member={named(message.from)} />
              <ArrowRight aria-label={text("teams.to")} className="size-3 text-faint" />
              <MemberName member={named(message.to)} />
              {event && <Badge>{message.kind.replaceAll("_", " ")}</Badge>}
              <When at={message.sentAt} className="ml-auto text-xs text-faint" />
            </p>
            {said !== "" ? (
              <Markdown source={said} className="rounded-lg border border-line bg-surface px-3 py-2" />
            ) : (
              words !== "" && <p className="line-clamp-4 pl-2 whitespace-pre-wrap text-muted">{words}</p>
            )}
          </li>
        )
      })}
    </ol>
  )
}
