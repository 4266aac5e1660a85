import { z } from "zod"
import { pageInput, pageOutput, ProjectId, signature } from "../signature.ts"

const webhookUuid = z.uuid()

const url = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((text) => {
    if (!URL.canParse(text)) return false
    const { username, password } = new URL(text)
    return username === "" && password === ""
  }, "must not hold a name or password")

/** Kinds of events, exactly or by their noun: `task.verified`, `proposal.*`, `*`. */
const kinds = z
  .array(
    z
      .string()
      .regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/)
      .max(80),
  )
  .min(1)
  .max(50)

export const WebhookRow = z.object({
  uuid: z.string(),
  projectUuid: z.string().nullable(),
  url: z.string(),
  kinds: z.array(z.string()),
  active: z.boolean(),
  allowPrivate: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type WebhookRow = z.infer<typeof WebhookRow>

export const DeliveryRow = z.object({
  uuid: z.string(),
  webhookUuid: z.string(),
  eventId: z.number().int(),
  status: z.enum(["pending", "delivered", "failed"]),
  attempts: z.number().int(),
  nextAttemptAt: z.string().nullable(),
  responseStatus: z.number().int().nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  deliveredAt: z.string().nullable(),
})
export type DeliveryRow = z.infer<typeof DeliveryRow>

export const createWebhook = signature({
  name: "chorus_create_webhook",
  does: "Send events to an address, signed; the secret is shown only in this answer.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    url,
    kinds: kinds.default(["*"]),
    projectUuid: ProjectId.optional(),
    /** Whether it may be an address of this machine or a private network; for owners. */
    allowPrivate: z.boolean().default(false),
  }),
  output: WebhookRow.extend({ secret: z.string() }),
})

export const updateWebhook = signature({
  name: "chorus_update_webhook",
  does: "Change a webhook, pause it, or renew its secret.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    webhookUuid,
    url: url.optional(),
    kinds: kinds.optional(),
    active: z.boolean().optional(),
    allowPrivate: z.boolean().optional(),
    renewSecret: z.boolean().default(false),
  }),
  output: WebhookRow.extend({ secret: z.string().optional() }),
})

export const deleteWebhook = signature({
  name: "chorus_delete_webhook",
  does: "Delete a webhook and what it still had to send.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({ webhookUuid }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})

export const listWebhooks = signature({
  name: "chorus_list_webhooks",
  does: "List webhooks.",
  needs: "steward",
  kind: "read",
  tool: "none",
  input: z.object(pageInput),
  output: z.object({ webhooks: z.array(WebhookRow), ...pageOutput }),
})

export const listWebhookDeliveries = signature({
  name: "chorus_list_webhook_deliveries",
  does: "List what a webhook has sent and still has to send, newest first.",
  needs: "steward",
  kind: "read",
  tool: "none",
  input: z.object({ webhookUuid, status: DeliveryRow.shape.status.optional(), ...pageInput }),
  output: z.object({ deliveries: z.array(DeliveryRow), ...pageOutput }),
})

export const redeliverWebhook = signature({
  name: "chorus_redeliver_webhook",
  does: "Send a delivery again.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({ webhookUuid, deliveryUuid: z.uuid() }),
  output: DeliveryRow,
})
