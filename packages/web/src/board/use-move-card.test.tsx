import { describe, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { card, column, type Screen } from "../../test/cards.ts"
import { openPage } from "../../test/stage.tsx"
import { letStand, takeBack } from "../../test/stand.ts"
import { handIn, hire, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

async function drag(screen: Screen, title: string, to: "Open" | "In progress" | "To verify" | "Done") {
  await userEvent.dragAndDrop(card(screen, title), column(screen, to).getByRole("heading"))
}

describe("moving a card", () => {
  it("starts an open task for the person, and takes it back from the news", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Boat" })
    const { screen } = await openPage(`/projects/${project}/board`)
    await drag(screen, "Boat", "In progress")
    await expect.element(column(screen, "In progress").getByText("Boat")).toBeVisible()
    await expect.element(screen.getByText("Moved to In progress")).toBeVisible()
    await expect.poll(() => statusOf(task)).toBe("in_progress")
    await screen.getByRole("region", { name: "News" }).getByRole("button", { name: "Undo" }).click()
    await expect.element(column(screen, "Open").getByText("Boat")).toBeVisible()
    await expect.poll(() => statusOf(task)).toBe("open")
    await expect.element(screen.getByText("Moved to In progress")).not.toBeInTheDocument()
  })

  it("to Done can be taken back for ten seconds", async () => {
    const project = await makeProject()
    const ada = await hire()
    const [task = ""] = await makeTasks(project, {
      title: "Handed in",
      acceptanceCriteriaItems: [{ description: "Nice to have", required: false }],
    })
    await handIn(ada, task)
    const { screen } = await openPage(`/projects/${project}/board`)
    await drag(screen, "Handed in", "Done")
    await screen.getByRole("dialog").getByRole("button", { name: "Verify" }).click()
    await expect.element(column(screen, "Done").getByText("Handed in")).toBeVisible()
    await takeBack("Verifying: Handed in")
    await expect.element(column(screen, "To verify").getByText("Handed in")).toBeVisible()
    expect(await statusOf(task)).toBe("to_verify")
    await drag(screen, "Handed in", "Done")
    await screen.getByRole("dialog").getByRole("button", { name: "Verify" }).click()
    await letStand("Verifying: Handed in")
    await expect.element(screen.getByText("Verified")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Undo" })).not.toBeInTheDocument()
    expect(await statusOf(task)).toBe("done")
  })

  it("to Done verifies it as the button does, and leaves it where it was when that is left", async () => {
    const project = await makeProject()
    const ada = await hire()
    const [task = ""] = await makeTasks(project, { title: "Unjudged" })
    await handIn(ada, task)
    const { screen } = await openPage(`/projects/${project}/board`)
    await drag(screen, "Unjudged", "Done")
    const dialog = screen.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(dialog.getByText(/^1 criterion has not been judged yet\./)).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(column(screen, "To verify").getByText("Unjudged")).toBeVisible()
    expect(await statusOf(task)).toBe("to_verify")
    await drag(screen, "Unjudged", "Done")
    await dialog.getByRole("button", { name: "Pass all and verify" }).click()
    await expect.element(column(screen, "Done").getByText("Unjudged")).toBeVisible()
    await letStand("Verifying: Unjudged")
    await expect.poll(() => statusOf(task)).toBe("done")
  })

  it("does not send what the rules refuse anyway", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Too early" })
    const { screen } = await openPage(`/projects/${project}/board`)
    await drag(screen, "Too early", "Done")
    await expect.element(column(screen, "Open").getByText("Too early")).toBeVisible()
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
    expect(await statusOf(task)).toBe("open")
  })

  it("ends where the server says when somebody else was quicker", async () => {
    const project = await makeProject()
    const ada = await hire()
    const [task = ""] = await makeTasks(project, { title: "Contested" })
    const { screen } = await openPage(`/projects/${project}/board`)
    await expect.element(card(screen, "Contested")).toBeVisible()
    // Nobody tells the page in time: it learns of the rival only by the answer.
    await Promise.all([handIn(ada, task), drag(screen, "Contested", "In progress")])
    await expect.poll(() => statusOf(task)).not.toBe("open")
    const now = { in_progress: "In progress", to_verify: "To verify" } as const
    await expect
      .poll(async () => {
        const status = await statusOf(task)
        return (
          status in now &&
          column(screen, now[status as keyof typeof now])
            .getByText("Contested")
            .elements().length
        )
      })
      .toBe(1)
  })
})

describe("a column of many cards", () => {
  it("draws only those in sight, and reaches the last by keys", async () => {
    const project = await makeProject()
    const titles = Array.from({ length: 80 }, (_, at) => `Card number ${String(at).padStart(2, "0")}`)
    await makeTasks(project, ...titles.map((title) => ({ title })))
    const { screen } = await openPage(`/projects/${project}/board`)
    await expect.element(column(screen, "Open").getByText("80", { exact: true })).toBeVisible()
    const drawn = () => column(screen, "Open").getByRole("link").elements().length
    expect(drawn()).toBeLessThan(40)
    const first = column(screen, "Open").getByRole("link").first().element() as HTMLElement
    first.focus()
    await userEvent.keyboard("{ArrowDown>40/}")
    await expect.poll(() => document.activeElement?.textContent).toMatch(/^Card number/)
    expect(drawn()).toBeLessThan(40)
    await expect.poll(() => document.activeElement?.getBoundingClientRect().bottom).toBeLessThanOrEqual(innerHeight)
  })
})

describe("the board on a phone", () => {
  it("scrolls sideways inside itself and never the page", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "A title that is far too long for the narrow screen of a telephone in the hand" })
    await page.viewport(390, 700)
    try {
      const { screen } = await openPage(`/projects/${project}/board`)
      await expect.element(card(screen, "A title that is far too long")).toBeVisible()
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
      await expect.element(screen.getByRole("button", { name: "Open navigation" })).toBeVisible()
    } finally {
      await page.viewport(1280, 800)
    }
  })
})
