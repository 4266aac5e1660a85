import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { held, rowOf, SETUPS } from "../../bench/scale-model.ts"

it("the figures of the model in the books are those it gives", () => {
  const rows = SETUPS.map((setup) => rowOf(held(setup)))
  for (const page of ["docs/scale.md", "docs/zh/scale.md"]) {
    const text = readFileSync(join(import.meta.dirname, "..", "..", page), "utf8")
    expect(
      rows.filter((row) => !text.includes(row)),
      page,
    ).toEqual([])
  }
})
