import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

async function openDocuments(projectUuid: string, options = {}) {
  const { router, screen } = await openPage(`/projects/${projectUuid}/documents`, options)
  const main = screen.getByRole("main")
  const titles = () =>
    main
      .getByRole("link")
      .elements()
      .map((row) => row.querySelector(".font-medium")?.textContent)
  return { router, screen, main, titles }
}

const make = (projectUuid: string, title: string, type: "guide" | "adr" | "prd" = "guide") =>
  owner.call("chorus_pm_create_document", { projectUuid, type, title })

describe("the documents of a project", () => {
  it("say what will come here where there are none, and let one be written", async () => {
    const projectUuid = await makeProject()
    const { router, screen, main } = await openDocuments(projectUuid)
    await expect.element(main.getByRole("heading", { name: "No documents yet" })).toBeVisible()
    await main.getByRole("button", { name: "New document" }).click()
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveFocus()
    await expect.element(screen.getByRole("button", { name: "Create" })).toBeDisabled()
    const kinds = [...screen.getByRole("combobox", { name: "Kind" }).element().querySelectorAll("option")].map(
      ({ textContent }) => textContent,
    )
    expect(kinds).toEqual(["Requirements", "Technical design", "Decision record", "Specification", "Guide"])
    await screen.getByRole("combobox", { name: "Kind" }).selectOptions("Decision record")
    await screen.getByRole("textbox", { name: "Title" }).fill(" Which lamp ")
    await userEvent.keyboard("{Enter}{Enter}")
    await expect.poll(() => router.state.location.pathname).toMatch(/documents\/[0-9a-f-]{36}$/)
    const { documents } = await owner.call("chorus_get_documents", { projectUuid })
    expect(documents).toMatchObject([{ title: "Which lamp", type: "adr", version: 1 }])
  })

  it("are narrowed by words and by kind, and say so when nothing is left", async () => {
    const projectUuid = await makeProject()
    await make(projectUuid, "How to change a bulb")
    await make(projectUuid, "Why bulbs", "adr")
    await make(projectUuid, "Wires", "adr")
    const { main, titles } = await openDocuments(projectUuid)
    await expect.poll(() => titles().toSorted()).toEqual(["How to change a bulb", "Why bulbs", "Wires"])
    await main.getByRole("combobox", { name: "Kind" }).selectOptions("Decision record")
    await expect.poll(() => titles().toSorted()).toEqual(["Why bulbs", "Wires"])
    await main.getByRole("searchbox", { name: "Filter documents" }).fill(" BULB ")
    await expect.poll(titles).toEqual(["Why bulbs"])
    await main.getByRole("combobox", { name: "Kind" }).selectOptions("Report")
    await expect.element(main.getByText("No document matches.")).toBeVisible()
  })

  it("follow what others write: a new one, a new version, one that goes", async () => {
    const projectUuid = await makeProject()
    const { uuid } = await make(projectUuid, "Wires")
    const agent = await hire("Grace")
    const { main, titles } = await openDocuments(projectUuid)
    await expect.element(main.getByRole("link", { name: /Wires/ })).toMatchTextContent("Version 1")
    await owner.call("chorus_pm_update_document", { documentUuid: uuid, title: "Wires and plugs" })
    await expect.element(main.getByRole("link", { name: /Wires and plugs/ })).toMatchTextContent("Version 2")
    await agent.client.call("chorus_pm_create_document", { projectUuid, type: "prd", title: "Lamps", content: "x" })
    await expect.poll(titles).toEqual(["Lamps", "Wires and plugs"])
    await owner.call("chorus_admin_delete_document", { documentUuid: uuid })
    await expect.poll(titles).toEqual(["Lamps"])
  })

  it("are only read by those who may only look", async () => {
    const projectUuid = await makeProject()
    await make(projectUuid, "Wires")
    const { main, titles } = await openDocuments(projectUuid, { role: "viewer" })
    await expect.poll(titles).toEqual(["Wires"])
    await expect.element(main.getByRole("button", { name: "New document" })).not.toBeInTheDocument()
  })

  it("say why they cannot be shown", async () => {
    const { main } = await openDocuments(crypto.randomUUID())
    await expect.element(main.getByRole("alert")).toMatchTextContent("Try again")
  })
})
