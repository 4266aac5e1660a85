import { expect, it } from "vitest"
import { page } from "vitest/browser"
import { becomeGuest } from "../test/guest.ts"

it("the page starts in the reader's language and looks, for whoever is signed in, and follows the log", async () => {
  const guest = await becomeGuest("viewer")
  localStorage.setItem("chorus.language", "zh")
  localStorage.setItem("chorus.theme", "dark")
  history.replaceState(null, "", "/settings/profile")
  document.body.append(Object.assign(document.createElement("div"), { id: "root" }))
  await import("./main.tsx")
  await expect.element(page.getByRole("heading", { name: "个人资料" })).toBeVisible()
  await expect.element(page.getByLabelText("名字")).toHaveValue(guest.name)
  expect(document.documentElement.lang).toBe("zh")
  expect(document.documentElement.dataset["theme"]).toBe("dark")
})
