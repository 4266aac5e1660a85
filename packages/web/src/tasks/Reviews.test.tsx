import { describe, expect, it } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { owner, showRouted } from "../../test/stage.tsx"
import { handIn, hire, makeProject, makeTasks } from "../../test/workplace.ts"
import { Reviews } from "./Reviews.tsx"

async function makeReviewable() {
  const [task = ""] = await makeTasks(await makeProject(), { title: "Bridge" })
  await handIn(await hire(), task)
  const bo = await hire("Bo")
  const review = (
    verdict: "pass" | "pass_with_notes" | "fail",
    summary: string,
    findings: { severity: "blocker" | "note"; text: string }[] = [],
    resolvedKeys: string[] = [],
  ) =>
    bo.client.call("chorus_submit_review", {
      targetType: "task",
      targetUuid: task,
      verdict,
      summary,
      findings,
      resolvedKeys,
    })
  const findings = async () =>
    (await owner.call("chorus_get_reviews", { targetType: "task", targetUuid: task })).reviews.flatMap(
      (each) => each.findings,
    )
  const shown = async (role: "owner" | "viewer" = "owner") =>
    (await showRouted(<Reviews open targetType="task" targetUuid={task} />, { role })).screen
  return { task, bo, review, findings, shown }
}

function finding(screen: Screen, text: string) {
  return screen.getByRole("listitem").filter({ hasText: text }).last()
}

describe("reviews", () => {
  it("say that there are none, and appear as they are given", async () => {
    const { shown, review, bo } = await makeReviewable()
    const screen = await shown()
    await expect.element(screen.getByText("Nobody has reviewed it yet.")).toBeVisible()
    await review("pass_with_notes", "It **holds**.", [{ severity: "note", text: "A rail is loose." }])
    await expect.element(screen.getByText("Passed with notes")).toBeVisible()
    await expect.element(screen.getByText("Round 1")).toBeVisible()
    await expect.element(screen.getByText(bo.name).first()).toBeVisible()
    await expect.element(screen.getByRole("strong").getByText("holds")).toBeVisible()
    await expect.element(screen.getByText("A rail is loose.")).toBeVisible()
    await expect.element(screen.getByText("N1")).toBeVisible()
  })

  it("stand newest first, each with its verdict in words", async () => {
    const { shown, review } = await makeReviewable()
    await review("fail", "It falls.", [{ severity: "blocker", text: "No pillars." }])
    await review("pass", "It stands.", [], ["B1"])
    const screen = await shown()
    await expect.element(screen.getByText("It stands.")).toBeVisible()
    const heads = screen
      .getByText(/^(Failed|Passed|Round \d)$/)
      .elements()
      .map(({ textContent }) => textContent)
    expect(heads).toEqual(["Passed", "Round 2", "Failed", "Round 1"])
    await expect.element(finding(screen, "No pillars.").getByText(/^Resolved/)).toBeVisible()
  })
})

describe("a person's review", () => {
  it("has a verdict that fits its findings, says where each is, and settles what others found", async () => {
    const { shown, review, task } = await makeReviewable()
    await review("fail", "It falls.", [{ severity: "blocker", text: "No pillars." }])
    const screen = await shown()
    await screen.getByRole("button", { name: "Leave a review" }).click()
    const dialog = screen.getByRole("dialog", { name: "Your review" })
    const send = dialog.getByRole("button", { name: "Send the review" })
    await expect.element(send).toBeDisabled()
    await dialog.getByRole("textbox", { name: "Summary" }).fill("Walked over it.")
    await dialog.getByRole("button", { name: "Add a finding" }).click()
    await dialog.getByRole("textbox", { name: "Finding 1" }).fill("A rail is loose.")
    await dialog.getByRole("textbox", { name: "File and line of finding 1" }).fill("rail.ts:7")
    await expect.element(dialog.getByRole("radio", { name: "Failed" })).toBeChecked()
    await dialog.getByRole("radio", { name: "Passed", exact: true }).click()
    await expect.element(dialog.getByRole("alert")).toHaveTextContent("A blocker is open, so it cannot pass.")
    await expect.element(send).toBeDisabled()
    await dialog.getByRole("combobox", { name: "Severity of finding 1" }).selectOptions("Note")
    await dialog.getByRole("radio", { name: "Passed with notes" }).click()
    await dialog.getByRole("checkbox", { name: "B1 No pillars." }).click()
    await send.click()
    await expect.element(dialog).not.toBeInTheDocument()
    const { reviews } = await owner.call("chorus_get_reviews", { targetType: "task", targetUuid: task })
    expect(reviews).toMatchObject([
      {
        verdict: "pass_with_notes",
        summary: "Walked over it.",
        findings: [{ severity: "note", text: "`rail.ts:7` A rail is loose." }],
      },
      { findings: [{ key: "B1", state: "resolved" }] },
    ])
  })
})

describe("a finding", () => {
  it("is resolved by a person, who is named, and opened again", async () => {
    const { shown, review, findings } = await makeReviewable()
    await review("fail", "It falls.", [{ severity: "blocker", text: "No pillars." }])
    const screen = await shown()
    await finding(screen, "No pillars.").getByRole("button", { name: "Resolve" }).click()
    await expect.element(finding(screen, "No pillars.").getByText("Resolved · Owner")).toBeVisible()
    expect((await findings())[0]?.state).toBe("resolved")
    await expect.element(screen.getByRole("button", { name: "Dismiss" })).not.toBeInTheDocument()
    await finding(screen, "No pillars.").getByRole("button", { name: "Reopen" }).click()
    await expect.element(finding(screen, "No pillars.").getByRole("button", { name: "Resolve" })).toBeVisible()
    expect((await findings())[0]?.state).toBe("open")
  })

  it("is dismissed, and shows the note another left with it", async () => {
    const { shown, review, findings, bo } = await makeReviewable()
    await review("pass_with_notes", "Fine.", [
      { severity: "note", text: "Paint it." },
      { severity: "note", text: "Name it." },
    ])
    const screen = await shown()
    await finding(screen, "Paint it.").getByRole("button", { name: "Dismiss" }).click()
    await expect.element(finding(screen, "Paint it.").getByText("Dismissed · Owner")).toBeVisible()
    const other = (await findings()).find(({ text }) => text === "Name it.")
    await bo.client.call("chorus_update_finding", {
      findingUuid: other?.uuid ?? "",
      state: "resolved",
      note: "Called Golden",
    })
    await expect.element(screen.getByText(`Resolved · ${bo.name} · Called Golden`)).toBeVisible()
  })

  it("is only to be read by who may only look", async () => {
    const { shown, review } = await makeReviewable()
    await review("fail", "It falls.", [{ severity: "blocker", text: "No pillars." }])
    const screen = await shown("viewer")
    await expect.element(screen.getByText("No pillars.")).toBeVisible()
    expect(screen.getByRole("button").elements()).toEqual([])
  })
})
