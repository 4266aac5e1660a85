import { CELL_HEIGHT, CELL_WIDTH, frameOf, type Look, type Posture } from "./scene.ts"
import { drawCell, drawWall, type Palette } from "./sprites.ts"

export interface Seat {
  readonly key: string
  readonly x: number
  readonly y: number
  readonly look: Look
  readonly posture: Posture
  readonly seed: number
}

/** Paints the office and afterwards only the desks whose picture changed; each picture is drawn once and kept. */
export class Painter {
  readonly #ctx: CanvasRenderingContext2D
  readonly #palette: Palette
  readonly #pictures = new Map<string, OffscreenCanvas>()
  readonly #shown = new Map<string, string>()
  #seats: readonly Seat[] = []
  #tick = 0

  constructor(ctx: CanvasRenderingContext2D, palette: Palette) {
    this.#ctx = ctx
    this.#palette = palette
  }

  /** Who sits where; an unchanged desk is not painted again. */
  seat(seats: readonly Seat[], anew: boolean): void {
    this.#seats = seats
    if (anew) {
      this.#shown.clear()
      this.#ctx.fillStyle = this.#palette.floor
      this.#ctx.fillRect(0, 0, this.#ctx.canvas.width, this.#ctx.canvas.height)
      drawWall(this.#ctx, this.#palette, this.#ctx.canvas.width)
    }
    this.#paint()
  }

  tick(): void {
    this.#tick++
    this.#paint()
  }

  #paint(): void {
    for (const { x, y, look, posture, seed } of this.#seats) {
      const frame = frameOf(posture, this.#tick, seed)
      const picture = `${look.shirt} ${look.hair} ${look.skin} ${posture} ${frame}`
      const place = `${x} ${y}`
      if (this.#shown.get(place) === picture) continue
      this.#shown.set(place, picture)
      this.#ctx.drawImage(this.#picture(picture, look, posture, frame), x, y)
    }
  }

  #picture(key: string, look: Look, posture: Posture, frame: number): OffscreenCanvas {
    const known = this.#pictures.get(key)
    if (known !== undefined) return known
    const made = new OffscreenCanvas(CELL_WIDTH, CELL_HEIGHT)
    const ctx = made.getContext("2d")
    if (ctx !== null) drawCell(ctx, this.#palette, look, posture, frame)
    this.#pictures.set(key, made)
    return made
  }
}
