/**
 * Signs of life are told every four minutes; whoever has given none for longer may be dead, and is shown as nothing
 * else.
 */
export const SILENT_MS = 6 * 60_000
