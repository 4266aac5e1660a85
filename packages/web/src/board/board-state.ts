import { createContext } from "react"
import type { ColumnId, Task } from "./columns.ts"
import type { CardMark } from "./Card.tsx"
import type { BoardStay } from "./follow-board.ts"

export interface Drag {
  readonly task: Task
  readonly over: ColumnId | undefined
}

/** What columns and lanes need of the board around them. */
export interface BoardState {
  readonly staysOf: ReadonlyMap<string, readonly BoardStay[]>
  /** What a person sees of a card before all else. */
  readonly marks: ReadonlyMap<string, CardMark>
  readonly drag: Drag | undefined
  /** The card that Tab reaches. */
  readonly tabbable: string | undefined
  /** A card that is to be scrolled to and focused; a new object asks again. */
  readonly focus: { readonly uuid: string } | undefined
}

export const BoardContext = createContext<BoardState>({
  staysOf: new Map(),
  marks: new Map(),
  drag: undefined,
  tabbable: undefined,
  focus: undefined,
})
