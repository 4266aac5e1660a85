type Truthy<T> = Exclude<T, undefined | null | false | 0 | "">

/**
 * Resolves with the first truthy answer of `probe`, asked every `interval` ms; a probe that throws counts as "not yet".
 * Rejects, naming `what`, after `timeout` ms.
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  timeout = 60_000,
  what: string | (() => string) = "a condition",
  interval = 20,
): Promise<Truthy<T>> {
  const deadline = Date.now() + timeout
  let failure: unknown
  for (;;) {
    try {
      const answer = await probe()
      if (answer) return answer as Truthy<T>
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (Date.now() >= deadline) {
      const name = typeof what === "string" ? what : what()
      throw new Error(`Waited ${timeout} ms for ${name}.`, failure === undefined ? undefined : { cause: failure })
    }
    await new Promise((resume) => setTimeout(resume, interval))
  }
}
