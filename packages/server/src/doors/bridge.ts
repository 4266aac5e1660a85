import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import { lastPosition, type Store } from "@chorus/store"
import { Hono } from "hono"
import { crossingDelivery } from "../bridges/outbox.ts"
import { queued } from "../deliveries/outbox.ts"
import type { DoorEnv } from "./door-env.ts"
import { readBody } from "./json-body.ts"

/**
 * `POST /api/bridges/<uuid>`: a tracker says that an issue has changed. Nothing it sends is taken over: it only makes
 * us look, with our own token, how the issue stands there.
 */
export function bridgeDoor(store: Store): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/:bridgeUuid", async (c) => {
    const body = await readBody(c.env.incoming)
    const bridge = await store.db
      .selectFrom("bridges")
      .selectAll()
      .where("uuid", "=", c.req.param("bridgeUuid"))
      .executeTakeFirst()
    const proof = { signature: c.req.header("x-hub-signature-256"), token: c.req.header("x-gitlab-token") }
    if (bridge === undefined || !isProven(bridge.secret, body, proof)) throw unproven()
    const { issueTold } = await import("@chorus/trackers")
    const issue = issueTold(bridge.origin, jsonOf(body))
    if (issue === undefined) return c.json({ taken: false }, 202)
    const at = new Date()
    await store.write(async (unit) => {
      const place = (await lastPosition(unit.db, bridge.workspaceUuid)) + 1
      const row = crossingDelivery(bridge, { title: "changed there", crossing: { issue, told: "there" } }, place, at)
      await unit.db.insertInto("deliveries").values(row).execute()
      const actor = { type: "system", uuid: "chorus", name: "Chorus" } as const
      const origin = { workspaceUuid: bridge.workspaceUuid, actor, at: at.toISOString(), requestId: c.get("requestId") }
      unit.append(origin, [queued(row)])
    })
    return c.json({ taken: true }, 202)
  })
  return door
}

/** GitHub signs what it sends; GitLab sends the secret along. */
function isProven(
  secret: string,
  body: Uint8Array,
  { signature, token }: { signature: string | undefined; token: string | undefined },
): boolean {
  if (signature !== undefined)
    return isSame(signature, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`)
  return token !== undefined && isSame(token, secret)
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new ChorusError("invalid_json", "The body is not JSON.", {
      status: 400,
      next: "Set the webhook's content type to application/json.",
    })
  }
}

function unproven(): ChorusError {
  return new ChorusError("bridge_refused", "No bridge has this address and secret.", {
    status: 401,
    next: "Set the webhook's address and secret as `chorus project bridge` printed them, or run it again for new ones.",
  })
}
