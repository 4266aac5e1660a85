import type { Store, Unit } from "@chorus/store"

const DAY_MS = 86_400_000
const PLAUSIBLE_MS = 3 * DAY_MS
/** A clock that says less has not been set since its machine was switched on. */
const EARLIEST = Date.parse("2026-01-01T00:00:00.000Z")
/** So what a machine that was off is behind is made up for some day, and a wrong clock gains next to nothing. */
const PACE = 2
const NAME = "housekeeping"

export interface Moment {
  /** What the clock says, which somebody may set. */
  readonly wall: number
  /** What has passed for this process, which nobody can. */
  readonly steady: number
}

/**
 * By what time what is old is judged, as a clock set a year ahead would make everything old. How far this time has come is
 * kept in the store, so that no restart makes a clock more believable. It follows the clock as long as that is at most
 * three days ahead of it, and else goes on by itself, twice as fast as time really passes.
 */
export class TrustedTime {
  readonly #store: Store
  #last: { readonly time: number; readonly steady: number } | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Nothing when the clock cannot be right at all; and by how much it seems to be ahead. */
  async at({ wall, steady }: Moment): Promise<{ readonly time: number; readonly ahead: number } | undefined> {
    if (wall < EARLIEST) return
    const last = this.#last
    const ran = last === undefined ? EARLIEST : last.time + PACE * (steady - last.steady)
    const reached = await this.#store.write(async (unit) => {
      const kept = (await keptIn(unit)) ?? wall
      // Several servers each know how long they ran; only the furthest of them counts.
      const passed = Math.max(kept, ran)
      const time = Math.max(kept, wall - passed <= PLAUSIBLE_MS ? wall : passed)
      await keep(unit, time)
      return time
    })
    this.#last = { time: reached, steady }
    return { time: Math.min(reached, wall), ahead: Math.max(0, wall - reached) }
  }
}

/** A store from before this was so has come as far as what was last written. */
async function keptIn({ db }: Unit): Promise<number | undefined> {
  const kept = await db.selectFrom("clocks").select("at").where("name", "=", NAME).executeTakeFirst()
  if (kept !== undefined) return Date.parse(kept.at)
  const times: number[] = []
  for (const { uuid } of await db.selectFrom("workspaces").select("uuid").execute()) {
    const newest = await db
      .selectFrom("events")
      .select("at")
      .where("workspaceUuid", "=", uuid)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    if (newest !== undefined) times.push(Date.parse(newest.at))
  }
  const newest = Math.max(...times)
  return newest < EARLIEST ? undefined : newest
}

async function keep({ db }: Unit, time: number): Promise<void> {
  const at = new Date(time).toISOString()
  await db
    .insertInto("clocks")
    .values({ name: NAME, at })
    .onConflict((known) => known.column("name").doUpdateSet({ at }).where("clocks.at", "<", at))
    .execute()
}
