import { type ColumnId, type Columns, COLUMNS } from "./columns.ts"

export type Direction = "up" | "down" | "left" | "right"

/** The card next to this one in a direction; sideways, the nearest row of the next column that has cards. */
export function cardBeside(columns: Columns, uuid: string | undefined, direction: Direction): string | undefined {
  const place = placeOf(columns, uuid)
  if (place === undefined) return firstCard(columns)
  const { column, row } = place
  if (direction === "up") return columns[column][Math.max(0, row - 1)]?.uuid
  if (direction === "down") return columns[column][Math.min(columns[column].length - 1, row + 1)]?.uuid
  const next = columnBeside(column, direction, (id) => columns[id].length > 0)
  if (next === undefined) return uuid
  return columns[next][Math.min(row, columns[next].length - 1)]?.uuid
}

/** The next column in a direction that fits. */
export function columnBeside(
  column: ColumnId,
  direction: "left" | "right",
  fits: (id: ColumnId) => boolean = () => true,
): ColumnId | undefined {
  const step = direction === "left" ? -1 : 1
  const from = COLUMNS.findIndex(({ id }) => id === column)
  for (let at = from + step; at >= 0 && at < COLUMNS.length; at += step) {
    const id = COLUMNS[at]?.id
    if (id !== undefined && fits(id)) return id
  }
  return undefined
}

export function firstCard(columns: Columns): string | undefined {
  return COLUMNS.map(({ id }) => columns[id][0]?.uuid).find((uuid) => uuid !== undefined)
}

function placeOf(
  columns: Columns,
  uuid: string | undefined,
): { readonly column: ColumnId; readonly row: number } | undefined {
  for (const { id } of COLUMNS) {
    const row = columns[id].findIndex((task) => task.uuid === uuid)
    if (row >= 0) return { column: id, row }
  }
  return undefined
}
