import { EVENT_KINDS, LogEvent } from "@chorus/contracts"
import { NOTIFICATION_RULES } from "@chorus/core"
import { fieldsOf } from "./shapes.ts"
import { GENERATED, table, words } from "./tables.ts"

/** Every kind of event, by the noun it is about. */
export function eventsPage(): string {
  const byNoun = Map.groupBy(Object.entries(EVENT_KINDS), ([kind]) => kind.slice(0, kind.indexOf(".")))
  const sections = [...byNoun].map(
    ([noun, kinds]) =>
      `## ${noun}\n\n${table(
        ["kind", "what happened", "notifies"],
        kinds.map(([kind, says]) => [`\`${kind}\``, words(says), notified(kind)]),
      )}`,
  )
  const fields = fieldsOf(LogEvent, "output").map(({ path, type }) => [`\`${path}\``, type])
  return `${GENERATED}# Events

Every change appends its events to the log of the workspace, in the transaction of the change. The page, agents, companions and
[webhooks](../webhooks.md) hear of them: \`GET /api/events\` is a stream of server-sent events that goes on after \`Last-Event-ID\`, without gaps
or repeats; \`?projectUuid=\` and \`?kind=\` (more than once) narrow it. \`chorus_list_events\` reads the log page by page.

${table(["field", "type"], fields)}

\`patch\` has the shape of the entity's list row: merge it into your copy. \`action\` says whether to add, merge or drop. Take kinds that you do not
know as they come; a newer server may have more.

${sections.join("\n\n")}
`
}

function notified(kind: string): string {
  return (NOTIFICATION_RULES[kind]?.to ?? [])
    .map((bond) => bond.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(", ")
}
