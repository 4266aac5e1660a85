import { z } from "zod"

const MAX_PAGE_SIZE = 100

/** Paging input of every list. Sizes out of range are brought into it rather than refused. */
export const pageInput = {
  page: z.coerce
    .number()
    .int()
    .catch(1)
    .transform((page) => Math.max(1, page))
    .default(1),
  pageSize: z.coerce
    .number()
    .int()
    .catch(20)
    .transform((size) => Math.min(MAX_PAGE_SIZE, Math.max(1, size)))
    .default(20),
}

/** Paging fields of every list's answer. */
export const pageOutput = {
  returned: z.number().int(),
  page: z.number().int(),
  pageSize: z.number().int(),
  total: z.number().int(),
}
