import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { PROSE, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"

async function opened() {
  const planned = await submitPlan()
  const path = `/projects/${planned.projectUuid}/proposals/${planned.proposalUuid}`
  const { router, screen } = await openPage(path)
  const main = screen.getByRole("main")
  const tasks = main.getByRole("region", { name: "Tasks" })
  const draftNow = async (title: string) => {
    const { documentDrafts = [], taskDrafts = [] } = await owner.call("chorus_get_proposal", {
      proposalUuid: planned.proposalUuid,
      section: "full",
    })
    return [...documentDrafts, ...taskDrafts].find(({ uuid }) => uuid === planned.draft(title))
  }
  const editTask = async (title: string) => {
    await tasks.getByRole("button", { name: new RegExp(`^${title}`) }).click()
    await tasks.getByRole("listitem").filter({ hasText: title }).getByRole("button", { name: "Edit" }).click()
    return screen.getByRole("dialog", { name: "Edit the task" })
  }
  return { ...planned, path, router, screen, main, tasks, draftNow, editTask }
}

describe("editing a task of a plan", () => {
  it("changes all of it in one go", async () => {
    const { screen, draft, draftNow, editTask, tasks } = await opened()
    const dialog = await editTask("Lay the wire")
    await dialog.getByRole("textbox", { name: "Title" }).fill(" Lay the cable ")
    await dialog.getByRole("textbox", { name: "Brief" }).fill("")
    await dialog.getByRole("combobox", { name: "Priority" }).selectOptions("Not set")
    await dialog.getByRole("spinbutton", { name: "Estimate" }).fill("0.5")
    await dialog.getByRole("textbox", { name: "Criterion 1" }).fill("It carries 16 A")
    await dialog.getByRole("button", { name: "Remove criterion 2" }).click()
    await expect.element(dialog.getByRole("button", { name: "Remove criterion 1" })).toBeDisabled()
    await dialog.getByRole("button", { name: "Add a criterion" }).click()
    await dialog.getByRole("textbox", { name: "Criterion 2" }).fill("It is grounded")
    await dialog.getByRole("checkbox", { name: "Required" }).nth(1).click()
    await dialog.getByRole("button", { name: "Add a criterion" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(tasks.getByRole("button", { name: /^Lay the cable/ })).toMatchTextContent("2 criteria")
    expect(await draftNow("Lay the wire")).toMatchObject({
      uuid: draft("Lay the wire"),
      title: "Lay the cable",
      description: null,
      priority: null,
      storyPoints: 0.5,
      acceptanceCriteriaItems: [{ description: "It carries 16 A" }, { description: "It is grounded", required: false }],
    })
  })

  it("sets what comes before it, and cannot close a ring", async () => {
    const { screen, draftNow, editTask } = await opened()
    const dialog = await editTask("Lay the wire")
    await dialog.getByRole("checkbox", { name: "Hang the lamp" }).click()
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(dialog.getByRole("checkbox", { name: "Hang the lamp" })).toBeChecked()
    expect(await draftNow("Lay the wire")).toMatchObject({ dependsOnDraftUuids: [], version: 1 })
  })

  it("cannot be saved without a title, a number that is one, and a criterion", async () => {
    const { editTask } = await opened()
    const dialog = await editTask("Hang the lamp")
    const save = dialog.getByRole("button", { name: "Save" })
    await expect.element(save).toBeEnabled()
    await dialog.getByRole("textbox", { name: "Criterion 1" }).fill(" ")
    await expect.element(save).toBeDisabled()
    await dialog.getByRole("textbox", { name: "Criterion 1" }).fill("It shines")
    await dialog.getByRole("spinbutton", { name: "Estimate" }).fill("-1")
    await expect.element(save).toBeDisabled()
    await dialog.getByRole("spinbutton", { name: "Estimate" }).fill("")
    await expect.element(save).toBeEnabled()
    await dialog.getByRole("textbox", { name: "Title" }).fill("  ")
    await expect.element(save).toBeDisabled()
  })

  it("tells when somebody saved it meanwhile, keeps what was typed, and writes over it only on purpose", async () => {
    const { proposalUuid, draft, draftNow, editTask } = await opened()
    const dialog = await editTask("Lay the wire")
    await dialog.getByRole("textbox", { name: "Title" }).fill("Mine")
    await owner.call("chorus_pm_update_task_draft", { proposalUuid, draftUuid: draft("Lay the wire"), title: "Theirs" })
    await expect.element(dialog.getByRole("alert")).toMatchTextContent("Somebody saved version 2 in the meantime.")
    await expect.element(dialog.getByRole("textbox", { name: "Title" })).toHaveValue("Mine")
    await dialog.getByRole("button", { name: "Save anyway" }).click()
    await expect.poll(() => draftNow("Lay the wire")).toMatchObject({ title: "Mine", version: 3 })
  })

  it("is there again after the page was left, until it is saved", async () => {
    const { router, path, draftNow, editTask, tasks } = await opened()
    const dialog = await editTask("Lay the wire")
    await dialog.getByRole("textbox", { name: "Title" }).fill("Lay all wires")
    await router.navigate({ to: "/" })
    await expect.element(dialog).not.toBeInTheDocument()
    await router.navigate({ to: path })
    await expect.element(tasks).toBeVisible()
    const back = await editTask("Lay the wire")
    await expect.element(back.getByRole("textbox", { name: "Title" })).toHaveValue("Lay all wires")
    await expect.element(back.getByText("You started this earlier.")).toBeVisible()
    await back.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => draftNow("Lay the wire")).toMatchObject({ title: "Lay all wires" })
    expect(Object.keys(localStorage).filter((key) => key.includes("edit.draft."))).toEqual([])
  })

  it("is left by Escape, after a question, as if nothing had been, with the focus where it was", async () => {
    const { draftNow, editTask, tasks, screen } = await opened()
    const dialog = await editTask("Lay the wire")
    await dialog.getByRole("textbox", { name: "Title" }).fill("Mine")
    await userEvent.keyboard("{Escape}")
    await dialog.getByRole("button", { name: "Discard" }).click()
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(tasks.getByRole("button", { name: "Edit" })).toHaveFocus()
    expect(await draftNow("Lay the wire")).toMatchObject({ title: "Lay the wire", version: 1 })
  })
})

describe("editing a document of a plan", () => {
  it("makes a new version of it, which becomes the next submission", async () => {
    const { proposalUuid, main, draftNow } = await opened()
    await main.getByRole("tab", { name: "Revisions" }).click()
    const revisions = main.getByRole("tabpanel", { name: "Revisions" }).getByRole("listitem")
    await expect.element(revisions).toMatchTextContent("Waits for review")
    await main.getByRole("region", { name: "Documents" }).getByRole("button", { name: "Edit" }).click()
    const editor = main.getByRole("region", { name: "Edit the document" })
    await editor.getByRole("textbox", { name: "Content" }).fill(`# Light\n\n${PROSE.repeat(2)}`)
    await editor.getByRole("button", { name: "Save" }).click()
    await expect.element(editor).not.toBeInTheDocument()
    await expect.element(main.getByRole("region", { name: "Documents" })).toMatchTextContent("Version 2")
    expect(await draftNow("What light is for")).toMatchObject({ title: "What light is for", version: 2 })
    const { revision, status } = await owner.call("chorus_get_proposal", { proposalUuid })
    expect({ revision, status }).toEqual({ revision: 2, status: "pending" })
    await expect
      .element(main.getByRole("region", { name: "Changes since the last submission" }))
      .toMatchTextContent("+# Light")
    await expect.element(revisions.nth(0)).toMatchTextContent("Revision 2Waits for review")
    await expect.element(revisions.nth(1)).toMatchTextContent("Revision 1Corrected in review")
    await expect.element(main).not.toMatchTextContent("Rejected")
  })

  it("shows each document behind its own tab, and stays with the one that was chosen", async () => {
    const { proposalUuid, projectUuid } = await submitPlan({
      documents: [
        { type: "prd", title: "Light", content: PROSE.repeat(2) },
        { type: "tech_design", title: "Current", content: `${PROSE.repeat(2)} Alternating.` },
      ],
    })
    const { screen } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    const documents = screen.getByRole("main").getByRole("region", { name: "Documents" })
    await documents.getByRole("tab", { name: "Current" }).click()
    await expect.element(documents.getByText("Alternating.", { exact: false })).toBeVisible()
    await owner.call("chorus_pm_update_document_draft", {
      proposalUuid,
      draftUuid: await uuidOf(proposalUuid, "Light"),
      title: "More light",
    })
    await expect.element(documents.getByRole("tab", { name: "More light" })).toBeVisible()
    await expect.element(documents.getByRole("tab", { name: "Current" })).toHaveAttribute("aria-selected", "true")
  })
})

async function uuidOf(proposalUuid: string, title: string): Promise<string> {
  const { documentDrafts = [] } = await owner.call("chorus_get_proposal", { proposalUuid, section: "full" })
  return documentDrafts.find((draft) => draft.title === title)?.uuid ?? ""
}
