import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, PAGE } from "../../test/examples.ts"
import { flag, line, oneOf, optional, OTHER, paging, TASK, uuid } from "../../test/field-rule.ts"
import {
  DeliveryRow,
  dismissDelivery,
  fetchDeliveries,
  listDeliveries,
  MachineDelivery,
  redeliver,
  settleDelivery,
} from "./deliveries.ts"

describeInput(fetchDeliveries, {
  smallest: { machine: "laptop" },
  becomes: { machine: "laptop", to: "companion" },
  fields: { machine: line(120), to: optional(oneOf("companion", "runner")) },
})

describeInput(settleDelivery, {
  smallest: { deliveryUuid: TASK },
  becomes: { deliveryUuid: TASK, final: false },
  fields: {
    deliveryUuid: uuid,
    error: optional(line(1000)),
    next: optional(line(1000)),
    final: optional(flag),
  },
})

describeInput(listDeliveries, {
  smallest: {},
  becomes: PAGE,
  fields: { state: optional(oneOf("pending", "delivered", "dead")), ...paging },
})

describeInput(redeliver, { smallest: { deliveryUuid: TASK }, fields: { deliveryUuid: uuid } })

describeInput(dismissDelivery, { smallest: { deliveryUuid: TASK }, fields: { deliveryUuid: uuid } })

describeAnswer(
  "DeliveryRow",
  DeliveryRow,
  {
    uuid: OTHER,
    kind: "answer",
    title: "May I?",
    to: "laptop",
    by: ada,
    state: "dead",
    attempts: 5,
    nextAttemptAt: AT,
    lastError: "The inbox is not writable.",
    next: "Make it writable.",
    createdAt: AT,
    settledAt: AT,
  },
  { mayBeNull: ["by", "nextAttemptAt", "lastError", "next", "settledAt"] },
)

describeAnswer(
  "MachineDelivery",
  MachineDelivery,
  {
    uuid: OTHER,
    kind: "order",
    thread: "team:cats/bob",
    payload: { decision: { team: "cats", by: "Ada", decision: "shutdown", member: "bob" } },
  },
  { mayBeNull: ["thread"] },
)
