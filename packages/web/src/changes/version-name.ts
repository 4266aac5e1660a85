import type { changes } from "@chorus/contracts"
import type { Translate } from "../i18n/language.ts"

/** What a version is called beside its number: what made it, counted among its own kind, and as what it was handed in. */
export function madeBy(text: Translate, { origin, nth, handedIn }: Made): string {
  const maker = text(`changes.made.${origin}`, { nth })
  if (handedIn === null) return maker
  const handIn = text("activity.handIn", { handIn: handedIn })
  // Hooks send what is handed in, so that the one says the other.
  return origin === "hook" ? handIn : text("changes.made.handedIn", { handIn, maker })
}

type Made = Pick<changes.ChangeRow, "origin" | "nth" | "handedIn">
