import type { ActorRef, ChorusError, NewEvent } from "@chorus/contracts"
import type { Compilable } from "kysely"
import type { Engine } from "./migrations/migration.ts"
import type { Db } from "./schema/index.ts"

/** Whose doing some events are. */
export interface Origin {
  readonly workspaceUuid: string
  readonly actor: ActorRef
  readonly at: string
  readonly requestId: string | null
}

/** Hears the position of the last of some events, once they can be read. */
export type Told = (position: number) => void

/** One all-or-nothing change under way. */
export interface Unit {
  readonly db: Db
  readonly engine: Engine
  /** Adds to the workspace's log, in this change and as its last act: positions agree with the order in which changes took hold. */
  append(origin: Origin, events: readonly NewEvent[], told?: Told): void
  /**
   * Writes with the last acts of the change, so that nobody waits for it: for what nothing in this change reads again.
   */
  later(statement: Compilable): void
  /** Writes now, and nobody waits for the answer: the change does so at its end, and fails with it. */
  besides(statement: Compilable): void
  /** Runs after the change is durable; never when it was rolled back. */
  onCommit(run: () => void): void
}

/** Tells that a workspace's log has grown to at least this position. */
export type LogGrowth = (workspaceUuid: string, position: number) => void

export type BroadcastListener = (message: string) => void

/** How the connections to the database are used. */
export interface StoreLoad {
  readonly open: number
  readonly idle: number
  /** Calls that wait for a connection. */
  readonly waiting: number
}

export interface Store {
  readonly engine: Engine
  /** Committed data only. */
  readonly db: Db
  /** Runs `work` as one change; durable and in the log when the promise resolves, without a trace when it rejects. */
  write<T>(work: (unit: Unit) => Promise<T>): Promise<T>
  /** How far the log of a workspace has come: what is read from now on holds at least everything up to here. */
  position(workspaceUuid: string): Promise<number>
  /** Hears of growth of the log by any process on this store; returns how to stop. */
  onGrowth(listener: LogGrowth): () => void
  /** Tells every process on this store, this one among them. It is kept nowhere: whoever is away misses it. At most 7,900 bytes. */
  broadcast(topic: string, message: string): Promise<void>
  onBroadcast(topic: string, listener: BroadcastListener): () => void
  /** Undefined for a store without connections to share. */
  load(): StoreLoad | undefined
  /** What is known to be broken in it, or keeps it from taking changes: found by a check, or met by a call. */
  damage(): ChorusError | undefined
  /**
   * Reads all of it, and fails when something is broken: beside the work, or at once and only if it has at most so many bytes.
   * Says whether it was read. PostgreSQL looks after itself.
   */
  check(most?: number): Promise<boolean>
  close(): Promise<void>
}
