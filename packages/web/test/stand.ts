import { expect } from "vitest"
import { page } from "vitest/browser"

/** The news of a decision are closed, so nobody thinks better of it. */
export async function letStand(news: string | RegExp): Promise<void> {
  await answered(news, "Close")
}

/** It is taken back while there is time. */
export async function takeBack(news: string | RegExp): Promise<void> {
  await answered(news, "Undo")
}

async function answered(news: string | RegExp, by: "Close" | "Undo"): Promise<void> {
  const region = page.getByRole("region", { name: "News" })
  await expect.element(region.getByText(news)).toBeVisible()
  await region.getByRole("button", { name: by }).last().click()
  await expect.element(region.getByText(news)).not.toBeInTheDocument()
}
