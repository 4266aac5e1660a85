import { onTestFinished } from "vitest"

type Network = typeof globalThis.fetch

/** As it is without anything between. */
export const network: Network = globalThis.fetch.bind(globalThis)

/** A page binds the network when it is opened; what lies between is asked for at each call. */
const between: ((network: Network) => Network)[] = []
const ours: Network = (input, init) => between.reduce((inner, wrap) => wrap(inner), network)(input, init)
globalThis.fetch = ours

/** Lies between the page and the server until the test ends. */
export function overNetwork(wrap: (network: Network) => Network): void {
  between.push(wrap)
  onTestFinished(() => void between.splice(between.indexOf(wrap), 1))
}

/** Whether what is asked for now goes to the server as it is. */
export function isDirect(): boolean {
  return between.length === 0 && globalThis.fetch === ours
}
