import { z } from "zod"
import { line, signature } from "../signature.ts"

/** The address a browser's push service gave it; only its maker's servers are such addresses. */
const endpoint = z.url({ protocol: /^https$/ }).max(2000)
const bytes = (count: number) =>
  z
    .string()
    .max(200)
    .refine(
      (text) => /^[\w-]+=*$/.test(text) && Math.floor((text.replaceAll("=", "").length * 3) / 4) === count,
      `must be ${count} bytes in base64url`,
    )

export const PushSubscriptionRow = z.object({
  uuid: z.string(),
  browser: z.string().nullable(),
  createdAt: z.string(),
  lastSentAt: z.string().nullable(),
})
export type PushSubscriptionRow = z.infer<typeof PushSubscriptionRow>

export const getPush = signature({
  name: "chorus_get_push",
  does: "Get the key browsers subscribe with, and which of your browsers are called.",
  needs: "person",
  // The key is made when it is first asked for.
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ publicKey: z.string(), subscriptions: z.array(PushSubscriptionRow) }),
})

export const subscribePush = signature({
  name: "chorus_subscribe_push",
  does: "Have this browser called when an agent of yours needs you or has finished.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ endpoint, keys: z.object({ p256dh: bytes(65), auth: bytes(16) }), browser: line(80).optional() }),
  output: PushSubscriptionRow,
})

export const unsubscribePush = signature({
  name: "chorus_unsubscribe_push",
  does: "Have this browser called no more.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ endpoint }),
  output: z.object({ removed: z.boolean() }),
})

export const notePageInView = signature({
  name: "chorus_note_page_in_view",
  does: "Say that you look at the page right now, so that you are not called elsewhere.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ visibleAt: z.string() }),
})
