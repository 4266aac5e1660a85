/** The cookie by which the files of a run each have a server of their own. */
export const HOUSE = "house"
/** Where a file says that it needs its server no more. */
export const LEAVE = "/leave-house"
// As it is before a test takes its place.
const network = globalThis.fetch

/** What is asked for from here on is asked of a new server. */
export function enterHouse(): void {
  document.cookie = `${HOUSE}=${crypto.randomUUID()}; path=/`
}

export async function leaveHouse(): Promise<void> {
  await network(LEAVE)
}
