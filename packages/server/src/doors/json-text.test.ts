import * as fc from "fast-check"
import { expect, it } from "vitest"
import { jsonText } from "./json-text.ts"

const list = fc.array(fc.jsonValue(), { minLength: 0, maxLength: 450, size: "max" })

it("writes what JSON.stringify does, however long the lists", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ a: fc.jsonValue(), 'b"': list, c: fc.constant(undefined), d: list }),
      async (answer) => {
        expect(await jsonText(answer)).toBe(JSON.stringify(answer))
      },
    ),
    { numRuns: 10 },
  )
})
