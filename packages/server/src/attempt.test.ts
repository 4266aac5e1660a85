import { ChorusError, type Signature } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { attempt } from "./attempt.ts"
import { operation, type OperationContext } from "./operation.ts"
import { Registry } from "./registry.ts"

const w = embeddedWorkspace()

describe("a part of a change", () => {
  it.each([
    { outcome: "refused", refusal: new ChorusError("not_now", "Not now.", { status: 409 }) },
    { outcome: "done", refusal: undefined },
  ])(
    "that is $outcome leaves all it wrote, wherever in the change that is written, or nothing",
    async ({ refusal }) => {
      let ran = 0
      const group = (uuid: string, name: string) => ({
        uuid,
        workspaceUuid: w.workspaceUuid,
        name,
        createdAt: new Date().toISOString(),
        updatedAt: new Date().toISOString(),
      })
      const rename = async (context: OperationContext) => {
        const { db, newId, later, besides, afterCommit } = context
        await db.insertInto("projectGroups").values(group(newId(), "now")).execute()
        besides(db.insertInto("projectGroups").values(group(newId(), "besides")))
        later(db.insertInto("projectGroups").values(group(newId(), "later")))
        afterCommit(() => ran++)
        context.emit({
          kind: "workspace.updated",
          entityType: "workspace",
          entityUuid: w.workspaceUuid,
          projectUuid: null,
          action: "updated",
          patch: { name: "Mine" },
        })
        if (refusal !== undefined) throw refusal
        return "made"
      }
      const signature: Signature = {
        name: "chorus_test",
        does: "Tests.",
        needs: "anyone",
        kind: "write",
        tool: "none",
        input: z.object({}),
        output: z.unknown(),
      }
      const registry = new Registry(w.store, [operation(signature, (context) => attempt(context, rename))], {
        reactors: [],
      })
      const events = await w.told(async () => {
        const came = await registry.execute("chorus_test", {}, { actor: w.owner, requestId: "r1" })
        expect(came).toEqual(refusal === undefined ? { done: "made" } : { refused: refusal })
      })
      const groups = await w.store.db.selectFrom("projectGroups").select("name").orderBy("name").execute()
      expect([groups.map(({ name }) => name), ran, events.length]).toEqual(
        refusal === undefined ? [["besides", "later", "now"], 1, 1] : [[], 0, 0],
      )
    },
  )
})
