import { describe, expect, it } from "vitest"
import { describeInput } from "../../test/contract.ts"
import { filled, like, line, list, oneOf, optional, prose, TASK, uuid } from "../../test/field-rule.ts"
import { createAttention } from "./attentions.ts"
import { requestChange } from "./change-requests.ts"

describeInput(requestChange, {
  smallest: { targetType: "task", targetUuid: TASK, reason: "The file is called otherwise." },
  fields: {
    targetType: oneOf("idea", "task", "document", "proposal"),
    targetUuid: uuid,
    reason: filled(prose(4000)),
    title: optional(line(256)),
    content: optional(prose(80_000)),
    criteria: optional(list(line(2000), 1, 100)),
    tasks: optional(list(like({ title: "x" }), 1, 100)),
  },
})

describe("a change", () => {
  it("is asked for by its own operation alone, where it is checked", () => {
    expect(createAttention.input.safeParse({ title: "x", kind: "change" }).success).toBe(false)
  })
})
