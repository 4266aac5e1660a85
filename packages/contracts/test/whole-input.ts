import { expect, it } from "vitest"
import { z } from "zod"
import { type OperationName, type SignatureNamed, signatures } from "../src/operations/signatures.ts"
import type { InputOf, Signature } from "../src/signature.ts"

/** An input with everything a caller can say, by the name of its operation. */
export type WholeInputs = { readonly [Name in OperationName]?: InputOf<SignatureNamed<Name>> }

const all: readonly Signature[] = signatures

/** The names of all that an operation's input may hold. */
export function fieldsOf(name: string): string[] {
  const input = all.find((signature) => signature.name === name)?.input ?? z.never()
  return Object.keys(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }).properties ?? {})
}

/** States that nothing of what a caller says is lost on the way to the code, nor changed. */
export function describeWholeInputs(inputs: WholeInputs): void {
  it.each(Object.entries(inputs))("%s takes everything at once, and passes it on", (name, input) => {
    expect(Object.keys(input).sort()).toEqual(fieldsOf(name).sort())
    expect(all.find((signature) => signature.name === name)?.input.parse(input)).toEqual(input)
  })
}
