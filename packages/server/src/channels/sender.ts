import { ChorusError } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import type { Delivery } from "../deliveries/outbox.ts"
import { type Outcome, subjectOf } from "../deliveries/settle.ts"
import type { PushNotice } from "../push/notice.ts"
import { VERSION } from "../version.ts"
import type { Resolve } from "../webhooks/address.ts"
import { vettedPost } from "../webhooks/vetted-request.ts"
import type { Mailer } from "./mailer.ts"
import { channelPost } from "./message.ts"

export interface ChannelOptions {
  /** Where links lead: the address under which people reach this server. */
  readonly page: () => string
  readonly mailer?: Mailer | undefined
  readonly resolve?: Resolve | undefined
  /** Only for receivers of tests on this machine. */
  readonly telegram?: string | undefined
  readonly allowPrivate?: boolean | undefined
}

export function channelLane(channelUuid: string): string {
  return `channel:${channelUuid}`
}

/** Calls a person in a chat, on a phone or by e-mail. */
export async function sendToChannel(
  store: Store,
  { lane, payload }: Delivery,
  { page, mailer, resolve, telegram, allowPrivate = false }: ChannelOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const channel = await store.db
    .selectFrom("channels")
    .selectAll()
    .where("uuid", "=", subjectOf(lane))
    .executeTakeFirst()
  if (channel === undefined) return { arrived: false, error: "The channel is gone.", forGood: true }
  const notice = JSON.parse(payload) as PushNotice
  const link = new URL(notice.path, page()).href
  try {
    if (channel.kind === "email") {
      if (mailer === undefined) return { arrived: false, error: "This server sends no e-mail any more.", forGood: true }
      await mailer.send(channel.address, notice, link)
      return { arrived: true }
    }
    const { url, body } = channelPost({ ...channel, kind: channel.kind }, notice, link, telegram)
    const responseStatus = await vettedPost({
      url,
      body,
      headers: { "content-type": "application/json", "user-agent": `Chorus/${VERSION}` },
      allowPrivate: allowPrivate || channel.allowPrivate === 1,
      resolve,
      signal,
    })
    if (responseStatus >= 200 && responseStatus < 300) return { arrived: true, responseStatus }
    const forGood = responseStatus < 500 && responseStatus !== 429 && responseStatus !== 408
    return { arrived: false, responseStatus, error: `It answered ${responseStatus}.`, forGood }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { arrived: false, error: withoutSecrets(message, channel.address), forGood: error instanceof ChorusError }
  }
}

/** A token in an address is not for the list of what did not arrive. */
function withoutSecrets(message: string, address: string): string {
  return message.replaceAll(address, "…")
}
