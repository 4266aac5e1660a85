import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import { RACES } from "./races.ts"
import { startWorker, type Worker, workerPath } from "./worker.ts"

const PROCESSES = 6
/** Longer than any rule by which the lock of a dead process is let go. */
const PATIENCE_MS = 60_000

export interface RaceResult {
  readonly kills: number
  /** Of these, how many while the process was inside. */
  readonly inside: number
  readonly changes: number
  readonly overlaps: number
  readonly lost: number
  /** The longest that nobody got in, in milliseconds. */
  readonly longestWait: number
}

interface Racer extends Worker {
  readonly name: string
  acknowledged: number
  isIn: boolean
}

/**
 * Six processes change one thing; again and again one of them is killed, at a random moment or in the middle of its change, and
 * another takes its place. Counts how often two were inside at once, and which acknowledged changes are not there in the end.
 */
export async function raceFor(kind: string, folder: string, kills: number): Promise<RaceResult> {
  const racerProgram = await bundledRacer(folder)
  await RACES[kind]?.prepare?.(folder)
  const all: Racer[] = []
  const running = new Set<Racer>()
  const tally = { kills: 0, inside: 0, changes: 0, overlaps: 0, longestWait: 0 }
  const over = Promise.withResolvers<void>()
  let lastIn = performance.now()

  const heard = (racer: Racer, line: string) => {
    if (line === "overlap") tally.overlaps++
    else if (line === "in") {
      const now = performance.now()
      if (tally.changes > 0) tally.longestWait = Math.max(tally.longestWait, Math.round(now - lastIn))
      lastIn = now
      racer.isIn = true
      // Often in the middle of its change: that is the moment that matters.
      if (Math.random() < 0.25) setTimeout(() => kill(racer), Math.random() * 6)
    } else {
      racer.acknowledged = Number(line)
      racer.isIn = false
      tally.changes++
    }
  }
  const kill = (racer: Racer) => {
    if (tally.kills >= kills || !running.delete(racer)) return
    racer.child.kill("SIGKILL")
    if (racer.isIn) tally.inside++
    if (++tally.kills >= kills) over.resolve()
    else start()
  }
  const start = () => {
    const name = `p${all.length}`
    const worker = startWorker(racerProgram, [kind, folder, name], (line) => heard(racer, line))
    const racer: Racer = { ...worker, name, acknowledged: 0, isIn: false }
    worker.done.catch(over.reject)
    all.push(racer)
    running.add(racer)
  }

  for (let n = 0; n < PROCESSES; n++) start()
  const anyMoment = setInterval(() => {
    const racer = [...running].filter(({ acknowledged }) => acknowledged > 0).at(Math.random() * -PROCESSES)
    if (racer !== undefined) kill(racer)
  }, 500)
  const watch = setInterval(() => {
    if (performance.now() - lastIn > PATIENCE_MS) over.reject(new Error(`nobody got in for ${PATIENCE_MS} ms`))
  }, 1_000)
  try {
    await over.promise
  } finally {
    clearInterval(anyMoment)
    clearInterval(watch)
    for (const { child } of running) child.kill("SIGKILL")
    await Promise.allSettled(all.map(({ done }) => done))
  }
  let lost = 0
  for (const { name, acknowledged } of all)
    lost += Math.max(0, acknowledged - ((await RACES[kind]?.found(folder, name)) ?? 0))
  return { ...tally, lost }
}

/** A racer lives for a moment: bundled, without the modules it does not use, it starts in a fifth of the time. */
async function bundledRacer(folder: string): Promise<string> {
  const outfile = join(folder, "racer.mjs")
  await build({
    entryPoints: [workerPath("racer")],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    // The other form of some packages finds its parts only when it runs.
    mainFields: ["module", "main"],
    plugins: [LEAN],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  })
  return outfile
}

const LEAN: Plugin = {
  name: "lean",
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^(@chorus\/|\.)/ }, async ({ path, resolveDir, kind, importer, pluginData }) => {
      if (pluginData === "again") return undefined
      const found = await resolve(path, { resolveDir, kind, importer, pluginData: "again" })
      return { path: found.path, sideEffects: false }
    }),
}
