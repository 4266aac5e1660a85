import { randomUUID } from "node:crypto"
import { ChorusError, type LogEvent, type NewEvent, type Signature } from "@chorus/contracts"
import { meets } from "@chorus/core"
import { othersFirst, type Store } from "@chorus/store"
import { maySee } from "./may-see.ts"
import { assertDeclared } from "./declared-event.ts"
import {
  type Actor,
  actorRef,
  type Focus,
  forbidden,
  invalidInput,
  NOBODY,
  type Operation,
  type OperationContext,
} from "./operation.ts"
import { changesTools } from "./operations/agents/permission-watch.ts"
import { type Patience, patiently, type WaitingRoom } from "./patience.ts"
import type { Observer } from "./observe/observer.ts"
import { refuseAgents } from "./persons-place.ts"
import { assertReach, type Reached, reachesAtOnce, withUuids } from "./reach.ts"
import type { Reactor } from "./reactors/reactor.ts"
import { reactors } from "./reactors/index.ts"
import { findReceipt, keepReceipt, receiptKey } from "./receipts.ts"
import { unknownField, unknownFields } from "./unknown-fields.ts"

/** A read that took no longer than this kept nobody waiting. */
const A_WHILE_MS = 1

/** One call of an operation, whichever door it came through. */
export interface Call {
  readonly actor: Actor | undefined
  readonly requestId: string
  readonly idempotencyKey?: string | undefined
  readonly focus?: Focus | undefined
  /**
   * Hears where in the log the answer stands. A read holds at least everything up to there; a write is known to whoever has seen
   * the log up to there. Not called for a write of which the log says nothing to its caller, nor for a repeated one.
   */
  readonly onPosition?: ((position: number) => void) | undefined
  /** Tells when whoever calls has gone away; asked only of a call that waits. */
  readonly gone?: (() => AbortSignal) | undefined
}

/** A call that went well, and the things its input named. */
export interface Touch {
  readonly actor: Actor
  readonly kind: Signature["kind"]
  readonly reached: readonly Reached[]
  readonly at: string
}

export interface RegistryOptions {
  readonly now?: () => Date
  readonly newId?: () => string
  readonly observer?: Observer
  /** What follows every change in its own transaction; the platform's own when left out. */
  readonly reactors?: readonly Reactor[]
  readonly onTouch?: (touch: Touch) => void
  /** Where calls with `wait_seconds` wait; without it they answer at once. */
  readonly waitingRoom?: WaitingRoom
  /** Checks each answer and each event against its schema; for tests. */
  readonly checkOutput?: boolean
}

/**
 * Everything the platform can do. Authorising, validating, the transaction, the events and the receipt of a retry are
 * done here for every operation and every door.
 */
export class Registry {
  readonly #store: Store
  readonly #operations = new Map<string, Operation>()
  readonly #now: () => Date
  readonly #newId: () => string
  readonly #checkOutput: boolean
  readonly #observer: Observer
  readonly #reactors: readonly Reactor[]
  readonly #onTouch: (touch: Touch) => void
  readonly #waitingRoom: WaitingRoom | undefined
  /** The last costly read of each caller that has one under way; tells how long it took. */
  readonly #costly = new Map<string, Promise<number>>()

  constructor(store: Store, operations: readonly Operation[], options: RegistryOptions = {}) {
    this.#store = store
    this.#now = options.now ?? (() => new Date())
    this.#newId = options.newId ?? randomUUID
    this.#checkOutput = options.checkOutput ?? false
    this.#observer = options.observer ?? { around: (_name, _requestId, work) => work() }
    this.#reactors = options.reactors ?? reactors
    this.#onTouch = options.onTouch ?? (() => undefined)
    this.#waitingRoom = options.waitingRoom
    for (const operation of operations) {
      for (const name of [operation.signature.name, ...(operation.signature.aliases ?? [])]) {
        if (this.#operations.has(name)) throw new Error(`two operations are called ${name}`)
        this.#operations.set(name, operation)
      }
    }
  }

  /** Each operation once, in the order they were given. */
  signatures(): readonly Signature[] {
    return [...new Set(this.#operations.values())].map((operation) => operation.signature)
  }

  find(name: string): Signature | undefined {
    return this.#operations.get(name)?.signature
  }

  async execute(name: string, rawInput: unknown, call: Call): Promise<unknown> {
    const operation = this.#operations.get(name)
    if (operation === undefined) throw unknownOperation(name)
    const once = (again = call) =>
      this.#observer.around(operation.signature.name, call.requestId, () => this.#carryOut(operation, rawInput, again))
    const { patience } = operation
    const seconds = patience === undefined ? 0 : secondsIn(rawInput)
    if (patience === undefined || seconds === 0 || this.#waitingRoom === undefined || call.actor === undefined)
      return once()
    return this.#wait(this.#waitingRoom, { patience, seconds, actor: call.actor }, operation, rawInput, call, once)
  }

  async #wait(
    room: WaitingRoom,
    { patience, seconds, actor }: { patience: Patience; seconds: number; actor: Actor },
    { signature }: Operation,
    rawInput: unknown,
    call: Call,
    once: (again?: Call) => Promise<unknown>,
  ): Promise<unknown> {
    const parsed = signature.input.safeParse(await withUuids(this.#store.db, actor, rawInput ?? {}))
    if (!parsed.success) throw invalidInput(parsed.error)
    let tries = 0
    return patiently(room, {
      workspaceUuid: actor.workspaceUuid,
      seconds,
      gone: call.gone?.(),
      wakes: (event) => maySee(actor, event) && patience.wakes(event, actor, parsed.data),
      ends: (event) => changesRightsOf(actor, event),
      attempt: async () => {
        // Each try keeps a receipt of its own, so that a repeated call walks through the same answers to the same end.
        const key = call.idempotencyKey
        const answer = await once(
          key === undefined || tries === 0 ? call : { ...call, idempotencyKey: `${key}#${tries}` },
        )
        tries += 1
        return { answer, enough: patience.enough(answer, parsed.data) }
      },
    })
  }

  async #carryOut(operation: Operation, rawInput: unknown, call: Call): Promise<unknown> {
    const { signature } = operation
    const actor = authorise(signature, call.actor)
    const sent = await withUuids(this.#store.db, actor, rawInput ?? {})
    await refuseAgents(this.#store.db, actor, signature, sent)
    const parsed = signature.input.safeParse(sent)
    const unknown = signature.open === true ? [] : unknownFields(signature.input, sent)
    if (unknown.length > 0) throw unknownField(signature.name, unknown, parsed.error)
    if (!parsed.success) throw invalidInput(parsed.error)
    const answer =
      signature.kind === "read"
        ? await (operation.isCostly === true
            ? this.#inLine(actor, () => this.#read(operation, parsed.data, actor, call))
            : this.#read(operation, parsed.data, actor, call))
        : await this.#write(operation, parsed.data, actor, call)
    if (this.#checkOutput) signature.output.parse(answer)
    return answer
  }

  /**
   * However many costly reads somebody asks for at once, one is under way, and others have their turn after each that took a
   * while.
   */
  async #inLine<T>({ workspaceUuid, uuid }: Actor, read: () => Promise<T>): Promise<T> {
    const caller = `${workspaceUuid} ${uuid}`
    const before = this.#costly.get(caller)
    const { promise: over, resolve: settle } = Promise.withResolvers<number>()
    this.#costly.set(caller, over)
    if (((await before) ?? 0) > A_WHILE_MS) await othersFirst()
    const began = performance.now()
    try {
      return await read()
    } finally {
      if (this.#costly.get(caller) === over) this.#costly.delete(caller)
      settle(performance.now() - began)
    }
  }

  async #read(operation: Operation, input: unknown, actor: Actor, call: Call): Promise<unknown> {
    const { db, engine } = this.#store
    const [reached, position] = await Promise.all([
      assertReach(db, actor, input),
      call.onPosition && this.#store.position(actor.workspaceUuid),
    ])
    const now = this.#now().toISOString()
    const context: OperationContext = {
      db,
      engine,
      actor,
      now,
      requestId: call.requestId,
      focus: call.focus,
      damage: () => this.#store.damage(),
      newId: this.#newId,
      emit: () => {
        throw new Error(`${operation.signature.name} is a read and may not emit`)
      },
      later: () => {
        throw new Error(`${operation.signature.name} is a read and may not write`)
      },
      besides: () => {
        throw new Error(`${operation.signature.name} is a read and may not write`)
      },
      afterCommit: () => undefined,
    }
    const answer = await operation.run(context, input)
    this.#onTouch({ actor, kind: "read", reached, at: now })
    if (position !== undefined) call.onPosition?.(position)
    return answer
  }

  async #write(operation: Operation, input: unknown, actor: Actor, call: Call): Promise<unknown> {
    const receipt =
      call.idempotencyKey === undefined ? undefined : receiptKey(call.idempotencyKey, operation.signature.name, input)
    const change = this.#store.write(async (unit) => {
      const finding = receipt && findReceipt(unit, actor, receipt)
      const events: NewEvent[] = []
      const now = this.#now().toISOString()
      const context: OperationContext = {
        db: unit.db,
        engine: unit.engine,
        actor,
        now,
        requestId: call.requestId,
        focus: call.focus,
        damage: () => this.#store.damage(),
        newId: this.#newId,
        emit: (event) => events.push(event),
        later: (statement) => unit.later(statement),
        besides: (statement) => unit.besides(statement),
        afterCommit: (run) => unit.onCommit(run),
      }
      const reaching = assertReach(unit.db, actor, input, context)
      // Whichever fails first is told; the other must not be heard of by nobody.
      finding?.catch(() => undefined)
      reaching.catch(() => undefined)
      const isAtOnce = reachesAtOnce(input)
      // On PostgreSQL a change may be begun more than once in any case; the embedded engine answers before anything runs.
      if (!isAtOnce || unit.engine === "sqlite") {
        const kept = await finding
        if (kept !== undefined) return kept.answer
      }
      if (!isAtOnce) await reaching
      // Asked together with what the operation asks first, where one question settles it. Whatever the operation does or
      // says counts for nothing, and is undone, when the call was answered before or something it named is out of reach.
      const running = operation.run(context, input)
      running.catch(() => undefined)
      const kept = await finding
      if (kept !== undefined) throw new Repeated(kept.answer)
      const reached = await reaching
      const answer = await running
      for (const react of this.#reactors) await react(context, [...events])
      if (receipt !== undefined) keepReceipt(unit, actor, receipt, answer, now)
      if (this.#checkOutput) for (const event of events) assertDeclared(event)
      const origin = { workspaceUuid: actor.workspaceUuid, actor: actorRef(actor), at: now, requestId: call.requestId }
      const seen = events.findLastIndex((event) => maySee(actor, event))
      unit.append(origin, events, (last) => {
        if (seen >= 0) call.onPosition?.(last - (events.length - 1 - seen))
      })
      unit.onCommit(() => this.#onTouch({ actor, kind: "write", reached, at: now }))
      return answer
    })
    return change.catch((error: unknown) => (error instanceof Repeated ? error.answer : Promise.reject(error)))
  }
}

/** A call that was answered before: what its repetition began is undone. */
class Repeated extends Error {
  readonly answer: unknown

  constructor(answer: unknown) {
    super("This call was answered before.")
    this.answer = answer
  }
}

/** Whether the caller may do other things from now on than at the beginning, and so has to ask again. */
function changesRightsOf(actor: Actor, { kind, entityUuid, patch }: LogEvent): boolean {
  if (kind === "key.revoked" || kind === "key.updated") return entityUuid === actor.keyUuid
  if (kind === "agent.updated") return entityUuid === actor.uuid
  const isTheirs = entityUuid === actor.uuid || entityUuid === actor.ownerUuid
  return kind === "member.updated" && isTheirs && changesTools(kind, patch)
}

function secondsIn(input: unknown): number {
  const seconds =
    typeof input === "object" && input !== null && "wait_seconds" in input ? Number(input.wait_seconds) : 0
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}

function authorise(signature: Signature, actor: Actor | undefined): Actor {
  if (meets(actor, signature.needs)) return actor ?? NOBODY
  if (actor === undefined) {
    throw new ChorusError("unauthenticated", "This needs a signed-in person or an API key.", {
      status: 401,
      next: "Sign in on the page, or send the header Authorization: Bearer cho_….",
    })
  }
  const { name, needs } = signature
  if (needs === "person")
    throw forbidden(`${actor.name} may not call ${name}; only people do this.`, "Ask a person to do it on the page.")
  if (needs === "steward")
    throw forbidden(
      `${actor.name} may not call ${name}; only the workspace's owner and admins do this.`,
      "Ask one of them to do it on the page, under Settings.",
    )
  throw forbidden(
    `${actor.name} may not call ${name}; it needs ${needs}.`,
    `Ask a person who runs this workspace to grant ${needs}, or let somebody who has it do this.`,
  )
}

function unknownOperation(name: string): ChorusError {
  return new ChorusError("unknown_operation", `There is no operation called ${name}.`, {
    status: 404,
    next: "See /api/openapi.json or the tool list for the names.",
  })
}
