import type { PresentSession } from "../agents/presence.ts"
import type { Seat } from "./painter.ts"
import { type Floor, lookOf, placeOf, postureOf } from "./scene.ts"

/** What every desk of the room shows; those without anybody stand there too. */
export function seatsOf(
  people: readonly { readonly session: PresentSession; readonly agent: { readonly uuid: string } }[],
  taken: ReadonlyMap<string, number>,
  joyful: ReadonlySet<string>,
  floor: Floor,
): Seat[] {
  const sitting = new Map(people.map((person) => [taken.get(person.session.uuid), person]))
  return Array.from({ length: floor.columns * floor.rows }, (_, at) => {
    const person = sitting.get(at)
    const place = placeOf(at, floor)
    return person === undefined
      ? { key: `free ${at}`, ...place, look: NOBODY, posture: "away", seed: 0 }
      : seatOf(person.session, person.agent.uuid, joyful.has(person.session.uuid), place)
  })
}

const NOBODY = { shirt: 0, hair: 0, skin: 0 }

function seatOf(
  session: PresentSession,
  agentUuid: string,
  joyful: boolean,
  { x, y }: { readonly x: number; readonly y: number },
): Seat {
  const look = lookOf(session.uuid, agentUuid)
  return {
    key: session.uuid,
    x,
    y,
    look,
    posture: postureOf(session, joyful),
    seed: look.shirt * 3 + look.hair + look.skin,
  }
}
