export interface Place {
  readonly x: number
  readonly y: number
}

export const NODE_WIDTH = 220
export const NODE_HEIGHT = 68
export const GAP = 24
