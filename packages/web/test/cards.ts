import { expect } from "vitest"
import type { RenderResult } from "vitest-browser-react"

export type Screen = RenderResult

export const COLUMN = { open: "Open", in_progress: "In progress", to_verify: "To verify", done: "Done" } as const

/** A column by the name a person reads above it. */
export function column(screen: Screen, name: (typeof COLUMN)[keyof typeof COLUMN]) {
  return screen.getByRole("main").getByRole("region", { name, exact: true })
}

/** A card by its title, wherever it stands. */
export function card(screen: Screen, title: string) {
  return screen.getByRole("link", { name: title, exact: false })
}

/** The titles that stand in a column from top to bottom. */
export function titlesIn(
  screen: Screen,
  name: (typeof COLUMN)[keyof typeof COLUMN],
  known: readonly string[],
): string[] {
  const cards = [...column(screen, name).element().querySelectorAll<HTMLElement>("[data-card]")]
  const top = (each: HTMLElement) => each.getBoundingClientRect().top
  return cards
    .toSorted((one, other) => top(one) - top(other))
    .map(({ textContent }) => known.find((title) => textContent.includes(title)) ?? textContent)
}

/** As Tab and the arrows would reach it. */
export async function focusCard(screen: Screen, title: string): Promise<void> {
  await expect.element(card(screen, title)).toBeVisible()
  card(screen, title).element().focus()
}
