import { pathToFileURL } from "node:url"
import { percentile } from "./figure.ts"

/**
 * What a call costs, in milliseconds of one core unless said otherwise: measured on two cores that had much other work to
 * do, where the same cores gave `pgbench -N` a quarter of what they give when quiet. A quiet machine does better.
 */
const COST = {
  serverWrite: 0.84,
  databaseWrite: 1.23,
  /** A task and a list of tasks, on average. */
  serverRead: 1.5,
  databaseRead: 1,
  /** A round gives positions in one workspace; the database then tells each server, which hears it. */
  round: 0.5,
  tell: 0.026,
  hear: 0.01,
  /** One event to one reader. */
  deliver: 0.01,
  /** Milliseconds until what was committed is on disk; those who commit meanwhile share the next one. Assumed. */
  flush: 2,
}
/** What a busy agent is assumed to do in a second, and what its workspace's log gains by a write. */
const AGENT = { writes: 0.1, reads: 0.2, streams: 1 }
const EVENT = { perWrite: 2, bytes: 900 }
const AGENTS_PER_WORKSPACE = 10
const SECONDS = 1
/** Nobody waits longer than this for a write; beyond it the setup counts as full. */
const MOST_MS = 250

export interface Setup {
  readonly servers: number
  readonly databaseCores: number
  readonly replicas?: number
  /** A bus tells of a round, in place of the database, and only those servers that have readers there. */
  readonly bus?: boolean
}

export const SETUPS: readonly Setup[] = [
  { servers: 1, databaseCores: 2 },
  { servers: 4, databaseCores: 8 },
  { servers: 16, databaseCores: 16 },
  { servers: 64, databaseCores: 32 },
  { servers: 64, databaseCores: 32, replicas: 2 },
  { servers: 64, databaseCores: 32, replicas: 2, bus: true },
]

export interface Held {
  readonly setup: Setup
  readonly agents: number
  readonly writeP99: number
  /** How busy each part is where it still holds. */
  readonly busy: Readonly<Record<string, number>>
  readonly gigabytesADay: number
}

/** The most agents that a setup holds, to two digits. */
export function held(setup: Setup): Held {
  let [holds, fails] = [0, 10]
  while (run(setup, fails * 100).holds) [holds, fails] = [fails, fails * 2]
  while (fails - holds > Math.max(1, holds / 40)) {
    const between = Math.floor((holds + fails) / 2)
    if (run(setup, between * 100).holds) holds = between
    else fails = between
  }
  const agents = Number((holds * 100).toPrecision(2))
  const { writeP99, busy } = run(setup, holds * 100)
  const bytesADay = agents * AGENT.writes * EVENT.perWrite * EVENT.bytes * 86_400
  return { setup, agents, writeP99, busy, gigabytesADay: bytesADay / 1e9 }
}

interface Job {
  at: number
  step: number
  readonly from: number
  readonly workspace: number
  readonly isWrite: boolean
}

/** Plays some seconds: calls arrive at random, and wait for a core, the disk, and the round of their workspace. */
function run({ servers, databaseCores, replicas = 0, bus = false }: Setup, agents: number) {
  const random = dice(agents + servers)
  const node = Array.from({ length: servers }, () => new Cores(1))
  const primary = new Cores(databaseCores)
  const reading = replicas === 0 ? primary : new Cores(replicas * databaseCores)
  const rounds = new Map<number, number>()
  const writes: number[] = []
  const jobs = new Heap()
  const arrive = (isWrite: boolean, perSecond: number) => {
    for (let at = 0; (at += (-Math.log(1 - random()) * 1000) / perSecond) < SECONDS * 1000;)
      jobs.push({ at, from: at, step: 0, isWrite, workspace: Math.floor(random() * (agents / AGENTS_PER_WORKSPACE)) })
  }
  arrive(true, agents * AGENT.writes)
  arrive(false, agents * AGENT.reads)
  const deliveries = EVENT.perWrite * AGENTS_PER_WORKSPACE * AGENT.streams * COST.deliver
  const told = bus ? 0 : servers * COST.tell
  const hearing = bus ? Math.min(servers, AGENTS_PER_WORKSPACE) : servers
  for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
    const server = node[Math.floor(random() * servers)] ?? new Cores(1)
    const { at, isWrite, workspace } = job
    if (!isWrite) {
      if (job.step === 0) jobs.push({ ...job, step: 1, at: server.use(at, COST.serverRead) })
      else reading.use(at, COST.databaseRead)
    } else if (job.step === 0) jobs.push({ ...job, step: 1, at: server.use(at, COST.serverWrite) })
    else if (job.step === 1) jobs.push({ ...job, step: 2, at: flushed(primary.use(at, COST.databaseWrite)) })
    else if (job.step === 2) {
      // Whoever finds a round under way is served by the next one, together with all that wait for it.
      const under = rounds.get(workspace) ?? 0
      const ends = under > at + COST.flush ? under : flushed(primary.use(Math.max(at, under), COST.round + told))
      rounds.set(workspace, ends)
      jobs.push({ ...job, step: 3, at: ends })
    } else {
      writes.push(at - job.from)
      for (let n = 0; n < hearing; n++) node[(workspace + n) % servers]?.use(at, COST.hear + deliveries / hearing)
    }
  }
  const busy = {
    servers: Math.max(...node.map((one) => one.busy())),
    database: primary.busy(),
    ...(replicas === 0 ? {} : { replicas: reading.busy() }),
  }
  const writeP99 = percentile(writes, 0.99)
  return { holds: writeP99 <= MOST_MS && Object.values(busy).every((share) => share < 0.95), writeP99, busy }
}

/** On disk with the next flush that begins. */
function flushed(at: number): number {
  return (Math.floor(at / COST.flush) + 2) * COST.flush
}

/** Some cores with one queue: the next that is free takes the next piece of work. */
class Cores {
  readonly #free: number[]
  #used = 0

  constructor(count: number) {
    this.#free = Array.from({ length: count }, () => 0)
  }

  use(at: number, ms: number): number {
    let first = 0
    for (let n = 1; n < this.#free.length; n++) if ((this.#free[n] ?? 0) < (this.#free[first] ?? 0)) first = n
    const ends = Math.max(at, this.#free[first] ?? 0) + ms
    this.#free[first] = ends
    this.#used += ms
    return ends
  }

  busy(): number {
    return this.#used / (this.#free.length * SECONDS * 1000)
  }
}

/** What comes first in time. */
class Heap {
  readonly #jobs: Job[] = []

  push(job: Job): void {
    const jobs = this.#jobs
    let place = jobs.push(job) - 1
    for (let above = (place - 1) >> 1; place > 0 && timeOf(jobs, above) > job.at; above = (place - 1) >> 1) {
      jobs[place] = jobs[above] as Job
      place = above
    }
    jobs[place] = job
  }

  pop(): Job | undefined {
    const jobs = this.#jobs
    const [first] = jobs
    const last = jobs.pop()
    if (last === undefined || jobs.length === 0) return first
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      const below = timeOf(jobs, left + 1) < timeOf(jobs, left) ? left + 1 : left
      if (timeOf(jobs, below) >= last.at) break
      jobs[place] = jobs[below] as Job
      place = below
    }
    jobs[place] = last
    return first
  }
}

function timeOf(jobs: readonly Job[], place: number): number {
  return jobs[place]?.at ?? Infinity
}

/** The same numbers every time, spread like random ones. */
function dice(seed: number): () => number {
  let state = seed | 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A row of the table in docs/scale.md, which a test compares with it. */
export function rowOf({ setup, agents, writeP99, busy, gigabytesADay }: Held): string {
  const share = (part: string) => (busy[part] === undefined ? "–" : `${Math.round(busy[part] * 100)} %`)
  const cells = [
    setup.servers,
    `${setup.databaseCores} × 1${setup.replicas === undefined ? "" : ` + ${setup.replicas}`}`,
    setup.bus === true ? "NATS" : "NOTIFY",
    agents.toLocaleString("en"),
    share("servers"),
    share("database"),
    share("replicas"),
    `${Math.round(writeP99)} ms`,
    `${Math.round(gigabytesADay)} GB`,
  ]
  return `| ${cells.join(" | ")} |`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const setup of SETUPS) console.log(rowOf(held(setup)))
