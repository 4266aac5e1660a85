import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { JsonSchema } from "../../test/arbitrary-input.ts"
import { type OperationName, signatures } from "./signatures.ts"

/** A field of an input as other programs see it, without what lets it be null; `tasks.title` is the title of each task. */
function fieldOf(operation: OperationName, path: string): JsonSchema {
  const input = signatures.find(({ name }) => name === operation)?.input ?? z.never()
  const whole = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as JsonSchema
  const found = path
    .split(".")
    .reduce<JsonSchema | undefined>((at, name) => plain((at?.items ?? at)?.properties?.[name]), whole)
  if (found === undefined) throw new Error(`${operation} has no ${path}`)
  return found
}

function plain(schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema?.anyOf?.find(({ type }) => type !== "null") ?? schema
}

const limitsOf = ({ minLength, maxLength, minItems, maxItems, minimum, maximum, enum: choices }: JsonSchema) => ({
  minLength,
  maxLength,
  minItems,
  maxItems,
  minimum,
  maximum,
  choices,
})
const mostOf = (operation: OperationName, path: string) => {
  const { maxLength, maxItems, maximum } = fieldOf(operation, path)
  return maxLength ?? maxItems ?? maximum ?? Number.POSITIVE_INFINITY
}

/** Whatever can be made can be changed to the same again, and the other way round. */
const MADE_AND_CHANGED: readonly [make: OperationName, change: OperationName, fields: readonly string[]][] = [
  ["chorus_pm_create_idea", "chorus_edit_idea", ["title", "content", "parentUuid", "isContainer"]],
  ["chorus_pm_create_document", "chorus_pm_update_document", ["title", "content"]],
  ["chorus_pm_add_document_draft", "chorus_pm_update_document_draft", ["type", "title", "content"]],
  [
    "chorus_pm_add_task_draft",
    "chorus_pm_update_task_draft",
    ["title", "description", "storyPoints", "priority", "acceptanceCriteriaItems", "dependsOnDraftUuids"],
  ],
  ["chorus_pm_create_proposal", "chorus_update_proposal", ["title", "description"]],
  ["chorus_admin_create_project", "chorus_update_project", ["name", "description"]],
  ["chorus_admin_create_project_group", "chorus_admin_update_project_group", ["name", "description"]],
  [
    "chorus_create_agent",
    "chorus_update_agent",
    ["name", "persona", "systemPrompt", "presets", "permissions", "projectUuids"],
  ],
  ["chorus_invite_member", "chorus_update_member", ["name", "email", "role"]],
  ["chorus_update_member", "chorus_update_me", ["name", "email"]],
  ["chorus_create_webhook", "chorus_update_webhook", ["url", "kinds", "allowPrivate"]],
  ["chorus_add_reference", "chorus_update_reference", ["type", "url", "title", "notes"]],
  ["chorus_add_comment", "chorus_edit_comment", ["content"]],
  ["chorus_reserve_paths", "chorus_release_paths", ["globs"]],
]

describe("what can be made", () => {
  it.each(
    MADE_AND_CHANGED.flatMap(([make, change, fields]) =>
      fields.filter((field) => field !== "globs").map((field) => ({ make, change, field })),
    ),
  )("by $make can be changed by $change: $field has the same limits", ({ make, change, field }) =>
    expect(limitsOf(fieldOf(change, field))).toEqual(limitsOf(fieldOf(make, field))),
  )

  it("as a reservation can be given up by the same words", () => {
    expect(fieldOf("chorus_release_paths", "globs").items).toEqual(fieldOf("chorus_reserve_paths", "globs").items)
  })

  it("of a task can be changed: its fields have the same limits", () => {
    for (const field of ["title", "description", "priority", "storyPoints", "acceptanceCriteriaItems"]) {
      expect(limitsOf(fieldOf("chorus_update_task", field)), field).toEqual(
        limitsOf(fieldOf("chorus_create_tasks", `tasks.${field}`)),
      )
    }
  })
})

/** Approving turns drafts into documents and tasks; there must be room for what was drafted. */
const DRAFTED: readonly [drafted: OperationName, path: string, becomes: OperationName, path: string][] = [
  ["chorus_pm_add_document_draft", "content", "chorus_pm_update_document", "content"],
  ["chorus_pm_add_document_draft", "title", "chorus_pm_update_document", "title"],
  ["chorus_pm_add_task_draft", "title", "chorus_update_task", "title"],
  ["chorus_pm_add_task_draft", "description", "chorus_update_task", "description"],
  ["chorus_pm_add_task_draft", "storyPoints", "chorus_update_task", "storyPoints"],
  ["chorus_pm_add_task_draft", "acceptanceCriteriaItems", "chorus_update_task", "acceptanceCriteriaItems"],
  ["chorus_pm_add_task_draft", "dependsOnDraftUuids", "chorus_update_task", "addDependsOn"],
  ["chorus_submit_plan", "documents.content", "chorus_pm_add_document_draft", "content"],
  ["chorus_submit_plan", "tasks.description", "chorus_pm_update_task_draft", "description"],
  ["chorus_submit_plan", "tasks.criteria", "chorus_pm_update_task_draft", "acceptanceCriteriaItems"],
  ["chorus_submit_plan", "tasks.dependsOn", "chorus_pm_update_task_draft", "dependsOnDraftUuids"],
  ["chorus_create_report", "content", "chorus_pm_update_document", "content"],
]

describe("what is drafted", () => {
  it.each(DRAFTED)("by %s as %s has room where it ends up, in %s as %s", (drafted, from, becomes, to) => {
    expect(mostOf(drafted, from)).toBeLessThanOrEqual(mostOf(becomes, to))
  })
})

describe("a name that is read in one line everywhere", () => {
  it.each<[operation: OperationName, path: string, most: number]>([
    ["chorus_pm_create_idea", "title", 256],
    ["chorus_create_tasks", "tasks.title", 256],
    ["chorus_pm_create_proposal", "title", 256],
    ["chorus_pm_create_document", "title", 256],
    ["chorus_create_report", "title", 200],
    ["chorus_create_attention", "title", 300],
    ["chorus_admin_create_project", "name", 256],
    ["chorus_create_agent", "name", 80],
    ["chorus_invite_member", "name", 80],
    ["chorus_create_session", "name", 120],
    ["chorus_create_key", "name", 80],
  ])("by %s as %s has at most %i characters", (operation, path, most) => expect(mostOf(operation, path)).toBe(most))
})
