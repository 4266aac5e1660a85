import { placeAfter } from "./place-after.ts"

const KEPT = "chorus.left"
/** After a day one begins anew. */
const KEPT_MS = 86_400_000

interface Left {
  readonly person: string
  readonly place: string
  readonly at: number
}

/** A sign-in has ended by itself: where its person was is kept on this device, never the token of a link. */
export function keepPlace(person: string): void {
  const { pathname, search, hash } = location
  if (pathname === "/sign-in" || leftPlace() !== undefined) return
  localStorage.setItem(KEPT, JSON.stringify({ person, place: pathname + search + hash, at: Date.now() } satisfies Left))
}

/** Who was here until their sign-in ended, and where. */
export function leftPlace(): Left | undefined {
  try {
    const left = JSON.parse(localStorage.getItem(KEPT) ?? "null") as Partial<Left> | null
    if (typeof left?.person !== "string" || typeof left.place !== "string" || typeof left.at !== "number")
      return undefined
    return Date.now() - left.at > KEPT_MS ? undefined : { person: left.person, place: left.place, at: left.at }
  } catch {
    return undefined
  }
}

/** Somebody has come in: whoever left comes back to where they were, unless they were called to another place. */
export function comeBack(person: string): void {
  const left = leftPlace()
  localStorage.removeItem(KEPT)
  const isCalled = location.pathname !== "/" || location.search !== "" || location.hash !== ""
  if (left?.person !== person || isCalled) return
  history.replaceState(null, "", placeAfter(new URLSearchParams({ next: left.place }).toString()))
}
