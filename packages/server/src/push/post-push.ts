import type { Resolve } from "../webhooks/address.ts"
import { vettedPost } from "../webhooks/vetted-request.ts"

export interface PushPost {
  readonly endpoint: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

export interface PushRoute {
  /** Only for receivers of tests on this machine. */
  readonly allowPrivate?: boolean | undefined
  readonly resolve?: Resolve | undefined
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Hands one message to a push service and tells its answer. */
export function postPush(
  { endpoint, body, headers }: PushPost,
  { allowPrivate = false, ...route }: PushRoute = {},
): Promise<number> {
  return vettedPost({ url: endpoint, body, headers, allowPrivate, ...route })
}
