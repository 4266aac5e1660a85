import type { tasks } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

type Status = tasks.TaskStatus

/** The steps of a task's life, written out: from where to where. */
const STEPS: Record<string, Partial<Record<Status, Status>>> = {
  chorus_claim_task: { open: "assigned" },
  chorus_release_task: { assigned: "open", in_progress: "open" },
  chorus_start_task: { open: "in_progress", assigned: "in_progress", in_progress: "in_progress" },
  chorus_submit_for_verify: { in_progress: "to_verify" },
  chorus_admin_verify_task: { to_verify: "done" },
  chorus_admin_reopen_task: { to_verify: "in_progress", done: "in_progress", closed: "open" },
  chorus_admin_close_task: {
    open: "closed",
    assigned: "closed",
    in_progress: "closed",
    to_verify: "closed",
    done: "closed",
  },
}

/** Three tasks, each waiting for the one before it. */
async function chain(): Promise<[string, string, string]> {
  const { first, second, third } = await w.newTasks({ first: [], second: ["first"], third: ["second"] })
  return [first, second, third]
}
const rowsOf = async (uuids: readonly string[]) => {
  const { tasks: rows } = await w.call<{ tasks: tasks.TaskRow[] }>(w.owner, "chorus_get_board", {
    projectUuid: w.project,
  })
  return uuids.map((uuid) => rows.find((row) => row.uuid === uuid))
}
const finished = (status: Status | undefined) => status === "done" || status === "closed"

describe("whatever happens to tasks", () => {
  it("each step leads where the table says or is refused, counts stay right, and a reader of the log has the same rows", async () => {
    const step = fc.record({
      at: fc.nat(2),
      name: fc.constantFrom(...Object.keys(STEPS)),
      by: fc.constantFrom<"developer" | "rival" | "admin" | "owner">("developer", "rival", "admin", "owner"),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const uuids = await chain()
        const seen = new Map<string, Partial<tasks.TaskRow>>()
        for (const [index, row] of (await rowsOf(uuids)).entries()) seen.set(uuids[index] ?? "", { ...row })
        for (const { at, name, by } of steps) {
          const taskUuid = uuids[at] ?? ""
          const before = (await rowsOf(uuids))[at]?.status ?? "open"
          const events = await w.told(() => takeStep(name, taskUuid, w[by]))
          for (const { entityType, entityUuid, patch } of events)
            if (entityType === "task") Object.assign(seen.get(entityUuid) ?? {}, patch)
          const rows = await rowsOf(uuids)
          const after = rows[at]?.status
          expect([before, STEPS[name]?.[before]]).toContain(after)
          if (after === before && name !== "chorus_start_task")
            expect(events.filter(({ kind }) => kind !== "task.criteria_marked")).toEqual([])
          for (const [index, row] of rows.entries()) {
            expect(row?.openDependencies).toBe(index === 0 || finished(rows[index - 1]?.status) ? 0 : 1)
            if (row?.status !== "closed") expect(row?.assignee === null).toBe(row?.status === "open")
            expect(seen.get(uuids[index] ?? "")).toMatchObject({ ...row })
          }
        }
      }),
      { numRuns: 8 },
    )
  })
})

/** Takes a step as somebody would who has seen to what it needs; a refusal is an answer too. */
async function takeStep(name: string, taskUuid: string, by: Actor): Promise<void> {
  if (name === "chorus_admin_verify_task") await w.passCriteria(taskUuid, w.owner).catch(() => undefined)
  await w
    .call(by, name, { taskUuid })
    .catch((error: { code?: string }) =>
      expect(error.code).toMatch(
        /^(wrong_status|not_holder|already_claimed|blocked_by_dependencies|forbidden|self_verification)$/,
      ),
    )
}
