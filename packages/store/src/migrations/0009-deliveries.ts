import type { Engine, Migration } from "./migration.ts"

/**
 * Everything on its way to somebody outside, in one table: events to webhooks, calls to browsers, answers and orders to
 * machines. What was on its way in the tables of before goes on from here.
 */
export const deliveriesMigration: Migration = {
  id: 9,
  name: "deliveries",
  statements: (engine) => [
    `create table deliveries (
      "uuid" text primary key,
      "workspaceUuid" text not null references workspaces("uuid"),
      "lane" text not null,
      "place" bigint not null,
      "thread" text,
      "kind" text not null check ("kind" in ('event', 'call', 'answer', 'order')),
      "tag" text,
      "title" text not null,
      "payload" text not null,
      "byUuid" text,
      "state" text not null check ("state" in ('pending', 'delivered', 'dead')),
      "attempts" bigint not null default 0,
      "nextAttemptAt" text,
      "expiresAt" text,
      "responseStatus" bigint,
      "lastError" text,
      "next" text,
      "createdAt" text not null,
      "settledAt" text
    )`,
    `create unique index deliveries_lane on deliveries ("lane", "place")`,
    `create index deliveries_due on deliveries ("state", "nextAttemptAt")`,
    `create index deliveries_tag on deliveries ("tag")`,
    `create index deliveries_workspace on deliveries ("workspaceUuid", "state", "createdAt")`,
    eventsToWebhooks,
    callsToBrowsers,
    ordersToMachines,
    answersToMachines(engine),
    `drop table "webhookDeliveries"`,
    `drop table "pushMessages"`,
    `drop table "teamOrders"`,
  ],
}

const COLUMNS = `"uuid", "workspaceUuid", "lane", "place", "thread", "kind", "tag", "title", "payload", "byUuid", "state",
  "attempts", "nextAttemptAt", "responseStatus", "lastError", "createdAt", "settledAt"`

const eventsToWebhooks = `insert into deliveries (${COLUMNS})
  select d."uuid", h."workspaceUuid", 'webhook:' || h."uuid", d."eventId", null, 'event', null,
    coalesce((select e."kind" from events e where e."workspaceUuid" = h."workspaceUuid" and e."id" = d."eventId"), ''),
    '{"eventId":' || d."eventId" || '}', null, case d."status" when 'failed' then 'dead' else d."status" end, d."attempts",
    case when h."active" = 1 then d."nextAttemptAt" end, d."responseStatus", d."error", d."createdAt",
    case when d."status" <> 'pending' then coalesce(d."deliveredAt", d."createdAt") end
  from "webhookDeliveries" d join webhooks h on h."uuid" = d."webhookUuid"`

const callsToBrowsers = `insert into deliveries (${COLUMNS})
  select m."uuid", u."workspaceUuid", 'push:' || s."uuid", row_number() over (partition by s."uuid" order by m."createdAt", m."uuid"),
    null, 'call', m."tag", m."tag", m."payload", u."uuid",
    case m."status" when 'sent' then 'delivered' when 'failed' then 'dead' else m."status" end, m."attempts",
    m."nextAttemptAt", m."responseStatus", m."error", m."createdAt",
    case when m."status" <> 'pending' then coalesce(m."sentAt", m."createdAt") end
  from "pushMessages" m join "pushSubscriptions" s on s."uuid" = m."subscriptionUuid" join users u on u."uuid" = s."userUuid"`

const ordersToMachines = `insert into deliveries (${COLUMNS})
  select o."uuid", a."workspaceUuid", 'machine:' || m."uuid", row_number() over (partition by m."uuid" order by o."createdAt", o."uuid"),
    'team:' || t."name", 'order', 'team:' || t."uuid", t."name", '{"decision":' || o."decision" || '}', o."byUuid",
    case when o."deliveredAt" is not null then 'delivered' when o."error" is not null then 'dead' else 'pending' end,
    case when o."deliveredAt" is null and o."error" is null then 0 else 1 end,
    case when o."deliveredAt" is null and o."error" is null then o."createdAt" end, null, o."error", o."createdAt",
    coalesce(o."deliveredAt", case when o."error" is not null then o."createdAt" end)
  from "teamOrders" o join teams t on t."uuid" = o."teamUuid" join machines m on m."uuid" = o."machineUuid"
    join agents a on a."uuid" = m."agentUuid"`

/** Answers that companions have not passed on. Their place is after every order's. */
function answersToMachines(engine: Engine): string {
  const field = (column: string, name: string) =>
    engine === "sqlite" ? `json_extract(q."${column}", '$.${name}')` : `(q."${column}"::jsonb ->> '${name}')`
  const object = (...pairs: string[]) =>
    engine === "sqlite" ? `json_object(${pairs.join(", ")})` : `json_build_object(${pairs.join(", ")})`
  const approved = `${field("answer", "decision")} = 'approve'`
  const decision = object(
    `'decision', q."kind"`,
    `'team', ${field("detail", "team")}`,
    `'member', ${field("detail", "member")}`,
    `'requestId', ${field("detail", "requestId")}`,
    `'by', coalesce(u."name", 'a person')`,
    `'approved', ${engine === "sqlite" ? `json(case when ${approved} then 'true' else 'false' end)` : approved}`,
    `case q."kind" when 'plan' then 'feedback' else 'reason' end, coalesce(${field("answer", "text")}, '')`,
  )
  return `insert into deliveries (${COLUMNS})
    select q."uuid", q."workspaceUuid", 'machine:' || m."uuid",
      1000000 + row_number() over (partition by m."uuid" order by q."answeredAt", q."uuid"),
      'team:' || ${field("detail", "team")}, 'answer', 'attention:' || q."uuid", q."title",
      ${object(`'decision', ${decision}`)}${engine === "sqlite" ? "" : "::text"}, q."answeredByUuid", 'pending', 0,
      q."answeredAt", null, null, q."answeredAt", null
    from attentions q join machines m on m."agentUuid" = q."agentUuid" and m."name" = ${field("detail", "machine")}
      left join users u on u."uuid" = q."answeredByUuid"
    where q."answeredAt" is not null and q."deliveredAt" is null and q."kind" in ('plan', 'permission')
      and ${field("answer", "decision")} is not null and ${field("detail", "team")} is not null
      and ${field("detail", "member")} is not null and ${field("detail", "requestId")} is not null`
}
