import { signatures } from "@chorus/contracts"
import { expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { CRITERIA } from "../test/plan-fixture.ts"
import { isForAgents } from "./persons-place.ts"

const w = embeddedWorkspace()
const nobody = "9f7a1c1e-2b0d-4c9e-8f1a-3d5b7c9e0f12"

/** What one gets, or is told, who calls with what a person's data directory has. */
async function answer(name: string, input: object, agent: string | undefined): Promise<unknown> {
  return w.call({ ...w.owner, below: () => agent }, name, input).then(
    () => "done",
    (error: { code: string }) => error.code,
  )
}

const MAY = `
  add_attachment add_reference add_task_dependency admin_create_project admin_create_project_group
  admin_delete_project_group admin_move_project_to_group admin_update_project_group attention_delivered checkin
  claim_idea claim_task close_session create_agent create_attention create_key create_report create_session
  create_tasks edit_idea finish_task get_notifications hook import_items inbox lease_check lease_landing
  lease_run look_at_run move_idea next_task pm_add_document_draft pm_add_task_draft pm_assign_task pm_create_document
  pm_create_idea pm_create_proposal pm_remove_document_draft pm_remove_task_draft pm_skip_elaboration
  pm_start_elaboration pm_submit_proposal pm_update_document pm_update_document_draft pm_update_task_draft
  push_change reclaim_task relay_team release_idea release_paths release_task remove_attachment
  remove_reference remove_task_dependency reopen_session report_check report_criteria_self_check report_landing
  report_machine report_pull_requests report_run report_usage report_work request_change reserve_paths
  return_lapsed_tasks revoke_key send_change send_check send_digests session_checkin_task session_checkout_task
  session_heartbeat settle_delivery start_task submit_for_verify submit_plan sweep_reservations sweep_runs
  sweep_terminals update_agent update_idea_status update_label update_project update_proposal update_reference
  update_task withdraw_attention
`

/** Whoever adds an operation that changes something says here whether an agent may do it in its person's place. */
it("lets an agent do in its person's place what any worker may, and set up what decides nothing", () => {
  const writes = signatures.filter(({ kind }) => kind === "write")
  const may = writes.filter(isForAgents).map(({ name }) => name.slice("chorus_".length))
  expect(may.toSorted()).toEqual(MAY.trim().split(/\s+/))
  expect(signatures.filter(({ kind }) => kind === "read").every(isForAgents)).toBe(true)
})

it.each([
  ["a decision", "chorus_admin_verify_task", () => ({ taskUuid: nobody })],
  ["a decision by a name it had before", "chorus_admin_reject_proposal", () => ({ proposalUuid: nobody, note: "No." })],
  ["a word in its person's name", "chorus_answer_elaboration", () => ({})],
  ["a way in", "chorus_create_sign_in_link", () => ({ userUuid: w.owner.uuid })],
  ["an agent that decides", "chorus_create_agent", () => ({ name: "evil", presets: ["admin"] })],
  ["an agent that decides by a single bit", "chorus_create_agent", () => ({ name: "e", permissions: ["task:admin"] })],
  ["a key of an agent that decides", "chorus_create_key", () => ({ agentUuid: w.admin.uuid, name: "k".repeat(90) })],
  ["more rights for itself", "chorus_update_agent", () => ({ agentUuid: w.rival.uuid, presets: ["admin"] })],
  ["another key in place of one", "chorus_rotate_key", () => ({ keyUuid: nobody })],
])("refuses an agent %s", async (_, name, input) => {
  expect(await answer(name, input(), "claude, process 7")).toBe("needs_a_person")
  expect(await answer(name, input(), undefined)).not.toBe("needs_a_person")
})

it.each([
  ["looking", "chorus_list_tasks", () => ({ projectUuid: w.project })],
  [
    "a new task",
    "chorus_create_tasks",
    () => ({ projectUuid: w.project, tasks: [{ title: "Dig", acceptanceCriteriaItems: CRITERIA }] }),
  ],
  ["an agent that works", "chorus_create_agent", () => ({ name: "bob", presets: ["developer"] })],
  ["a key of an agent that works", "chorus_create_key", () => ({ agentUuid: w.developer.uuid, name: "another" })],
])("lets an agent have %s", async (_, name, input) =>
  expect(await answer(name, input(), "claude, process 7")).toBe("done"),
)

it("says who calls, and what a person can do instead", async () => {
  const agent = { ...w.owner, below: () => "claude, process 7" }
  await expect(w.call(agent, "chorus_admin_verify_task", { taskUuid: nobody })).rejects.toMatchObject({
    message: expect.stringContaining("below claude, process 7") as string,
    next: expect.stringContaining("on the page") as string,
  })
})
