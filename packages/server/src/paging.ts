export interface PageInput {
  readonly page: number
  readonly pageSize: number
}

export function offsetOf({ page, pageSize }: PageInput): number {
  return (page - 1) * pageSize
}

/** The paging fields of a list's answer. */
export function pageOf(input: PageInput, returned: number, total: number) {
  return { returned, page: input.page, pageSize: input.pageSize, total }
}
