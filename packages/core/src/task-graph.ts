export interface GraphTask {
  readonly uuid: string
  /** How much work it is; what nobody estimated counts as one. */
  readonly weight: number | null
  readonly finished: boolean
}

/** `taskUuid` waits for `dependsOnUuid`. */
export interface GraphEdge {
  readonly taskUuid: string
  readonly dependsOnUuid: string
}

/** The tasks on a cycle, in order, or undefined; edges that name the same task twice are a cycle of one. */
export function findCycle(edges: readonly GraphEdge[]): string[] | undefined {
  const next = atOnce(neighbours(edges, "taskUuid", "dependsOnUuid"))
  const settled = new Set<string>()
  for (const start of next.keys()) {
    const cycle = walk(start, next, settled)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** Whether `from` is, or directly or through others waits for, `to`. */
export function leadsTo(edges: readonly GraphEdge[], from: string, to: string): boolean {
  const next = atOnce(neighbours(edges, "taskUuid", "dependsOnUuid"))
  const seen = new Set([from])
  const untried = [from]
  for (let uuid = untried.pop(); uuid !== undefined; uuid = untried.pop()) {
    if (uuid === to) return true
    for (const neighbour of next.get(uuid) ?? []) {
      if (seen.has(neighbour)) continue
      seen.add(neighbour)
      untried.push(neighbour)
    }
  }
  return false
}

/** A computation that may be long, and that others may be given a turn in after each step. */
export type Steps<Answer> = Generator<undefined, Answer, undefined>

export interface GraphLayout {
  readonly waves: string[][]
  readonly criticalPath: string[]
}

/** Both ways in which a graph is shown, in steps. */
export function* graphLayout(tasks: readonly GraphTask[], edges: readonly GraphEdge[]): Steps<GraphLayout> {
  const inWaves = yield* wavesOf(tasks, edges)
  const dependents = yield* neighbours(edges, "dependsOnUuid", "taskUuid")
  const chain = yield* chainsOf(tasks, inWaves, dependents)
  return { waves: inWaves, criticalPath: yield* heaviestOf(chain, dependents) }
}

/**
 * Groups unfinished tasks into waves: a wave can start once the one before is finished. A finished task stands in no wave.
 * Expects a graph without cycles; what lies on one is left out rather than waited for.
 */
export function waves(tasks: readonly GraphTask[], edges: readonly GraphEdge[]): string[][] {
  return atOnce(wavesOf(tasks, edges))
}

/** The heaviest chain of unfinished work, first task first. */
export function criticalPath(tasks: readonly GraphTask[], edges: readonly GraphEdge[]): string[] {
  return atOnce(graphLayout(tasks, edges)).criticalPath
}

/** For each unfinished task the heaviest chain of work that begins with it: what finishing it late would delay. */
export function* chainWeights(tasks: readonly GraphTask[], edges: readonly GraphEdge[]): Steps<Map<string, number>> {
  return yield* chainsOf(tasks, yield* wavesOf(tasks, edges), yield* neighbours(edges, "dependsOnUuid", "taskUuid"))
}

/** Takes all steps without a turn for anybody: for what is known to be small. */
export function atOnce<Answer>(steps: Steps<Answer>): Answer {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function* wavesOf(tasks: readonly GraphTask[], edges: readonly GraphEdge[]): Steps<string[][]> {
  const open = new Set(tasks.filter((task) => !task.finished).map((task) => task.uuid))
  yield
  const among = edges.filter((edge) => open.has(edge.taskUuid) && open.has(edge.dependsOnUuid))
  yield
  const waiting = new Map<string, number>()
  for (const { taskUuid } of among) {
    waiting.set(taskUuid, (waiting.get(taskUuid) ?? 0) + 1)
    yield
  }
  const dependents = yield* neighbours(among, "dependsOnUuid", "taskUuid")
  const result: string[][] = []
  let wave = [...open].filter((uuid) => !waiting.has(uuid))
  while (wave.length > 0) {
    result.push(wave)
    const following: string[] = []
    for (const uuid of wave) {
      for (const dependent of dependents.get(uuid) ?? []) {
        const left = (waiting.get(dependent) ?? 0) - 1
        waiting.set(dependent, left)
        if (left === 0) following.push(dependent)
      }
      yield
    }
    wave = following
  }
  return result
}

function* chainsOf(
  tasks: readonly GraphTask[],
  inWaves: readonly (readonly string[])[],
  dependents: ReadonlyMap<string, readonly string[]>,
): Steps<Map<string, number>> {
  const weights = new Map(tasks.map((task) => [task.uuid, task.finished ? 0 : (task.weight ?? 1)]))
  const chain = new Map<string, number>()
  for (const uuid of inWaves.flat().toReversed()) {
    const longest = (dependents.get(uuid) ?? []).reduce(
      (most, dependent) => Math.max(most, chain.get(dependent) ?? 0),
      0,
    )
    chain.set(uuid, (weights.get(uuid) ?? 0) + longest)
    yield
  }
  return chain
}

function* heaviestOf(
  chain: ReadonlyMap<string, number>,
  dependents: ReadonlyMap<string, readonly string[]>,
): Steps<string[]> {
  const path: string[] = []
  let candidates: readonly string[] = [...chain.keys()]
  while (candidates.length > 0) {
    const heaviest = candidates.reduce((best, uuid) => ((chain.get(uuid) ?? 0) > (chain.get(best) ?? 0) ? uuid : best))
    path.push(heaviest)
    candidates = (dependents.get(heaviest) ?? []).filter((uuid) => chain.has(uuid))
    yield
  }
  return path
}

function* neighbours(
  edges: readonly GraphEdge[],
  from: keyof GraphEdge,
  to: keyof GraphEdge,
): Steps<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const edge of edges) {
    const list = found.get(edge[from])
    if (list === undefined) found.set(edge[from], [edge[to]])
    else list.push(edge[to])
    yield
  }
  return found
}

/** Depth first without recursion, for chains longer than the stack. */
function walk(start: string, next: ReadonlyMap<string, readonly string[]>, settled: Set<string>): string[] | undefined {
  const path: { uuid: string; untried: string[] }[] = []
  const onPath = new Set<string>()
  const enter = (uuid: string) => {
    path.push({ uuid, untried: [...(next.get(uuid) ?? [])] })
    onPath.add(uuid)
  }
  if (!settled.has(start)) enter(start)
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const neighbour = step.untried.pop()
    if (neighbour === undefined) {
      path.pop()
      onPath.delete(step.uuid)
      settled.add(step.uuid)
      continue
    }
    if (onPath.has(neighbour))
      return path.map(({ uuid }) => uuid).slice(path.findIndex(({ uuid }) => uuid === neighbour))
    if (!settled.has(neighbour)) enter(neighbour)
  }
  return undefined
}
