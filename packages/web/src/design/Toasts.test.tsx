import { ChorusError } from "@chorus/contracts"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { render } from "vitest-browser-react"
import { setLanguage } from "../i18n/language.ts"
import { Toasts } from "./Toasts.tsx"
import { dismissToast, toast, toastError, toasts } from "./toasts.ts"

afterEach(() => {
  for (const { id } of toasts()) dismissToast(id)
})

describe("what is said in passing", () => {
  it("appears in a region that is read out, and goes by its cross", async () => {
    const screen = await render(<Toasts />)
    const region = screen.getByRole("region", { name: "News" })
    await expect.element(region).toHaveAttribute("aria-live", "polite")
    toast("Saved", { detail: "`Version` 3" })
    await expect.element(region).toHaveTextContent("SavedVersion 3")
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
    await region.getByRole("button", { name: "Close" }).click()
    await expect.element(region).toHaveTextContent("")
  })

  it("says of an error what happened and what to do next, without its code", async () => {
    const screen = await render(<Toasts />)
    toastError(new ChorusError("task_taken", "Ada has the task.", { next: "Ask Ada to give it back.", status: 409 }))
    const alert = screen.getByRole("alert")
    await expect.element(alert.getByText("Ada has the task.")).toBeVisible()
    await expect.element(alert.getByText("Ask Ada to give it back.")).toBeVisible()
    await expect.element(alert.getByText("task_taken")).not.toBeInTheDocument()
  })

  it("says to people what the server words for agents, and lets who is signed out sign in", async () => {
    const screen = await render(<Toasts />)
    toastError(
      new ChorusError("unauthenticated", "No valid key was sent.", {
        next: "Send the header Authorization: Bearer cho_….",
        status: 401,
      }),
    )
    toastError(new ChorusError("odd", "It cannot be.", { next: "Judge it with chorus_mark_acceptance_criteria." }))
    await expect.element(screen.getByText("Your sign-in has ended.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Sign in" })).toBeVisible()
    await expect.element(screen.getByText("It cannot be.")).toBeVisible()
    expect(screen.container.textContent).not.toMatch(/Bearer|chorus_/)
  })

  it("says in Chinese why the server refused, with the server's own words only where they name what does not fit", async () => {
    const screen = await render(<Toasts />)
    await setLanguage("zh")
    onTestFinished(() => setLanguage("en"))
    toastError(
      new ChorusError("self_approval", "You worked on it yourself.", {
        next: "Let somebody else approve it.",
        status: 403,
      }),
    )
    toastError(new ChorusError("proposal_invalid", "E3 The task `wire` has no criterion.", { next: "Correct it." }))
    await expect.element(screen.getByText("你参与了这个提案，所以须由其他人批准。")).toBeVisible()
    await expect.element(screen.getByText("提案还不能提交：The task wire has no criterion.")).toBeVisible()
    expect(screen.container.textContent).not.toMatch(/yourself|somebody|Correct/)
  })

  it("can be taken back once, and is gone then", async () => {
    const undo = vi.fn()
    const screen = await render(<Toasts />)
    toast("Moved", { undo })
    await screen.getByRole("button", { name: "Undo" }).click()
    await expect.element(screen.getByText("Moved")).not.toBeInTheDocument()
    expect(undo).toHaveBeenCalledTimes(1)
  })

  it("leaves the page below usable", async () => {
    const press = vi.fn()
    const screen = await render(
      <>
        <button type="button" onClick={press} style={{ position: "fixed", right: 20, bottom: 20 }}>
          Below
        </button>
        <Toasts />
      </>,
    )
    await screen.getByRole("button", { name: "Below" }).click()
    expect(press).toHaveBeenCalledTimes(1)
  })
})
