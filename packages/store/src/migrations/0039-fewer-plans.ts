import type { Engine, Migration } from "./migration.ts"
import { EVENT_COLUMNS } from "./0015-positions.ts"

const named = (prefix = "") => EVENT_COLUMNS.map((column) => `${prefix}"${column}"`).join(", ")
const finished = (row: string) => `(${row}."status" in ('done', 'closed'))`

/**
 * Nearly every change runs these inside the database, so they are planned once. A task's step looks at what waits for it only
 * when it finishes or reopens the task, and a round tells where it has put the changes without looking them up again.
 */
export const fewerPlansMigration: Migration = {
  id: 39,
  name: "fewer plans",
  statements: (engine) => [
    `drop trigger task_status_changed${engine === "sqlite" ? "" : " on tasks"}`,
    `create trigger task_status_changed after update of "status" on tasks for each row
      when (${finished("old")} <> ${finished("new")}) ${counting(engine)}`,
    ...(engine === "sqlite" ? [] : [ROUND]),
  ],
}

function counting(engine: Engine): string {
  if (engine === "postgres") return "execute function task_status_changed()"
  return `begin update tasks
      set "openDependencies" = "openDependencies" + case when ${finished("new")} then -1 else 1 end
      where "uuid" in (select "taskUuid" from "taskEdges" where "dependsOnUuid" = new."uuid");
    end`
}

/**
 * As in 0015, which says why it is right. The plans are those for any values, and go by the keys: when they are made, the table of
 * what comes is small, and later it is not.
 */
const ROUND = `create or replace function chorus_round(
  ws text, low bigint, wanted bigint[], since bigint,
  out "newestTicket" bigint, out "ownXid" bigint, out "horizon" bigint, out "tickets" bigint[], out "positions" bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare was bigint; taken bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('log:' || ws, 0));
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint into "horizon";
  select case when s.is_called then s.last_value else s.last_value - 1 end into "newestTicket" from "changeTickets" s;
  select w."lastEvent" into was from workspaces w where w."uuid" = ws;
  with coming as (delete from "eventsComing" c where c."workspaceUuid" = ws and c."ticket" >= low returning *),
    placed as (
      insert into events ("workspaceUuid", "id", "ticket", ${named()})
      select ws, was + row_number() over (order by c."ticket", c."place"), c."ticket", ${named("c.")} from coming c
      returning "ticket", "id"
    )
    select sum(p."events"), array_agg(p."ticket"), array_agg(p."id") into taken, "tickets", "positions"
    from (select "ticket", max("id") as "id", count(*) as "events" from placed group by "ticket") p;
  if taken > 0 then
    update workspaces w set "lastEvent" = was + taken where w."uuid" = ws;
    "ownXid" := pg_current_xact_id()::text::bigint;
    perform pg_notify('chorus_growth', ws || ':' || (was + taken));
  end if;
  if not wanted <@ coalesce("tickets", '{}') then
    select array_agg(p."ticket"), array_agg(p."id") into "tickets", "positions" from (
      select e."ticket", max(e."id") as "id" from events e
      where e."workspaceUuid" = ws and e."id" > since and e."ticket" = any(wanted) group by e."ticket"
    ) p;
  end if;
end $$`
