interface Page {
  readonly page: number
  readonly pageSize: number
}

const PAGE_SIZE = 100

/** Reads a list to its end. */
export async function everyPage<Row>(
  read: (page: Page) => Promise<{ rows: readonly Row[]; total: number }>,
): Promise<Row[]> {
  const all: Row[] = []
  for (let page = 1; ; page++) {
    const { rows, total } = await read({ page, pageSize: PAGE_SIZE })
    all.push(...rows)
    if (rows.length === 0 || all.length >= total) return all
  }
}
