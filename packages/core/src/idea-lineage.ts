/** A node of a forest, by its own and its parent's id. */
export interface Descendant {
  readonly uuid: string
  readonly parentUuid: string | null
}

/** Whether making `parentUuid` the parent of `uuid` would close a circle; `parentOf` knows the links as they are. */
export function closesCircle(
  uuid: string,
  parentUuid: string,
  parentOf: (uuid: string) => string | null | undefined,
): boolean {
  const seen = new Set<string>()
  for (
    let at: string | null | undefined = parentUuid;
    at !== null && at !== undefined && !seen.has(at);
    at = parentOf(at)
  ) {
    if (at === uuid) return true
    seen.add(at)
  }
  return false
}

/** Parents before children, siblings in the order given; a row whose parent is missing stands as a root. */
export function asForest<Row extends Descendant>(
  rows: readonly Row[],
): (Row & { depth: number; childUuids: string[] })[] {
  const known = new Set(rows.map((row) => row.uuid))
  const under = new Map<string | null, Row[]>()
  for (const row of rows) {
    const parent = row.parentUuid !== null && known.has(row.parentUuid) ? row.parentUuid : null
    const siblings = under.get(parent)
    if (siblings === undefined) under.set(parent, [row])
    else siblings.push(row)
  }
  const walk = (parent: string | null, depth: number): (Row & { depth: number; childUuids: string[] })[] =>
    (under.get(parent) ?? []).flatMap((row) => [
      { ...row, depth, childUuids: (under.get(row.uuid) ?? []).map((child) => child.uuid) },
      ...walk(row.uuid, depth + 1),
    ])
  return walk(null, 0)
}
