import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { useText } from "../i18n/language.ts"
import { Painter } from "./painter.ts"
import { CELL_HEIGHT, CELL_WIDTH, floorFor, placeOf, SCALE, seating, WALL_HEIGHT } from "./scene.ts"
import { seatsOf } from "./seats.ts"
import type { Palette } from "./sprites.ts"
import { type Occupant, SeatLabel } from "./SeatLabel.tsx"

/** Eight pictures a second are enough to see somebody type, and light on the machine. */
const TICK_MS = 125

interface FloorProps {
  readonly people: readonly Occupant[]
  readonly joyful: ReadonlySet<string>
}

/** The room itself: a small canvas shown large, names over it as text. It stands still while nobody looks. */
export function Floor({ people, joyful }: FloorProps) {
  const text = useText()
  const room = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const painter = useRef<Painter>(undefined)
  const [width, setWidth] = useState(0)
  const [theme, setTheme] = useState(currentTheme)
  const taken = useRef<ReadonlyMap<string, number>>(new Map())
  const seatOfPerson = useMemo(
    () =>
      (taken.current = seating(
        taken.current,
        people.map(({ session }) => session.uuid),
      )),
    [people],
  )
  const floor = floorFor(Math.max(0, ...seatOfPerson.values()) + 1, width)
  const seats = useMemo(
    () => seatsOf(people, seatOfPerson, joyful, { columns: floor.columns, rows: floor.rows }),
    [people, seatOfPerson, joyful, floor.columns, floor.rows],
  )
  const size = `${floor.columns} ${floor.rows} ${theme}`
  const painted = useRef<string>(undefined)

  useLayoutEffect(() => {
    if (room.current === null) return
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    watch.observe(room.current)
    const themes = new MutationObserver(() => setTheme(currentTheme()))
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    return () => {
      watch.disconnect()
      themes.disconnect()
    }
  }, [])

  useLayoutEffect(() => {
    const ctx = canvas.current?.getContext("2d", { alpha: false })
    if (ctx === null || ctx === undefined || width === 0) return
    const anew = painted.current !== size
    if (anew) painter.current = new Painter(ctx, paletteNow())
    painted.current = size
    painter.current?.seat(seats, anew)
  }, [seats, size, width])

  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined
    const look = () => {
      clearInterval(timer)
      if (document.visibilityState === "visible") timer = setInterval(() => painter.current?.tick(), TICK_MS)
    }
    look()
    document.addEventListener("visibilitychange", look)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", look)
    }
  }, [])

  return (
    <div ref={room} className="w-full">
      <div
        className="relative mx-auto overflow-hidden rounded-xl border border-line"
        style={{ width: floor.columns * CELL_WIDTH * SCALE, height: (WALL_HEIGHT + floor.rows * CELL_HEIGHT) * SCALE }}
      >
        <canvas
          ref={canvas}
          aria-hidden
          width={floor.columns * CELL_WIDTH}
          height={WALL_HEIGHT + floor.rows * CELL_HEIGHT}
          className="absolute inset-0 size-full"
          style={{ imageRendering: "pixelated" }}
        />
        <ul aria-label={text("office.people")}>
          {people.map((person) => {
            const { x, y } = placeOf(seatOfPerson.get(person.session.uuid) ?? 0, floor)
            return (
              <SeatLabel
                key={person.session.uuid}
                person={person}
                joyful={joyful.has(person.session.uuid)}
                left={x * SCALE}
                top={y * SCALE}
              />
            )
          })}
        </ul>
      </div>
    </div>
  )
}

function currentTheme(): string {
  return document.documentElement.dataset["theme"] ?? "light"
}

function paletteNow(): Palette {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const dark = currentTheme() === "dark"
  return {
    floor: dark ? "#22242b" : "#e9e6e1",
    tile: dark ? "#25272f" : "#edeae6",
    wall: dark ? "#1a1c22" : "#dfe3ea",
    trim: dark ? "#3a3d46" : "#b9bfca",
    glass: dark ? "#24344f" : "#bfe0f5",
    leaf: dark ? "#3f7a52" : "#5fa86f",
    seam: dark ? "#1b1d23" : "#d8d3cc",
    desk: dark ? "#7a5f45" : "#d9b48a",
    deskEdge: dark ? "#5e4833" : "#b98f63",
    deskLeg: dark ? "#3b3f4a" : "#8d93a1",
    laptop: dark ? "#aab0bd" : "#5b606c",
    screen: dark ? "#a5d8ff" : "#7cc4ff",
    ink: colour("--muted"),
    alert: colour("--waiting"),
    dark,
  }
}
