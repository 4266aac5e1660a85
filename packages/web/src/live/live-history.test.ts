import type { Positioned } from "@chorus/client"
import type { LogEvent, UnknownEvent } from "@chorus/contracts"
import { array, assert, asyncProperty, constantFrom, nat, record } from "fast-check"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { type Amendment, type Follow, LiveStore } from "./live-store.ts"

const HISTORIES = 10_000
const LEFT = ["a", "b"]
const RIGHT = ["c", "d"]
/** The total of a list that the page has amended; none is that long. */
const AMENDED = 1000

interface Row {
  readonly uuid: string
  readonly status: "open" | "closed"
  readonly title: number
}

/** Two lists of open rows, each read by a question of its own. */
interface Board {
  readonly left: List
  readonly right: List
}

interface List {
  readonly rows: readonly Row[]
  readonly total: number
}

/** As the page's own rules do: merges, adds, drops, counts what it adds and drops, and asks where an event does not say enough. */
const follow: Follow<Board> = {
  apply(board, event) {
    const side = LEFT.includes(event.entityUuid) ? "left" : "right"
    const list = listAfter(board[side], event)
    return list && (list === board[side] ? board : { ...board, [side]: list })
  },
}

function listAfter(list: List, { entityUuid, action, ...event }: LogEvent): List | undefined {
  const patch = event.patch as Partial<Row>
  const known = list.rows.find(({ uuid }) => uuid === entityUuid)
  if (known === undefined && action === "updated") return patch.status === "open" ? undefined : list
  const row = action === "deleted" ? undefined : ({ ...known, ...patch } as Row)
  const others = list.rows.filter((other) => other !== known)
  const rows = row?.status === "open" ? [...others, row] : others
  return { rows, total: list.total + rows.length - list.rows.length }
}

/** What the operation answers to one of its questions at this moment. */
function readList(rows: ReadonlyMap<string, Row>, uuids: readonly string[]): List {
  const open = uuids.flatMap((uuid) => rows.get(uuid) ?? []).filter(({ status }) => status === "open")
  return { rows: open, total: open.length }
}

/** A server with a log, a page that follows it, and between them a network on which everything takes as long as it likes. */
class Stage {
  readonly store = new LiveStore()
  readonly #rows = new Map<string, Row>()
  readonly #log: LogEvent[] = []
  /** The rows as they were at each position. */
  readonly #past: ReadonlyMap<string, Row>[] = [new Map()]
  /** The page may show nothing older than the answers it has taken and the changes it was told of. */
  #floor = 0
  /** Behind a gap, what is on show lacks something until it has been loaded again. */
  #blind = false
  /** The only load that the page still waits for. */
  #latest: PromiseWithResolvers<Positioned<unknown>> | undefined
  readonly #hidden = new Set<number>()
  #pinned = 0
  #told = 0
  /** Reads under way: which place in the log each began at and which lists it has read. */
  #reads: { position?: number; left?: List; right?: List; give: PromiseWithResolvers<Positioned<unknown>> }[] = []
  #pins: { pinned?: number; give: PromiseWithResolvers<Positioned<unknown>> }[] = []
  #acts: { key: string; act(): Outcome; outcome?: Outcome; amendment: Amendment }[] = []

  constructor() {
    const read = () => {
      const promise = asked(this.#reads)
      this.#latest = this.#reads.at(-1)?.give
      return promise
    }
    this.store.keep("board", read, follow as Follow<unknown>, nothing)
    this.store.keep("pins", () => asked(this.#pins), undefined, nothing)
  }

  /** One step of the history; `n` chooses among what there is. */
  readonly steps: Record<string, (n: number) => void> = {
    change: (n) => void this.#change(n),
    hear: (n) => {
      const events = this.#log.slice(this.#told, this.#told + 1 + (n % 3))
      this.#told += events.length
      const seen = events.filter(({ id }) => !this.#hidden.has(id))
      if (seen.length > 0) this.store.apply(...seen)
    },
    reload: () => this.store.reload("board"),
    read: (n) => {
      const pin = this.#pins.find(({ pinned }) => pinned === undefined)
      if (pin !== undefined && n % 2 === 0) pin.pinned = this.#pinned
      const read = one(
        this.#reads.filter(({ right }) => right === undefined),
        n,
      )
      if (read === undefined) return
      if (read.position === undefined) read.position = this.#log.length
      else if (read.left === undefined) read.left = readList(this.#rows, LEFT)
      else read.right = readList(this.#rows, RIGHT)
    },
    answer: (n) => {
      const pin = one(
        this.#pins.filter(({ pinned }) => pinned !== undefined),
        n,
      )
      if (pin !== undefined) {
        this.#pins = this.#pins.filter((other) => other !== pin)
        pin.give.resolve({ answer: pin.pinned, position: this.#log.length })
      }
      const read = one(
        this.#reads.filter(({ right }) => right !== undefined),
        n,
      )
      if (read === undefined) return
      const { position = 0, left, right, give } = read
      if (give === this.#latest) {
        this.#floor = Math.max(this.#floor, position)
        this.#blind = false
      }
      this.#reads = this.#reads.filter((other) => other !== read)
      give.resolve({ answer: { left, right }, position })
    },
    act: (n) => {
      if (n % 4 === 0) {
        const amendment = this.store.amend("pins", () => n)
        const pin = () => {
          this.#pinned = n
          return n % 8 === 0 ? this.#change(n) : undefined
        }
        return void this.#acts.push({ key: "pins", act: pin, amendment })
      }
      // What the page expects is not always what the server then does.
      const left = { rows: [], total: AMENDED }
      const amendment = this.store.amend("board", (board) => ({ ...(board as Board), left }))
      this.#acts.push({ key: "board", act: () => (n % 5 === 0 ? "refused" : this.#change(n)), amendment })
    },
    perform: () => {
      const next = this.#acts.find((act) => !("outcome" in act))
      if (next !== undefined) next.outcome = next.act()
    },
    confirm: (n) => {
      const done = one(
        this.#acts.filter((act) => "outcome" in act),
        n,
      )
      if (done === undefined) return
      this.#acts = this.#acts.filter((other) => other !== done)
      const { outcome, amendment, key } = done
      if (outcome === "refused") amendment.takeBack()
      else amendment.confirm(outcome)
      if (key === "board" && typeof outcome === "number") this.#floor = Math.max(this.#floor, outcome)
    },
    gap: () => {
      this.#blind = true
      this.#told = this.#log.length
      this.store.reloadAll()
    },
    wait: () => vi.advanceTimersByTime(300),
  }

  /** Everything under way arrives, and what is asked for because of it too. */
  async settle(): Promise<void> {
    const isQuiet = () =>
      this.#reads.length + this.#pins.length + this.#acts.length + this.#log.length - this.#told === 0
    for (let quiet = 0; quiet < 2; quiet = isQuiet() ? quiet + 1 : 0) {
      for (const name of ["perform", "confirm", "read", "answer", "hear", "wait"]) {
        this.steps[name]?.(0)
        await settled()
      }
    }
  }

  fresh(): unknown {
    return { left: readList(this.#rows, LEFT), right: readList(this.#rows, RIGHT), pins: this.#pinned }
  }

  shown(): unknown {
    const { left, right } = this.store.snapshot("board").answer as Board
    return { left: inOrder(left), right: inOrder(right), pins: this.store.snapshot("pins").answer }
  }

  /** The rows on show as they never were since the page learned of something newer. */
  outdated(): readonly string[] {
    const { left, right } = (this.store.snapshot("board").answer ?? {}) as Partial<Board>
    if (left === undefined || right === undefined || left.total >= AMENDED || this.#blind) return []
    const shown = new Map([...left.rows, ...right.rows].map((row) => [row.uuid, row]))
    const since = this.#past.slice(this.#floor)
    return [...LEFT, ...RIGHT].filter((uuid) => !since.some((rows) => isSame(shown.get(uuid), openOf(rows.get(uuid)))))
  }

  /** Makes, changes or removes a row; answers with the last event of it that the page gets to see. */
  #change(n: number): Outcome {
    const uuid = [...LEFT, ...RIGHT][n % 4] ?? "a"
    const known = this.#rows.get(uuid)
    const title = this.#log.length
    if (known === undefined) this.#write(uuid, "created", { uuid, status: n % 7 === 0 ? "closed" : "open", title })
    else if (n % 5 === 0) this.#write(uuid, "deleted", {})
    else if (n % 3 === 0) this.#write(uuid, "updated", { status: known.status === "open" ? "closed" : "open" })
    else this.#write(uuid, "updated", { title })
    const seen = this.#log.length
    // What is told to somebody else alone is in the log, and nobody on this page hears of it.
    if (n % 2 === 0) this.#hidden.add(this.#append(event(seen + 1, "x")))
    return seen
  }

  #write(uuid: string, action: LogEvent["action"], patch: Partial<Row>): void {
    if (action === "deleted") this.#rows.delete(uuid)
    else this.#rows.set(uuid, { ...this.#rows.get(uuid), ...patch } as Row)
    this.#append({ ...event(this.#log.length + 1, uuid), action, patch: { ...patch } })
  }

  #append(entry: LogEvent): number {
    this.#past.push(new Map(this.#rows))
    return this.#log.push(entry)
  }
}

type Outcome = number | "refused" | undefined

function one<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(list.length, 1)]
}

const nothing = () => undefined

function asked(under: { give: PromiseWithResolvers<Positioned<unknown>> }[]): Promise<Positioned<unknown>> {
  const give = Promise.withResolvers<Positioned<unknown>>()
  under.push({ give })
  return give.promise
}

function openOf(row: Row | undefined): Row | undefined {
  return row?.status === "open" ? row : undefined
}

function isSame(one: Row | undefined, other: Row | undefined): boolean {
  return one?.uuid === other?.uuid && one?.title === other?.title
}

function inOrder({ rows, total }: List): List {
  return { rows: rows.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)), total }
}

function event(id: number, entityUuid: string): UnknownEvent {
  return {
    id,
    at: "2026-01-01T00:00:00.000Z",
    kind: "unknown row",
    entityType: "unknown row",
    entityUuid,
    projectUuid: "p1",
    action: "updated",
    patch: {},
    actor: { type: "agent", uuid: "a", name: "A" },
    requestId: null,
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
})

it(`answers, events and amendments in any order end as a fresh load does (${HISTORIES} histories)`, async () => {
  const names = [...Object.keys(new Stage().steps), "change", "hear", "read", "read", "read", "answer"]
  await assert(
    asyncProperty(
      array(record({ name: constantFrom(...names), n: nat(30) }), { maxLength: 40, size: "max" }),
      async (history) => {
        const stage = new Stage()
        for (const { name, n } of history) {
          stage.steps[name]?.(n)
          await settled()
          const outdated = stage.outdated()
          if (outdated.length > 0) expect(outdated, `after ${name}`).toEqual([])
        }
        await stage.settle()
        expect(stage.shown()).toEqual(stage.fresh())
        vi.clearAllTimers()
      },
    ),
    { numRuns: HISTORIES },
  )
}, 60_000)
