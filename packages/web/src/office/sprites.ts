import { CELL_HEIGHT, CELL_WIDTH, type Look, type Posture, WALL_HEIGHT } from "./scene.ts"

export interface Palette {
  readonly floor: string
  readonly tile: string
  readonly wall: string
  readonly trim: string
  readonly glass: string
  readonly leaf: string
  readonly seam: string
  readonly desk: string
  readonly deskEdge: string
  readonly deskLeg: string
  readonly laptop: string
  readonly screen: string
  readonly ink: string
  readonly alert: string
  readonly dark: boolean
}

const SHIRTS = ["#c2612e", "#b08a1e", "#6d9a2c", "#2a9d76", "#2b8ab5", "#5c72d6", "#9a5bd0", "#cf5590"]
const HAIR = ["#2b211c", "#5b3a21", "#8c5a2b", "#c9a25a", "#6b6f7a"]
const SKIN = ["#f6d2b3", "#e0ac82", "#b97f55", "#8a5a3a"]
const CONFETTI = ["#e5484d", "#f0b35c", "#66cf94", "#78aef9", "#d0a3f5"]

/** Draws one desk with its person into a cell whose corner is at 0, 0. */
export function drawCell(
  ctx: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  palette: Palette,
  look: Look,
  posture: Posture,
  frame: number,
): void {
  const box = (colour: string, x: number, y: number, width: number, height: number) => {
    ctx.fillStyle = colour
    ctx.fillRect(x, y, width, height)
  }
  const shirt = SHIRTS[look.shirt] ?? "#888"
  const hair = HAIR[look.hair] ?? "#333"
  const skin = SKIN[look.skin] ?? "#e0ac82"
  const lively = posture === "typing" || posture === "asking" || posture === "celebrating"

  box(palette.floor, 0, 0, CELL_WIDTH, CELL_HEIGHT)
  for (let y = 0; y < CELL_HEIGHT; y += 23) box(palette.tile, (y / 23) % 2 === 0 ? 0 : 22, y, 22, 23)
  box(palette.seam, 8, 39, 28, 1)

  // The chair's back, then the person in front of it, then the desk in front of both.
  box(palette.deskLeg, 16, 15, 12, 12)
  if (posture === "away") {
    desk()
    return
  }
  const lift = posture === "celebrating" ? ([0, 2, 3, 1][frame] ?? 0) : 0
  const bob = posture === "typing" && frame % 2 === 1 ? 1 : 0
  const slump = posture === "asleep" ? 6 : posture === "resting" ? 1 : 0
  const head = 6 + bob + slump - lift
  if (posture !== "asleep") {
    box(shirt, 15, 17 - lift + (posture === "resting" ? 1 : 0), 14, 11)
    box(shirt, 16, 16 - lift + (posture === "resting" ? 1 : 0), 12, 1)
  } else {
    box(shirt, 14, 20, 16, 8)
  }
  arms()
  box(skin, 20, head + 8, 4, 3)
  box(skin, 17, head + 1, 10, 8)
  box(hair, 16, head - 1, 12, 3)
  box(hair, 16, head + 2, 1, look.hair % 2 === 0 ? 5 : 2)
  box(hair, 27, head + 2, 1, look.hair % 2 === 0 ? 5 : 2)
  if (look.hair % 3 === 0) box(hair, 18, head - 2, 8, 1)
  eyes()
  desk()
  bubble()

  function arms(): void {
    if (posture === "asking") {
      box(shirt, 29, 9 + frame, 3, 9)
      box(skin, 29, 6 + frame, 3, 3)
      box(shirt, 13, 19, 2, 6)
    } else if (posture === "celebrating") {
      const wave = frame % 2
      box(shirt, 11 + wave, 10 - lift, 3, 9)
      box(skin, 11 + wave, 7 - lift, 3, 3)
      box(shirt, 30 - wave, 10 - lift, 3, 9)
      box(skin, 30 - wave, 7 - lift, 3, 3)
    } else if (posture !== "asleep") {
      box(shirt, 13, 19, 2, 7)
      box(shirt, 29, 19, 2, 7)
    }
  }

  function eyes(): void {
    const open = lively || (posture === "resting" && frame === 0)
    if (open) {
      box(palette.dark ? "#15161a" : "#22242b", 19, head + 4, 2, 2)
      box(palette.dark ? "#15161a" : "#22242b", 23, head + 4, 2, 2)
    } else {
      box(hair, 19, head + 5, 2, 1)
      box(hair, 23, head + 5, 2, 1)
    }
    if (posture === "celebrating") box("#b5483a", 20, head + 7, 4, 1)
  }

  function desk(): void {
    box(palette.desk, 4, 28, 36, 4)
    box(palette.deskEdge, 4, 32, 36, 1)
    box(palette.deskLeg, 6, 33, 2, 6)
    box(palette.deskLeg, 36, 33, 2, 6)
    box(palette.laptop, 15, 23, 14, 7)
    box(lively ? palette.screen : palette.deskLeg, 21, 26, 2, 1)
    if (posture === "away") return
    if (posture === "typing") {
      box(palette.screen, 15, 22, 14, 1)
      box(skin, 12, 27 - (frame === 0 || frame === 3 ? 1 : 0), 3, 2)
      box(skin, 29, 27 - (frame === 1 || frame === 2 ? 1 : 0), 3, 2)
    } else if (posture !== "celebrating" && posture !== "asking") {
      box(skin, 12, 27, 3, 2)
      box(skin, 29, 27, 3, 2)
    }
    box("#d8d8de", 34, 25, 3, 3)
    box("#d8d8de", 37, 26, 1, 1)
    if (posture === "resting") box(palette.seam, frame === 0 ? 35 : 36, 22, 1, 2)
  }

  function bubble(): void {
    if (posture === "asking") {
      box(palette.alert, 34, 2, 6, 9)
      box("#ffffff", 36, 3, 2, 4)
      box("#ffffff", 36, 8, 2, 2)
    }
    if (posture === "asleep") {
      const [x, y] = frame === 0 ? [30, 8] : [32, 5]
      box(palette.ink, x, y, 4, 1)
      box(palette.ink, x + 2, y + 1, 1, 1)
      box(palette.ink, x + 1, y + 2, 1, 1)
      box(palette.ink, x, y + 3, 4, 1)
    }
    if (posture === "celebrating") {
      CONFETTI.forEach((colour, at) => {
        box(colour, 6 + ((at * 8 + frame * 3) % 34), 2 + ((at * 5 + frame * 4) % 14), 1, 1)
        box(colour, 4 + ((at * 11 + frame * 5) % 36), 1 + ((at * 7 + frame * 3) % 12), 1, 1)
      })
    }
  }
}

/** The wall along the top: windows, a board with notes, plants. */
export function drawWall(ctx: CanvasRenderingContext2D, palette: Palette, width: number): void {
  const box = (colour: string, x: number, y: number, wide: number, high: number) => {
    ctx.fillStyle = colour
    ctx.fillRect(x, y, wide, high)
  }
  box(palette.wall, 0, 0, width, WALL_HEIGHT)
  box(palette.trim, 0, WALL_HEIGHT - 2, width, 2)
  for (let x = 8, at = 0; x + 32 < width; x += 44, at++) {
    if (at % 3 === 1) board(x)
    else window(x)
    if (at % 2 === 0) plant(x + 34)
  }

  function window(x: number): void {
    box(palette.trim, x, 4, 26, 15)
    box(palette.glass, x + 1, 5, 24, 13)
    box(palette.trim, x + 12, 5, 2, 13)
    box("#ffffff55", x + 3, 7, 3, 1)
    box("#ffffff55", x + 4, 8, 4, 1)
  }

  function board(x: number): void {
    box(palette.trim, x, 4, 28, 15)
    box(palette.dark ? "#2a2d35" : "#ffffff", x + 1, 5, 26, 13)
    CONFETTI.forEach((colour, note) => box(colour, x + 3 + note * 5, 7 + (note % 2) * 5, 3, 3))
  }

  function plant(x: number): void {
    box(palette.leaf, x, 12, 6, 6)
    box(palette.leaf, x + 1, 10, 2, 3)
    box(palette.leaf, x + 4, 9, 2, 4)
    box(palette.deskEdge, x + 1, 18, 4, 6)
  }
}
