import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openSqliteStore, eventsAfter } from "@chorus/store"
import { expect, it } from "vitest"
import { waitFor } from "@chorus/testing"
import { openHouse, TARGETS } from "./house.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
const KILLS = STRESS ? 200 : 3

it(
  `kill -9 of server, listener, members and hooks in turn and by chance (${KILLS}): nothing acknowledged is lost, everything happened once`,
  { timeout: STRESS ? 3_600_000 : 300_000 },
  async () => {
    const seed = Number(process.env["CHORUS_SEED"] ?? Date.now() % 1_000_000)
    const random = dice(seed)
    await using house = await openHouse()
    const killed: Record<string, number> = {}
    for (let kill = 0; kill < KILLS; kill++) {
      // Everybody has their turn; who is next and when is chance.
      const target = kill < TARGETS.length ? (TARGETS[kill] ?? "server") : (TARGETS[random(TARGETS.length)] ?? "server")
      await house.progress()
      await new Promise((wake) => setTimeout(wake, random(150)))
      await house.kill(target)
      killed[target] = (killed[target] ?? 0) + 1
    }
    await house.progress()
    await house.finish()
    const { projects, letters, hooks, positions } = house.promised

    // The board: what was answered is there, and a reader that was cut off saw each event once and in order.
    const store = await openSqliteStore(join(house.data, "chorus.sqlite"))
    const names = (await store.db.selectFrom("projects").select("name").execute()).map(({ name }) => name)
    const { uuid } = await store.db.selectFrom("workspaces").select("uuid").executeTakeFirstOrThrow()
    const log = (await eventsAfter(store.db, uuid, 0, 1_000_000)).map(({ id }) => id)
    const ended = await store.db
      .selectFrom("sessions")
      .select(["lastWords", "status"])
      .where("parentUuid", "is not", null)
      .execute()
    await store.close()
    expect([...projects].filter((name) => !names.includes(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    expect(log).toEqual(log.map((_, at) => at + 1))
    expect(positions).toEqual(log.slice(log.length - positions.length))

    // The hooks: each end of a sub-agent that a hook took was told once, however often the server and the hook itself died.
    const words = ended.filter(({ status }) => status === "closed").map(({ lastWords }) => lastWords ?? "")
    expect([...hooks].filter((said) => !words.includes(said))).toEqual([])
    expect(new Set(words).size).toBe(words.length)
    expect(house.spooled()).toEqual([])

    // The team: each letter lies in one place once, and each was answered.
    const answers = [...house.team.history("team-lead"), ...(await house.team.inbox("team-lead"))]
      .map(({ entry }) => entry.text)
      .join("\n")
    for (const [member, sent] of Object.entries(letters)) {
      const lying = new Map(
        [...house.team.history(member), ...(await house.team.inbox(member))].map(({ id, entry }) => [id, entry.text]),
      )
      expect([...lying.values()].toSorted()).toEqual([...sent].toSorted())
      expect([...sent].filter((text) => !answers.includes(text))).toEqual([])
    }

    // No file is torn, no lock is left, no process is left behind.
    for (const file of house.jsonFiles())
      expect(() => JSON.parse(readFileSync(file, "utf8")) as unknown, file).not.toThrow()
    expect(
      readdirSync(house.root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock")),
    ).toEqual([])
    await waitFor(
      () => house.processes().length === 0,
      60_000,
      () => `these to end: ${house.processes().join("\n")}`,
    )
    console.log(
      `seed ${seed}: ${Object.entries(killed)
        .map(([name, times]) => `${name} ${times}`)
        .join(
          ", ",
        )}; ${projects.size} changes, ${Object.values(letters).reduce((sum, sent) => sum + sent.size, 0)} letters, ${hooks.size} hooks acknowledged; 0 lost, 0 twice, 0 torn`,
    )
  },
)

/** Whole numbers below `sides`, the same for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 9) % sides
  }
}
