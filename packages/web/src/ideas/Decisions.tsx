import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { Nothing, When, Who } from "../design/index.ts"

interface DecisionsProps {
  readonly entityType: "idea" | "proposal" | "task" | "document"
  readonly entityUuid: string
}

/** What people decided on the way, from the root idea down: the trail anything built later can be held against. */
export function Decisions({ entityType, entityUuid }: DecisionsProps) {
  const text = useText()
  const { answer } = useOperation(
    "chorus_get_alignment_anchor",
    { entityType, entityUuid },
    reloadWhen((event) => event.entityType === "round"),
  )
  if (answer === undefined) return null
  const told = answer.ideas.filter(({ decisions }) => decisions.length > 0)
  return told.length === 0 ? (
    <Nothing>{text("ideas.noDecisions")}</Nothing>
  ) : (
    <div className="grid grid-cols-1 gap-4">
      {told.map(({ uuid, title, decisions }) => (
        <div key={uuid}>
          <p className="mb-1 text-xs font-medium text-faint">{title}</p>
          <ol className="grid grid-cols-1 gap-3 border-l-2 border-line pl-4">
            {decisions.map(({ question, answer: decided, answeredBy, answeredAt }) => (
              <li key={question + answeredAt} className="text-sm">
                <p className="text-muted">{question}</p>
                <p className="font-medium break-words">{decided}</p>
                <p className="mt-0.5 flex items-center gap-1.5 text-xs text-faint">
                  <Who actor={answeredBy} />
                  <When at={answeredAt} />
                </p>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  )
}
