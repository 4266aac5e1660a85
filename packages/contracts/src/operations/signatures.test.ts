import { describe, expect, it } from "vitest"
import { z } from "zod"
import * as contracts from "../index.ts"
import { PERMISSIONS } from "../permission.ts"
import type { Signature } from "../signature.ts"
import { signatures } from "./signatures.ts"

const all: readonly Signature[] = signatures

interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

const named = all.map((signature) => ({
  name: signature.name,
  signature,
  takes: z.toJSONSchema(signature.input, { io: "input", unrepresentable: "any" }) as JsonSchema,
}))

describe("the list of operations", () => {
  it("holds every signature that the families state, and no other", () => {
    const stated = Object.values(contracts)
      .filter((member) => typeof member === "object" && Symbol.toStringTag in member)
      .flatMap((family) => Object.values(family).filter(isSignature))
      .map(({ name }) => name)
    expect(stated.sort()).toEqual(all.map(({ name }) => name).sort())
  })

  it("gives no name twice, retired ones included", () => {
    const names = all.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it("knows these retired names", () => {
    expect(all.flatMap(({ aliases }) => aliases ?? []).sort()).toEqual([
      "chorus_admin_create_idea",
      "chorus_admin_reject_proposal",
      "chorus_admin_revoke_proposal",
      "chorus_pm_create_tasks",
      "chorus_set_idea_parent",
    ])
  })
})

describe.each(named)("$name", ({ signature, takes }) => {
  it("is called by a name that every door can carry", () => expect(signature.name).toMatch(/^chorus_[a-z]+(_[a-z]+)*$/))

  it("says in one short sentence what it does", () => {
    expect(signature.does).toMatch(/^[A-Z].*\.$/)
    expect(signature.does.length).toBeLessThanOrEqual(130)
    expect(signature.does).not.toMatch(/\n| {2}/)
  })

  it("asks for a need there is", () =>
    expect([...PERMISSIONS, "nobody", "anyone", "person", "steward"]).toContain(signature.needs))

  it("takes an object, and says which to programs in other languages", () => {
    expect(takes.type).toBe("object")
    for (const text of ["text", 7, true, [], null]) expect(signature.input.safeParse(text).success).toBe(false)
  })

  it("answers with an object that JSON can hold", () => {
    const schema = z.toJSONSchema(signature.output, { io: "output", unrepresentable: "throw" }) as JsonSchema
    const forms = schema.anyOf ?? [schema]
    expect(forms.map(({ type }) => type)).toEqual(forms.map(() => "object"))
  })

  it("takes for an id only what is one", () => {
    expect(
      idFields(takes)
        .filter(({ format }) => format !== "uuid")
        .map(({ path }) => path),
    ).toEqual(KEYS_IN_PLACE_OF_IDS[signature.name] ?? [])
  })
})

/**
 * Where a field named like an id may hold a key that the caller made up, because the thing it names is made in the same
 * call.
 */
const KEYS_IN_PLACE_OF_IDS: Readonly<Record<string, readonly string[]>> = {
  chorus_create_tasks: ["tasks[].draftUuid", "tasks[].dependsOnDraftUuids[]"],
  chorus_pm_create_proposal: ["taskDrafts[].dependsOnDraftUuids[]"],
  chorus_pm_assign_task: ["instanceUuid"],
  chorus_pm_assign_idea: ["instanceUuid"],
}

describe("who may do what", () => {
  const namesOf = (which: (signature: Signature) => boolean) =>
    all
      .filter(which)
      .map(({ name }) => name)
      .sort()

  it("is open to nobody in particular for two questions only", () => {
    expect(namesOf(({ needs }) => needs === "nobody")).toEqual(["chorus_health", "chorus_version"])
  })

  it("never offers an agent a tool that only people may use", () => {
    expect(namesOf(({ needs, tool }) => (needs === "person" || needs === "steward") && tool !== "none")).toEqual([])
  })

  it("keeps to those who run the workspace what concerns everybody in it", () => {
    expect(namesOf(({ needs }) => needs === "steward")).toEqual([
      "chorus_create_bridge",
      "chorus_create_sign_in_link",
      "chorus_create_webhook",
      "chorus_curate_plugins",
      "chorus_delete_bridge",
      "chorus_delete_webhook",
      "chorus_invite_member",
      "chorus_list_bridges",
      "chorus_list_webhook_deliveries",
      "chorus_list_webhooks",
      "chorus_redeliver_webhook",
      "chorus_update_member",
      "chorus_update_webhook",
      "chorus_update_work_settings",
    ])
  })

  it("asks for more than reading before something changes, but for answering and for saying where one works", () => {
    expect(namesOf(({ kind, needs }) => kind === "write" && needs.endsWith(":read"))).toEqual([
      "chorus_answer_elaboration",
      "chorus_session_checkin_task",
    ])
  })

  it("asks for no more than reading to read, but for checking what one is about to submit", () => {
    expect(namesOf(({ kind, needs }) => kind === "read" && /:(write|admin)$/.test(needs))).toEqual([
      "chorus_pm_validate_proposal",
    ])
  })

  it("asks for the right to administer where the name says so, but for projects and their groups", () => {
    expect(namesOf(({ name, needs }) => name.startsWith("chorus_admin_") && !needs.endsWith(":admin"))).toEqual([
      "chorus_admin_create_project",
      "chorus_admin_create_project_group",
      "chorus_admin_delete_project_group",
      "chorus_admin_move_project_to_group",
      "chorus_admin_update_project_group",
    ])
  })

  it("approves, verifies, closes and deletes nothing without it, but what is one's own or everybody's", () => {
    expect(
      namesOf(({ name, needs }) => /_(approve|verify|close|delete)_/.test(name) && !needs.endsWith(":admin")),
    ).toEqual([
      "chorus_admin_delete_project_group",
      "chorus_approve_check",
      "chorus_close_session",
      "chorus_delete_bridge",
      "chorus_delete_comment",
      "chorus_delete_view",
      "chorus_delete_webhook",
    ])
  })
})

describe("lists that come in pages", () => {
  const PAGING = ["page", "pageSize", "returned", "total"]
  const answerOf = ({ output }: Signature) =>
    (z.toJSONSchema(output, { io: "output", unrepresentable: "any" }) as JsonSchema).properties ?? {}
  const paged = named.filter(({ takes }) => "pageSize" in (takes.properties ?? {}))

  it("are many", () => expect(paged.length).toBeGreaterThan(15))

  it.each(paged)("$name says which page it answers and how many there are", ({ signature }) => {
    expect(Object.keys(answerOf(signature))).toEqual(expect.arrayContaining(PAGING))
  })

  it.each(paged)("$name answers one list besides", ({ signature }) => {
    const lists = Object.entries(answerOf(signature))
      .filter(([, schema]) => schema.type === "array")
      .map(([name]) => name)
    expect(lists).toHaveLength(1)
  })
})

describe("an agent's tools", () => {
  it("may be called without being listed where programs call them, or where they are seldom needed", () => {
    expect(
      all
        .filter(({ tool }) => tool === "hidden")
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      "chorus_add_task_dependency",
      "chorus_admin_close_idea",
      "chorus_attention_delivered",
      "chorus_build_proposal",
      "chorus_change_run",
      "chorus_delete_comment",
      "chorus_delete_label",
      "chorus_diff_versions",
      "chorus_edit_comment",
      "chorus_fetch_deliveries",
      "chorus_fork_run",
      "chorus_get_attention",
      "chorus_get_checks",
      "chorus_get_landing",
      "chorus_get_run_output",
      "chorus_get_run_policy",
      "chorus_get_run_spend",
      "chorus_get_task_graph",
      "chorus_get_task_history",
      "chorus_get_transcript",
      "chorus_get_versions",
      "chorus_hook",
      "chorus_interrupt_run",
      "chorus_lease_landing",
      "chorus_lease_run",
      "chorus_list_attentions",
      "chorus_list_labels",
      "chorus_list_landings",
      "chorus_list_pull_requests",
      "chorus_list_reservations",
      "chorus_list_run_rules",
      "chorus_list_runners",
      "chorus_preview_build",
      "chorus_relay_answer",
      "chorus_remove_task_dependency",
      "chorus_report_landing",
      "chorus_report_machine",
      "chorus_report_pull_requests",
      "chorus_report_run",
      "chorus_report_usage",
      "chorus_resume_run",
      "chorus_run_checks",
      "chorus_search_transcript",
      "chorus_send_change",
      "chorus_settle_delivery",
      "chorus_stop_runs",
      "chorus_update_finding",
      "chorus_update_idea_status",
      "chorus_update_label",
      "chorus_withdraw_attention",
    ])
  })
})

function isSignature(member: unknown): member is Signature {
  return typeof member === "object" && member !== null && "does" in member && "needs" in member
}

/** Every place in an input whose name says that it holds ids, and what form it has. */
function idFields(schema: JsonSchema, path = ""): { path: string; format: string | undefined }[] {
  const here =
    /Uuids?(\[\])?$|(^|\.)uuid$/.test(path) && schema.type === "string" ? [{ path, format: schema.format }] : []
  return [
    ...here,
    ...(schema.anyOf ?? []).flatMap((choice) => idFields(choice, path)),
    ...(schema.items === undefined ? [] : idFields(schema.items, `${path}[]`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      idFields(property, path === "" ? name : `${path}.${name}`),
    ),
  ]
}
