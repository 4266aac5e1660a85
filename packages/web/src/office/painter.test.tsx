import { describe, expect, it } from "vitest"
import { Painter, type Seat } from "./painter.ts"
import { CELL_HEIGHT, CELL_WIDTH, type Posture, WALL_HEIGHT } from "./scene.ts"
import { drawCell, drawWall, type Palette } from "./sprites.ts"

const COLOURS = [
  "floor",
  "tile",
  "wall",
  "trim",
  "glass",
  "leaf",
  "seam",
  "desk",
  "deskEdge",
  "deskLeg",
  "laptop",
  "screen",
  "ink",
  "alert",
] as const
const palette = {
  ...Object.fromEntries(COLOURS.map((name, at) => [name, `rgb(${at + 1}, 0, 0)`])),
  dark: false,
} as unknown as Palette
const look = { shirt: 1, hair: 2, skin: 3 }

function canvas(width = CELL_WIDTH * 2, height = WALL_HEIGHT + CELL_HEIGHT): CanvasRenderingContext2D {
  const ctx = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", {
    willReadFrequently: true,
  })
  if (ctx === null) throw new Error("this browser draws nothing")
  return ctx
}

const pixels = (ctx: CanvasRenderingContext2D, x = 0, y = 0, width = ctx.canvas.width, height = ctx.canvas.height) =>
  ctx.getImageData(x, y, width, height).data.join()
const colourAt = (ctx: CanvasRenderingContext2D, x: number, y: number) =>
  ctx.getImageData(x, y, 1, 1).data.slice(0, 3).join(" ")
const seat = (at: number, posture: Posture): Seat => ({
  key: String(at),
  x: at * CELL_WIDTH,
  y: WALL_HEIGHT,
  look,
  posture,
  seed: 0,
})

function picture(posture: Posture, frame = 0, face = look): string {
  const ctx = canvas(CELL_WIDTH, CELL_HEIGHT)
  drawCell(ctx, palette, face, posture, frame)
  return pixels(ctx)
}

describe("a desk", () => {
  const POSTURES: readonly Posture[] = ["typing", "resting", "asking", "celebrating", "asleep", "away"]

  it("looks different for everything one can do there", () => {
    expect(new Set(POSTURES.map((posture) => picture(posture))).size).toBe(6)
  })

  it.each([
    ["typing", 4],
    ["resting", 2],
    ["asking", 2],
    ["celebrating", 4],
    ["asleep", 2],
  ] as const)("with somebody %s has %i pictures, each another", (posture, count) => {
    expect(new Set(Array.from({ length: count }, (_, frame) => picture(posture, frame))).size).toBe(count)
  })

  it("covers its whole cell, so that nothing of the picture before shines through", () => {
    const ctx = canvas(CELL_WIDTH, CELL_HEIGHT)
    drawCell(ctx, palette, look, "away", 0)
    expect(
      ctx
        .getImageData(0, 0, CELL_WIDTH, CELL_HEIGHT)
        .data.filter((_, at) => at % 4 === 3)
        .every((alpha) => alpha === 255),
    ).toBe(true)
  })

  it("shows who sits there by shirt, hair and skin, and nobody where nobody is", () => {
    const faces = [look, { ...look, shirt: 5 }, { ...look, hair: 0 }, { ...look, skin: 0 }]
    expect(new Set(faces.map((face) => picture("typing", 0, face))).size).toBe(4)
    expect(new Set(faces.map((face) => picture("away", 0, face))).size).toBe(1)
  })

  it("still draws a look nobody foresaw", () => {
    expect(picture("typing", 0, { shirt: 99, hair: 99, skin: 99 })).not.toBe(picture("away"))
  })

  it("marks a raised hand in the colour of what waits", () => {
    const ctx = canvas(CELL_WIDTH, CELL_HEIGHT)
    drawCell(ctx, palette, look, "asking", 0)
    expect(colourAt(ctx, 34, 2)).toBe("14 0 0")
  })
})

describe("the wall", () => {
  it("goes along the whole room and not a pixel below", () => {
    const ctx = canvas(400, WALL_HEIGHT + 10)
    drawWall(ctx, palette, 400)
    expect(colourAt(ctx, 399, WALL_HEIGHT - 1)).toBe("4 0 0")
    expect(ctx.getImageData(0, WALL_HEIGHT, 400, 10).data.every((value) => value === 0)).toBe(true)
  })
})

describe("the painter", () => {
  it("paints wall and desks anew, and afterwards only what changed", () => {
    const ctx = canvas()
    const painter = new Painter(ctx, palette)
    painter.seat([seat(0, "away"), seat(1, "away")], true)
    expect(colourAt(ctx, 0, 0)).toBe("3 0 0")
    ctx.fillStyle = "rgb(0, 200, 0)"
    ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height)
    painter.seat([seat(0, "away"), seat(1, "resting")], false)
    expect(colourAt(ctx, 5, WALL_HEIGHT + 5)).toBe("0 200 0")
    expect(colourAt(ctx, CELL_WIDTH + 5, WALL_HEIGHT + 5)).not.toBe("0 200 0")
    painter.seat([seat(0, "away"), seat(1, "resting")], true)
    expect(colourAt(ctx, 5, WALL_HEIGHT + 5)).not.toBe("0 200 0")
  })

  it("moves who types with every tick and leaves who rests in peace", () => {
    const ctx = canvas()
    const painter = new Painter(ctx, palette)
    painter.seat([seat(0, "typing"), seat(1, "resting")], true)
    const desk = (at: number) => pixels(ctx, at * CELL_WIDTH, WALL_HEIGHT, CELL_WIDTH, CELL_HEIGHT)
    const [typing, resting] = [desk(0), desk(1)]
    painter.tick()
    expect(desk(0)).not.toBe(typing)
    expect(desk(1)).toBe(resting)
    for (let tick = 1; tick < 4; tick++) painter.tick()
    expect(desk(0)).toBe(typing)
  })

  it("draws each picture once, however often it is shown", () => {
    const made: unknown[] = []
    const Real = globalThis.OffscreenCanvas
    globalThis.OffscreenCanvas = class extends Real {
      constructor(width: number, height: number) {
        super(width, height)
        made.push(this)
      }
    }
    try {
      const painter = new Painter(canvas(), palette)
      painter.seat([seat(0, "typing"), seat(1, "typing")], true)
      for (let tick = 0; tick < 40; tick++) painter.tick()
      expect(made).toHaveLength(4)
    } finally {
      globalThis.OffscreenCanvas = Real
    }
  })
})
