import { expect, test } from "vitest"
import { everyPage } from "./pages.ts"

test.each([0, 1, 100, 101, 250])("reads a list of %i to its end, each row once", async (total) => {
  const rows = Array.from({ length: total }, (_, index) => index)
  const read = async ({ page, pageSize }: { page: number; pageSize: number }) => ({
    rows: rows.slice((page - 1) * pageSize, page * pageSize),
    total,
  })
  expect(await everyPage(read)).toEqual(rows)
})

test("ends when rows vanish while it reads", async () => {
  const read = async ({ page }: { page: number }) => ({ rows: page === 1 ? ["a"] : [], total: 5 })
  expect(await everyPage(read)).toEqual(["a"])
})
