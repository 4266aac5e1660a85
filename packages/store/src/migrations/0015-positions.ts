import type { Migration } from "./migration.ts"

/** The columns of an event that are known before it has a position. */
export const EVENT_COLUMNS = [
  "at",
  "kind",
  "entityType",
  "entityUuid",
  "projectUuid",
  "action",
  "patch",
  "actorType",
  "actorUuid",
  "actorName",
  "requestId",
]
const named = (prefix = "") => EVENT_COLUMNS.map((column) => `${prefix}"${column}"`).join(", ")

/**
 * On PostgreSQL changes commit side by side, and their events get positions afterwards, in rounds.
 *
 * A change draws its ticket as its last statement, while it holds all its locks, so whatever waited for it has a greater
 * one. A round takes every event that is visible once it has the log's lock; what a snapshot shows, it shows together with
 * all that came before it. So positions agree with the order in which changes took hold, have no gaps, and become
 * visible in their order. A change that drew an early ticket and commits late gets a later position and holds nobody up.
 */
export const positionsMigration: Migration = {
  id: 15,
  name: "positions",
  statements: (engine) => (engine === "sqlite" ? [] : [...TABLES, APPEND, ROUND]),
}

const TABLES = [
  // A cache would let a later change draw a smaller ticket.
  `create sequence "changeTickets" cache 1`,
  `create table "eventsComing" (
    "workspaceUuid" text not null,
    "ticket" bigint not null,
    "place" bigint not null,
    ${EVENT_COLUMNS.map((column) => `"${column}" text`).join(", ")},
    primary key ("workspaceUuid", "ticket", "place")
  )`,
  `alter table events add column "ticket" bigint`,
]

/** The last statement of a change. It has a transaction number before it has a ticket: rounds rely on it. */
const APPEND = `create function chorus_append(ws text, said json) returns bigint language plpgsql as $$
declare drawn bigint;
begin
  perform pg_current_xact_id();
  if not exists (select from workspaces w where w."uuid" = ws) then raise exception 'no result: no workspace %', ws; end if;
  drawn := nextval('"changeTickets"');
  insert into "eventsComing" ("workspaceUuid", "ticket", "place", ${named()})
    select ws, drawn, e.ordinality, ${named("e.")}
    from rows from (json_to_recordset(said) as (${EVENT_COLUMNS.map((column) => `"${column}" text`).join(", ")}))
      with ordinality as e(${named()}, ordinality);
  return drawn;
end $$`

/**
 * Gives positions to all events that wait in a workspace, and says where the wanted changes have theirs, also when another
 * server's round came first. \`low\` saves walking over what earlier rounds took: everything below it is known to be gone. The
 * horizon is read before the events are taken, and after it the newest ticket: see PostgresRounds.
 */
const ROUND = `create function chorus_round(
  ws text, low bigint, wanted bigint[], since bigint,
  out "newestTicket" bigint, out "ownXid" bigint, out "horizon" bigint, out "tickets" bigint[], out "positions" bigint[]
) language plpgsql as $$
declare was bigint; taken bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('log:' || ws, 0));
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint into "horizon";
  select case when s.is_called then s.last_value else s.last_value - 1 end into "newestTicket" from "changeTickets" s;
  select w."lastEvent" into was from workspaces w where w."uuid" = ws;
  with coming as (delete from "eventsComing" c where c."workspaceUuid" = ws and c."ticket" >= low returning *)
    insert into events ("workspaceUuid", "id", "ticket", ${named()})
    select ws, was + row_number() over (order by c."ticket", c."place"), c."ticket", ${named("c.")} from coming c;
  get diagnostics taken = row_count;
  if taken > 0 then
    update workspaces w set "lastEvent" = was + taken where w."uuid" = ws;
    "ownXid" := pg_current_xact_id()::text::bigint;
    perform pg_notify('chorus_growth', ws || ':' || (was + taken));
  end if;
  select array_agg(p."ticket"), array_agg(p."id") into "tickets", "positions" from (
    select e."ticket", max(e."id") as "id" from events e
    where e."workspaceUuid" = ws and e."id" > since and e."ticket" = any(wanted) group by e."ticket"
  ) p;
end $$`
