import { describe, expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { type OperationName, type SignatureNamed, signatures } from "./operations/signatures.ts"
import { type InputOf, type OutputOf, type ParsedInputOf, signature } from "./signature.ts"

const paint = signature({
  name: "paint_door",
  does: "Paint a door.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({ door: z.string(), coats: z.number().default(2) }),
  output: z.object({ colour: z.string() }),
})

describe("a signature", () => {
  it("is what was stated, and nothing is added", () => {
    expect(Object.keys(paint)).toEqual(["name", "does", "needs", "kind", "tool", "input", "output"])
  })

  it("keeps its name to the letter, for the typed client", () => expectTypeOf(paint.name).toEqualTypeOf<"paint_door">())

  it("tells what a caller may leave out, and what the code is given", () => {
    expectTypeOf<InputOf<typeof paint>>().toEqualTypeOf<{ door: string; coats?: number | undefined }>()
    expectTypeOf<ParsedInputOf<typeof paint>>().toEqualTypeOf<{ door: string; coats: number }>()
    expectTypeOf<OutputOf<typeof paint>>().toEqualTypeOf<{ colour: string }>()
    expect(paint.input.parse({ door: "front" })).toEqual({ door: "front", coats: 2 })
  })
})

describe("the signatures by name", () => {
  it("are found as their own type", () => {
    expectTypeOf<"chorus_claim_task">().toExtend<OperationName>()
    expectTypeOf<InputOf<SignatureNamed<"chorus_claim_task">>>().toEqualTypeOf<{ taskUuid: string }>()
    expectTypeOf<OutputOf<SignatureNamed<"chorus_admin_delete_task">>["deleted"]>().toEqualTypeOf<true>()
  })

  it("take ids as texts from callers, and give them branded to the code", () => {
    type Claim = SignatureNamed<"chorus_claim_task">
    expectTypeOf<ParsedInputOf<Claim>["taskUuid"]>().not.toEqualTypeOf<string>()
    expectTypeOf<ParsedInputOf<Claim>["taskUuid"]>().toExtend<string>()
  })

  it("have no name that nobody stated", () => {
    // @ts-expect-error There is no such operation.
    const name: OperationName = "chorus_burn_down"
    expect(signatures.map((known) => known.name)).not.toContain(name)
  })
})
