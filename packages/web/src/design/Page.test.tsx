import { ChorusError } from "@chorus/contracts"
import { Coffee } from "lucide-react"
import { describe, expect, it, vi } from "vitest"
import { render } from "vitest-browser-react"
import { getSignIn } from "../sign-in/sign-in.ts"
import { SignedInContext } from "../sign-in/signed-in.ts"
import { Button } from "./Button.tsx"
import { EmptyState } from "./EmptyState.tsx"
import { Page } from "./Page.tsx"
import { Problem } from "./Problem.tsx"
import { SkeletonRows } from "./Skeleton.tsx"

describe("a page", () => {
  it("has one name, can be skipped to, and shows what stands beside and below it", async () => {
    const screen = await render(
      <Page
        title="Ideas"
        beside={<span>12</span>}
        actions={<Button>New idea</Button>}
        toolbar={<input aria-label="Filter" />}
      >
        <p>content</p>
      </Page>,
    )
    await expect.element(screen.getByRole("main")).toHaveAttribute("id", "main")
    await expect.element(screen.getByRole("heading", { level: 1, name: "Ideas" })).toBeVisible()
    for (const part of [
      screen.getByText("12"),
      screen.getByRole("button", { name: "New idea" }),
      screen.getByLabelText("Filter"),
      screen.getByText("content"),
    ])
      await expect.element(part).toBeVisible()
    ;(screen.getByRole("main").element() as HTMLElement).focus()
    await expect.element(screen.getByRole("main")).toHaveFocus()
  })

  it("shows all of a name that takes two lines", async () => {
    const screen = await render(
      <div style={{ width: 520 }}>
        <Page
          from={<a href="/">Board</a>}
          title="CR-4 Order summary that stays in view"
          actions={<Button>Verify</Button>}
        >
          content
        </Page>
      </div>,
    )
    const name = screen.getByRole("heading", { level: 1 }).element()
    expect([name.scrollWidth - name.clientWidth, name.scrollHeight - name.clientHeight]).toEqual([0, 0])
  })

  it("keeps a short name and what can be chosen beside it in one line of a phone", async () => {
    const screen = await render(
      <div style={{ width: 390 }}>
        <Page title="Activity" actions={<button style={{ width: 172 }}>All</button>}>
          content
        </Page>
      </div>,
    )
    const middle = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return Math.round((top + bottom) / 2)
    }
    const name = screen.getByRole("heading", { level: 1 })
    expect(middle(name.element())).toBe(middle(screen.getByRole("button").element()))
  })

  it("cuts a long name and keeps its buttons", async () => {
    const screen = await render(
      <div style={{ width: 600 }}>
        <Page title={"A very long name ".repeat(40)} actions={<Button>Edit</Button>}>
          content
        </Page>
      </div>,
    )
    const main = screen.getByRole("main").element()
    expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth)
    await expect.element(screen.getByRole("button", { name: "Edit" })).toBeInViewport({ ratio: 1 })
  })

  it.each([
    ["column", 1024],
    ["wide", 1600],
  ] as const)(
    "in the width %s is no wider than %i pixels, with the name over the edge of the content",
    async (width, most) => {
      const screen = await render(
        <div style={{ width: 2000 }}>
          <Page title="Name" width={width}>
            <p>content</p>
          </Page>
        </div>,
      )
      const content = screen.getByText("content").element().getBoundingClientRect()
      expect(content.width).toBeLessThanOrEqual(most)
      expect(content.left).toBe(screen.getByRole("heading", { name: "Name" }).element().getBoundingClientRect().left)
    },
  )
})

describe("a problem in place of a page", () => {
  it("says what happened and what to do next, and tries again when asked", async () => {
    const retry = vi.fn()
    const screen = await render(
      <Problem
        error={new ChorusError("not_found", "There is no such idea.", { next: "Look at the list.", status: 404 })}
        onRetry={retry}
      />,
    )
    await expect
      .element(screen.getByRole("alert"))
      .toHaveTextContent("There is no such idea.Look at the list.Try again")
    await screen.getByRole("button", { name: "Try again" }).click()
    expect(retry).toHaveBeenCalledTimes(1)
  })

  it("offers to sign in where the server no longer knows who is here, and nothing else", async () => {
    const refresh = vi.fn()
    const { person, signInUuid } = await getSignIn()
    if (person === null) throw new Error("nobody is signed in")
    const error = new ChorusError("unauthenticated", "send the header Authorization: Bearer chorus_…", { status: 401 })
    const screen = await render(
      <SignedInContext value={{ person, signInUuid, refresh }}>
        <Problem error={error} onRetry={() => undefined} />
      </SignedInContext>,
    )
    await expect.element(screen.getByRole("alert")).not.toMatchTextContent("Bearer")
    await screen.getByRole("button").click()
    expect(screen.getByRole("button").element().textContent).toBe("Sign in")
    expect(refresh).toHaveBeenCalledTimes(1)
  })

  it("offers nothing where trying again would not help", async () => {
    const screen = await render(<Problem error={new Error("It broke.")} />)
    await expect.element(screen.getByRole("alert")).toHaveTextContent("It broke.")
    await expect.element(screen.getByRole("button")).not.toBeInTheDocument()
  })

  it("does not show a person what no person can read", async () => {
    const screen = await render(<Problem error={{ strange: true }} />)
    await expect.element(screen.getByRole("alert")).toHaveTextContent("Something went wrong.")
  })
})

describe("where nothing is yet", () => {
  it("stands why, and the one thing to do next", async () => {
    const screen = await render(
      <EmptyState icon={Coffee} title="No ideas yet" action={<Button>New idea</Button>}>
        Everything begins with one.
      </EmptyState>,
    )
    await expect.element(screen.getByRole("heading", { name: "No ideas yet" })).toBeVisible()
    await expect.element(screen.getByText("Everything begins with one.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "New idea" })).toBeVisible()
  })

  it("stands no empty line where there is nothing to explain", async () => {
    const screen = await render(<EmptyState icon={Coffee} title="Nothing" />)
    expect(screen.container.querySelectorAll("p, button")).toHaveLength(0)
  })
})

describe("what is on its way", () => {
  it("is said aloud once, however many rows are drawn", async () => {
    const screen = await render(<SkeletonRows rows={7} />)
    const status = screen.getByRole("status", { name: "Loading" })
    expect(status.elements()).toHaveLength(1)
    expect(status.element().children).toHaveLength(7)
  })
})
