import { describe, expect, it } from "vitest"
import { page } from "vitest/browser"
import { becomeGuest, hold, refuse, sentTo } from "../../test/guest.ts"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject } from "../../test/workplace.ts"

const REFUSED = { code: "store_busy", message: "The store is busy.", next: "Wait a moment, then try again." }

async function made(versions: readonly string[] = ["Of copper."]) {
  const projectUuid = await makeProject()
  const [first = "", ...later] = versions
  const { uuid: documentUuid } = await owner.call("chorus_pm_create_document", {
    projectUuid,
    type: "guide",
    title: "Wires",
    content: first,
  })
  for (const content of later) await owner.call("chorus_pm_update_document", { documentUuid, content })
  return { projectUuid, documentUuid, path: `/projects/${projectUuid}/documents/${documentUuid}` }
}

describe("a document on its way", () => {
  it("is said to be loading under its list's name, and then shown", async () => {
    const { path } = await made()
    const release = hold("chorus_get_document")
    const { screen } = await openPage(path)
    await expect.element(screen.getByRole("heading", { level: 1 })).toMatchTextContent("Documents/Loading")
    release()
    await expect.element(screen.getByText("Of copper.")).toBeVisible()
  })

  it("that cannot be brought back says why, and stays as it is", async () => {
    const { documentUuid, path } = await made(["Of copper.", "Of silver."])
    refuse("chorus_get_version", REFUSED)
    const { screen } = await openPage(path)
    await screen.getByRole("tab", { name: /^Versions/ }).click()
    await screen.getByRole("button", { name: "Restore" }).click()
    await expect
      .element(screen.getByRole("alert"))
      .toMatchTextContent("The store is busy.Wait a moment, then try again.")
    expect((await owner.call("chorus_get_document", { documentUuid })).version).toBe(2)
  })

  it("that cannot be downloaded says why", async () => {
    const { path } = await made()
    refuse("chorus_export_document", REFUSED)
    const { screen } = await openPage(path)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Download as Markdown" }).click()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.")
  })

  it("that cannot be deleted is still there", async () => {
    const { path } = await made()
    refuse("chorus_admin_delete_document", REFUSED)
    const { router, screen } = await openPage(path)
    await screen.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Delete" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.")
    expect(router.state.location.pathname).toBe(path)
  })
})

describe("a new document on its way", () => {
  it("is sent once, and stays in the form when it is refused", async () => {
    const projectUuid = await makeProject()
    const allow = refuse("chorus_pm_create_document", REFUSED)
    const release = hold("chorus_pm_create_document")
    const sent = sentTo("chorus_pm_create_document")
    const { router, screen } = await openPage(`/projects/${projectUuid}/documents`)
    await screen.getByRole("button", { name: "New document" }).click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Wires")
    const create = screen.getByRole("button", { name: "Create" })
    await create.click()
    await expect.element(create).toBeDisabled()
    release()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.")
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("Wires")
    expect(sent.count).toBe(1)
    allow()
    await create.click()
    await expect.poll(() => router.state.location.pathname).toMatch(/documents\/[0-9a-f-]{36}$/)
  })
})

describe("a document that came of a plan", () => {
  it("leads back to it, and is read by a viewer without anything to press", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    const { materializedDocuments } = await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    await becomeGuest("viewer")
    const { router, screen } = await openPage(
      `/projects/${projectUuid}/documents/${materializedDocuments[0]?.documentUuid}`,
    )
    await expect.element(screen.getByRole("heading", { level: 2, name: "What light is for" })).toBeVisible()
    for (const name of ["Edit", "Attach a file", "Add a reference"])
      await expect.element(screen.getByRole("button", { name })).not.toBeInTheDocument()
    await screen.getByRole("link", { name: "From a proposal" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/proposals/${proposalUuid}`)
  })
})

describe("documents on a narrow window", () => {
  it("say in their list all that they say on a wide one, each word whole", async () => {
    await page.viewport(390, 800)
    try {
      const projectUuid = await makeProject()
      await owner.call("chorus_pm_create_document", { projectUuid, type: "tech_design", title: "Wires", content: "" })
      const { screen } = await openPage(`/projects/${projectUuid}/documents`)
      const row = screen.getByRole("list", { name: "Documents" }).getByRole("listitem")
      const version = row.getByText("Version 1")
      await expect.element(version).toBeVisible()
      expect(version.element().getClientRects()).toHaveLength(1)
      expect(version.element().getBoundingClientRect().height).toBeLessThan(24)
      const end = row.element().getBoundingClientRect().right
      for (const part of row.element().querySelectorAll("span, time"))
        expect(part.getBoundingClientRect().right, part.textContent).toBeLessThanOrEqual(end)
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("fit it, whatever was written, and so does what changed between versions", async () => {
    await page.viewport(390, 800)
    try {
      const wide = "Averylongwordthatnobodycanbreak".repeat(12)
      const { path } = await made([`${wide}\n`, `# ${wide}\n\n\`\`\`\n${wide}\n\`\`\`\n`])
      const { screen } = await openPage(path)
      await expect.element(screen.getByRole("tab", { name: "Read" })).toBeVisible()
      const main = screen.getByRole("main").element()
      expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth)
      await screen.getByRole("tab", { name: "Changes" }).click()
      await expect.element(screen.getByRole("group", { name: "Changes" })).toBeVisible()
      expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth)
      await screen.getByRole("tab", { name: /^Versions/ }).click()
      await expect.element(screen.getByRole("button", { name: "Restore" })).toBeInViewport()
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    } finally {
      await page.viewport(1280, 800)
    }
  })
})
