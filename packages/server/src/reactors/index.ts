import type { Reactor } from "./reactor.ts"

/** What follows every change, in this order. */
export const reactors: readonly Reactor[] = []
