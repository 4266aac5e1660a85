import type { Migration } from "./migration.ts"

const ACCEPTED = `"status" = 'elaborating' and "elaborationStatus" = 'validating' and not exists (select 1 from "elaborationRounds" r
  join "elaborationQuestions" q on q."roundUuid" = r."uuid"
  where r."ideaUuid" = ideas."uuid" and (r."status" = 'pending_answers' or q."answeredByType" = 'agent'))`

/**
 * A question knows its task, and a round whether more questions are wished. Sending answers is accepting them now; what people had
 * answered and nobody had accepted is therefore accepted.
 */
export const questionsMigration: Migration = {
  id: 12,
  name: "questions",
  statements: () => [
    `alter table attentions add column "taskUuid" text references tasks("uuid") on delete set null`,
    `create index attentions_task on attentions ("taskUuid")`,
    `create index attentions_agent on attentions ("agentUuid", "deliveredAt")`,
    `alter table "elaborationRounds" add column "askAgain" smallint not null default 0 check ("askAgain" in (0, 1))`,
    `update "elaborationRounds" set "validatedAt" =
      coalesce((select max(q."answeredAt") from "elaborationQuestions" q where q."roundUuid" = "elaborationRounds"."uuid"), "createdAt")
      where "validatedAt" is null and "ideaUuid" in (select "uuid" from ideas where ${ACCEPTED})`,
    `update "ideaStandings" set "badgeHint" = 'planning'
      where "badgeHint" = 'researching' and "ideaUuid" in (select "uuid" from ideas where ${ACCEPTED})`,
    `update ideas set "status" = 'elaborated', "elaborationStatus" = 'resolved' where ${ACCEPTED}`,
  ],
}
