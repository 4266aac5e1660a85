import { assert, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { inputsOf, type JsonSchema } from "../../test/arbitrary-input.ts"
import type { Signature } from "../signature.ts"
import { signatures } from "./signatures.ts"

/**
 * Inputs that ask for more than their JSON schema can say: two fields that need each other, bytes of an exact number, a
 * line that is an address.
 */
const BEYOND_A_SCHEMA = new Set([
  "chorus_add_reference",
  "chorus_answer_attention",
  "chorus_create_bridge",
  "chorus_create_tasks",
  "chorus_curate_plugins",
  "chorus_mark_notification_read",
  "chorus_search",
  "chorus_subscribe_push",
])

/** Always the same inputs, so that those who take none stand out and not by chance. */
const SAME = { seed: 20_260_301, numRuns: 8 }

const named = (signatures as readonly Signature[]).map((signature) => ({
  name: signature.name,
  signature,
  inputs: inputsOf(z.toJSONSchema(signature.input, { io: "input", unrepresentable: "any" }) as JsonSchema),
}))

describe.each(named)("an input of $name", ({ name, signature, inputs }) => {
  it("that is parsed is an input again, and the same: retries and queues may parse it twice", () => {
    let taken = 0
    assert(
      property(inputs, (input) => {
        const once = signature.input.safeParse(input)
        if (!once.success) return
        taken++
        expect(signature.input.parse(once.data)).toEqual(once.data)
      }),
      SAME,
    )
    if (!BEYOND_A_SCHEMA.has(name)) expect(taken).toBeGreaterThan(0)
  })

  it("survives the journey over a wire as JSON", () => {
    assert(
      property(inputs, (input) => {
        const { data } = signature.input.safeParse(input)
        if (data !== undefined) expect(signature.input.parse(JSON.parse(JSON.stringify(data)))).toEqual(data)
      }),
      SAME,
    )
  })
})
