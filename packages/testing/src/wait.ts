type Truthy<T> = Exclude<T, undefined | null | false | 0 | "">

const SELDOM_MS = 200

/**
 * Resolves with the first truthy answer of `probe`; one that throws counts as "not yet". It is asked again after
 * `interval` ms, and less often the longer it takes to answer and the longer all of it takes: each question is work that
 * what is waited for has to wait for. Rejects, naming `what`, after `timeout` ms.
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  timeout = 60_000,
  what: string | (() => string) = "a condition",
  interval = 20,
): Promise<Truthy<T>> {
  const began = Date.now()
  let failure: unknown
  for (;;) {
    const asked = Date.now()
    try {
      const answer = await probe()
      if (answer) return answer as Truthy<T>
      failure = undefined
    } catch (error) {
      failure = error
    }
    const now = Date.now()
    if (now >= began + timeout) {
      const name = typeof what === "string" ? what : what()
      throw new Error(`Waited ${timeout} ms for ${name}.`, failure === undefined ? undefined : { cause: failure })
    }
    const pause = Math.max(interval, now - asked, Math.min((now - began) / 10, SELDOM_MS))
    await new Promise((resume) => setTimeout(resume, Math.min(pause, began + timeout - now)))
  }
}
