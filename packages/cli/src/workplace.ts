import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { type CallOperation, type CallOptions, type ClientOptions, createClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { agentIn } from "@chorus/disk"
import { BELOW, holdDirectory, refuseLostData, runningServer, type RunningServer } from "@chorus/server/data-directory"
import type { Store } from "@chorus/store"
import type { Target } from "./output.ts"
import { standing } from "./team/person.ts"

/** Where operations are called: through the running server, or on the data when none runs. */
export interface Workplace {
  readonly call: CallOperation
  send(name: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** Where a browser reaches it; undefined while no server runs. */
  readonly url: string | undefined
  close(): Promise<void>
}

const PATIENCE_MS = 10_000
const LOOK_AGAIN_MS = 50

/** Opens the workplace for one piece of work and closes it whatever happens. */
export async function inWorkplace<T>(target: Target, work: (workplace: Workplace) => Promise<T>): Promise<T> {
  const workplace = await openWorkplace(target)
  try {
    return await work(workplace)
  } finally {
    await workplace.close()
  }
}

async function openWorkplace(target: Target): Promise<Workplace> {
  if (target.url !== undefined) return throughServer(target.url, target.key)
  // Left out without a word, this machine's owner would act in the place of the key's agent.
  if (target.key !== undefined)
    throw new ChorusError("no_address", "A key was given, and not the server that it is for.", {
      next: "Give its address too, with --url or CHORUS_URL; or leave the key out to work with the data on this machine.",
    })
  const place = await holdOrFind(target.data)
  return "token" in place ? asOwner(place) : onTheData(target, place)
}

/** The server refuses an agent what is for people, and on some systems has to be told of it. */
function asOwner({ url, token }: RunningServer): Workplace {
  const agent = agentIn(standing.line())
  if (agent === undefined) return throughServer(url, token)
  const said = agent.replaceAll(/[^ -~]/g, "?")
  return throughServer(url, token, (address, init) =>
    fetch(address, { ...init, headers: { ...init?.headers, [BELOW]: said } }),
  )
}

/**
 * The lock decides: whoever gets it works on the data, and whoever does not will find the server that holds it.
 * A server that has not said yet where it listens, or another command at work, is waited for.
 */
async function holdOrFind(directory: string): Promise<RunningServer | ReturnType<typeof holdDirectory>> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return holdDirectory(directory)
    } catch (error) {
      if (!(error instanceof ChorusError) || error.code !== "data_in_use") throw error
      const server = runningServer(directory)
      if (server !== undefined && server.url !== "") return server
      if (Date.now() > deadline) throw error
    }
    await new Promise((wake) => setTimeout(wake, LOOK_AGAIN_MS))
  }
}

async function onTheData(target: Target, held: ReturnType<typeof holdDirectory>): Promise<Workplace> {
  let store: Store | undefined
  try {
    // The whole server is read only by a command that works without one.
    const { operations, ownerActor, Registry } = await import("@chorus/server")
    store = await openStore(target)
    const opened = store
    const actor = { ...(await ownerActor(opened, new Date())), below: () => agentIn(standing.line()) }
    const registry = new Registry(opened, operations)
    const send: Workplace["send"] = (name, input, { idempotencyKey } = {}) =>
      registry.execute(name, input, { actor, requestId: randomUUID(), idempotencyKey })
    return {
      send,
      call: send as CallOperation,
      url: undefined,
      close: () => opened.close().finally(() => held.release()),
    }
  } catch (error) {
    await store?.close()
    held.release()
    throw error
  }
}

export async function openStore({ data, database }: Pick<Target, "data" | "database">): Promise<Store> {
  if (database === undefined) {
    refuseLostData(data)
    return (await import("@chorus/store")).openSqliteStore(join(data, "chorus.sqlite"))
  }
  const { openPostgresStore } = await import("@chorus/store/postgres")
  return openPostgresStore(database)
}

/** A client's view of a server: the local one by the token of its data directory, any other by a key. */
function throughServer(url: string, key: string | undefined, fetch?: ClientOptions["fetch"]): Workplace {
  const { call, send } = createClient({ url, key, fetch })
  return { call, send, url, close: async () => undefined }
}
