import { z } from "zod"
import { ActorRef, line, pageInput, pageOutput, signature } from "../signature.ts"
import { TeamOrder } from "../teams-facts.ts"
import { Relayed } from "../teams-relay.ts"
import { RunOrder } from "./runs.ts"

/** An event to a webhook, a call to a person's browser, a person's answer or order to a machine. */
export const DeliveryKind = z.enum(["event", "call", "answer", "order"])
export type DeliveryKind = z.infer<typeof DeliveryKind>

/** Dead: given up, until somebody sends it again. */
export const DeliveryState = z.enum(["pending", "delivered", "dead"])

/**
 * Something on its way to somebody outside, and what `delivery.*` events patch. Its id is the mark by which a receiver
 * knows it again.
 */
export const DeliveryRow = z.object({
  uuid: z.string(),
  kind: DeliveryKind,
  /** What it is about, and what it goes to: a webhook's address, a machine, a browser. */
  title: z.string(),
  to: z.string(),
  by: ActorRef.nullable(),
  state: DeliveryState,
  attempts: z.number().int(),
  nextAttemptAt: z.string().nullable(),
  lastError: z.string().nullable(),
  /** What to do about the error; of what was carried out, what came of it. */
  next: z.string().nullable(),
  createdAt: z.string(),
  settledAt: z.string().nullable(),
})
export type DeliveryRow = z.infer<typeof DeliveryRow>

/**
 * What a person does about a terminal of a machine: look at it, know how its turn ended, or grant or refuse what its
 * agent asks for.
 */
export const TerminalOrder = z.discriminatedUnion("order", [
  z.object({ order: z.literal("show"), terminalId: z.string().max(200), at: z.string() }),
  z.object({
    order: z.literal("seen"),
    terminalId: z.string().max(200),
    /** When that turn ended; how a later one ends nobody has seen. */
    since: z.number(),
  }),
  z.object({
    order: z.literal("answer"),
    terminalId: z.string().max(200),
    /** Which question it is about; an answer to another is no answer. */
    ask: z.string().max(200),
    decision: z.enum(["approve", "deny"]),
  }),
])
export type TerminalOrder = z.infer<typeof TerminalOrder>

/** What a machine's companion or its runner carries out. Of one thread it does one after the other. */
export const MachineDelivery = z.object({
  uuid: z.string(),
  kind: DeliveryKind,
  thread: z.string().nullable(),
  payload: z.union([
    z.object({ decision: TeamOrder }),
    z.object({ run: RunOrder }),
    z.object({ terminal: TerminalOrder }),
    Relayed,
  ]),
})
export type MachineDelivery = z.infer<typeof MachineDelivery>

const deliveryUuid = z.uuid()

export const fetchDeliveries = signature({
  name: "chorus_fetch_deliveries",
  does: "Fetch what waits for this machine, in order; settle each with chorus_settle_delivery.",
  needs: "anyone",
  kind: "read",
  tool: "hidden",
  input: z.object({ machine: line(120), to: z.enum(["companion", "runner"]).default("companion") }),
  output: z.object({
    deliveries: z.array(MachineDelivery),
    /** When the next one falls due that is not due yet. */
    nextAttemptAt: z.string().nullable(),
  }),
})

export const settleDelivery = signature({
  name: "chorus_settle_delivery",
  does: "Say that a delivery was carried out, or why it could not be; it comes again unless that is final.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({
    deliveryUuid,
    error: line(1000).optional(),
    /** What a person can do about the error; without one, what came of it. */
    next: line(1000).optional(),
    final: z.boolean().default(false),
  }),
  output: z.object({ uuid: z.string(), state: DeliveryState, nextAttemptAt: z.string().nullable() }),
})

export const listDeliveries = signature({
  name: "chorus_list_deliveries",
  does: "List what is on its way out, newest first: your own, or everybody's if you run the workspace.",
  needs: "person",
  kind: "read",
  tool: "none",
  input: z.object({ state: DeliveryState.optional(), ...pageInput }),
  output: z.object({ deliveries: z.array(DeliveryRow), ...pageOutput }),
})

export const dismissDelivery = signature({
  name: "chorus_dismiss_delivery",
  does: "Put a delivery away that was given up.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ deliveryUuid }),
  output: z.object({ uuid: z.string(), dismissed: z.literal(true) }),
})

export const redeliver = signature({
  name: "chorus_redeliver",
  does: "Send a delivery again that was given up.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ deliveryUuid }),
  output: DeliveryRow,
})
