import { assert, property, uuid } from "fast-check"
import { describe, expect, it } from "vitest"
import {
  AgentId,
  CommentId,
  CriterionId,
  DocumentId,
  DraftId,
  GroupId,
  IdeaId,
  KeyId,
  NotificationId,
  ProjectId,
  ProposalId,
  RoundId,
  SessionId,
  SignInId,
  TaskId,
  UserId,
  WorkspaceId,
} from "./signature.ts"

const kinds = Object.entries({
  AgentId,
  CommentId,
  CriterionId,
  DocumentId,
  DraftId,
  GroupId,
  IdeaId,
  KeyId,
  NotificationId,
  ProjectId,
  ProposalId,
  RoundId,
  SessionId,
  SignInId,
  TaskId,
  UserId,
  WorkspaceId,
})

describe("an id", () => {
  it("of every kind is a uuid, kept to the letter", () => {
    assert(
      property(uuid(), (id) => {
        for (const [name, schema] of kinds) expect(schema.parse(id), name).toBe(id)
      }),
    )
  })

  it.each([
    "",
    "1",
    "task-1",
    "11111111-1111-4111-8111-11111111111",
    "11111111-1111-4111-8111-1111111111111",
    "11111111111141118111111111111111",
    "{11111111-1111-4111-8111-111111111111}",
    "g1111111-1111-4111-8111-111111111111",
    "11111111-1111-4111-8111-111111111111\n",
  ])("of any kind is not %j", (text) => {
    for (const [name, schema] of kinds) expect(schema.safeParse(text).success, name).toBe(false)
  })

  it("of one kind is not taken for another by the compiler", () => {
    const task = TaskId.parse("11111111-1111-4111-8111-111111111111")
    const take = (session: SessionId): string => session
    // @ts-expect-error A task's id is no session's.
    expect(take(task)).toBe(task)
  })
})
