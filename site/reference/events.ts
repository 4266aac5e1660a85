import { ENTITY_ROWS, EVENT_KINDS, type EventDeclaration, LogEvent } from "@chorus/contracts"
import { NOTIFICATION_RULES, type NotificationRule } from "@chorus/core"
import type { z } from "zod"
import { fieldsOf } from "./shapes.ts"
import { GENERATED, table, words } from "./tables.ts"

/** Every kind of event, by the noun it is about. */
export function eventsPage(): string {
  const byNoun = Map.groupBy(Object.entries<EventDeclaration>(EVENT_KINDS), ([kind]) =>
    kind.slice(0, kind.indexOf(".")),
  )
  const sections = [...byNoun].map(
    ([noun, kinds]) =>
      `## ${noun}\n\n${table(
        ["kind", "what happened", "entity", "patch", "notifies"],
        kinds.map(([kind, declared]) => [
          `\`${kind}\``,
          words(declared.says),
          `[${declared.entity}](#rows)`,
          carried(declared),
          notified(kind),
        ]),
      )}`,
  )
  const rows = Object.entries<z.ZodObject>(ENTITY_ROWS).map(([entity, row]) => [`\`${entity}\``, names(row.shape)])
  const fields = fieldsOf(LogEvent, "output").map(({ path, type }) => [`\`${path}\``, type])
  return `${GENERATED}# Events

Every change appends its events to the log of the workspace, in the transaction of the change. The page, agents, companions and
[webhooks](../webhooks.md) hear of them: \`GET /api/events\` is a stream of server-sent events that goes on after \`Last-Event-ID\`, without gaps
or repeats; \`?projectUuid=\` and \`?kind=\` (more than once) narrow it. \`chorus_list_events\` reads the log page by page.

${table(["field", "type"], fields)}

\`patch\` has the shape of the [row](#rows) in which lists carry the entity: merge it into your copy. \`action\` says whether to add, merge or drop:
what comes is a whole row, what changes a part of one. Take kinds that you do not know as they come; a newer server may have more.

${sections.join("\n\n")}

## Rows

${table(["entity", "fields of its row"], rows)}
`
}

/** What comes with such an event, by what its reader does with it. */
function carried({ entity, actions, extra }: EventDeclaration): string {
  const row: z.ZodObject = ENTITY_ROWS[entity]
  const beside = names(extra, (name) => !(name in row.shape))
  const shapes = { created: "the row", updated: "what changed of the row" }
  return actions
    .map((action) =>
      action === "deleted" ? names(extra) || "nothing" : [shapes[action], beside].filter(Boolean).join(", "),
    )
    .join("; or ")
}

function names(shape: z.ZodRawShape, kept: (name: string) => boolean = () => true): string {
  return Object.keys(shape)
    .filter(kept)
    .map((name) => `\`${name}\``)
    .join(", ")
}

function notified(kind: string): string {
  const rules: Readonly<Record<string, NotificationRule | undefined>> = NOTIFICATION_RULES
  return (rules[kind]?.to ?? [])
    .map((bond) => bond.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(", ")
}
