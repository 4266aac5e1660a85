import type { EventHub } from "../event-hub.ts"

const KEEP_ALIVE_MS = 15_000

/** An answer that stays open, for as long as its caller may come in; asked when somebody's rights have changed, and now and then. */
export async function whileKnown(
  answer: ReadableStream<Uint8Array>,
  hub: EventHub,
  workspaceUuid: string,
  stillKnown: () => Promise<boolean>,
): Promise<ReadableStream<Uint8Array>> {
  let end = () => {}
  const gate = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      end = () => controller.terminate()
    },
  })
  const ask = async () => {
    if (!(await stillKnown().catch(() => true))) end()
  }
  const subscription = await hub.subscribe({
    workspaceUuid,
    after: undefined,
    wants: () => false,
    recheck: () => void ask(),
    deliver: () => undefined,
  })
  const timer = setInterval(() => void ask(), KEEP_ALIVE_MS)
  const stop = () => {
    clearInterval(timer)
    subscription.close()
  }
  // It ends when its reader leaves, when there is no more to tell, and when the gate is shut.
  void answer.pipeTo(gate.writable).then(stop, stop)
  return gate.readable
}
