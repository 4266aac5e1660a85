// One of several servers that change tasks of one workspace: `fork`ed, told where and as whom, and started by a word.
import { randomUUID } from "node:crypto"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { openPostgresStore } from "../packages/store/src/postgres-store.ts"

/** What a writer is told first. */
export interface WriterOrder {
  readonly url: string
  readonly actor: Actor
  readonly tasks: readonly string[]
  readonly callers: number
  readonly warmUp: number
  readonly seconds: number
}

const order = await told<WriterOrder>()
const { actor } = order
const store = await openPostgresStore(order.url)
const registry = new Registry(store, operations)
let next = Math.floor(Math.random() * order.tasks.length)
const update = () =>
  registry.execute(
    "chorus_update_task",
    { taskUuid: order.tasks[next++ % order.tasks.length], title: `Task ${randomUUID()}` },
    { actor, requestId: randomUUID() },
  )
let warm = 0
await called(() => warm++ < order.warmUp)
const started = told<"go">()
process.send?.("ready")
await started
let made = 0
const until = performance.now() + order.seconds * 1000
await called(() => performance.now() < until && ++made > 0)
await store.close()
process.send?.(made, () => process.exit(0))

async function called(more: () => boolean): Promise<void> {
  const caller = async () => {
    while (more()) await update()
  }
  await Promise.all(Array.from({ length: order.callers }, caller))
}

function told<T>(): Promise<T> {
  return new Promise((hear) => process.once("message", (message) => hear(message as T)))
}
