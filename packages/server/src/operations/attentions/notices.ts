import { askedOften, type Schema } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { attentionEvent, noticeId, NOTICES } from "./attention-row.ts"

/** Work of this kind goes on, so nobody needs to be told any more that it broke off or waits. */
export async function takeRunNoticesBack(
  { db, now, emit }: OperationContext,
  { work, taskUuid, ideaUuid }: Pick<Schema["runs"], "work" | "taskUuid" | "ideaUuid">,
): Promise<void> {
  const withdrawn = await db
    .updateTable("attentions")
    .set({ withdrawnAt: now })
    .where("runUuid", "in", ({ selectFrom }) =>
      selectFrom("runs")
        .select("uuid")
        .where("work", "=", work)
        .where(({ eb }) => (taskUuid === null ? eb("ideaUuid", "=", ideaUuid) : eb("taskUuid", "=", taskUuid))),
    )
    .where(({ or, eb }) =>
      or((["broken_off", "waits"] as const).map((notice) => eb("requestId", "like", `${noticeId(notice, "")}%`))),
    )
    .where("answerable", "=", 0)
    .where("withdrawnAt", "is", null)
    .returningAll()
    .execute()
  for (const record of withdrawn) emit((await attentionEvent(db, record, now, "attention.withdrawn")).event)
}

/** The task moves on, so nobody needs to be told any more that it stands still. */
export async function takeNoticesBack(context: OperationContext, taskUuid: string): Promise<void> {
  const { db, now, emit } = context
  for (const record of await withdrawn.all(db, now, taskUuid))
    emit((await attentionEvent(db, record, now, "attention.withdrawn")).event)
}

const withdrawn = askedOften((db, now, taskUuid) =>
  db
    .updateTable("attentions")
    .set({ withdrawnAt: now })
    .where(({ or, eb, selectFrom }) =>
      or([
        eb("taskUuid", "=", taskUuid),
        eb("runUuid", "in", selectFrom("runs").select("uuid").where("taskUuid", "=", taskUuid)),
      ]),
    )
    .where("answerable", "=", 0)
    .where(({ or, eb }) => or(NOTICES.map((notice) => eb("requestId", "like", `${noticeId(notice, "")}%`))))
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .returningAll(),
)
