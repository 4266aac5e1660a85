import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { takeDownloads } from "../../test/downloads.ts"
import { hold, meetGuest } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

const write = (documentUuid: string, content: string, more = {}) =>
  owner.call("chorus_pm_update_document", { documentUuid, content, ...more })
const documentNow = (documentUuid: string) => owner.call("chorus_get_document", { documentUuid })

/** A document with these versions, open on the page. */
async function opened(versions: readonly string[] = ["# Wires\n\nCopper."], options = {}) {
  const projectUuid = await makeProject()
  const [first = "", ...later] = versions
  const { uuid: documentUuid } = await owner.call("chorus_pm_create_document", {
    projectUuid,
    type: "guide",
    title: "Wires",
    content: first,
  })
  for (const content of later) await write(documentUuid, content)
  const { router, screen } = await openPage(`/projects/${projectUuid}/documents/${documentUuid}`, options)
  const main = screen.getByRole("main")
  const tab = async (name: RegExp) => {
    await main.getByRole("tab", { name }).click()
    return main.getByRole("tabpanel", { name })
  }
  const version = (number: number) =>
    main
      .getByRole("list", { name: "Versions" })
      .getByRole("listitem")
      .filter({ hasText: `Version ${number}` })
  return { projectUuid, documentUuid, router, screen, main, tab, version }
}

async function editing(versions?: readonly string[]) {
  const page = await opened(versions)
  await page.main.getByRole("button", { name: "Edit" }).click()
  return {
    ...page,
    title: page.main.getByRole("textbox", { name: "Title" }),
    content: page.main.getByRole("textbox", { name: "Content" }),
  }
}

describe("a document", () => {
  it("is read as what it means, and follows its next version", async () => {
    const { documentUuid, main } = await opened()
    await expect.element(main.getByRole("heading", { level: 2, name: "Wires" })).toBeVisible()
    await expect.element(main.getByText("Guide")).toBeVisible()
    await owner.call("chorus_pm_update_document", { documentUuid, content: "Now of silver." })
    await expect.element(main.getByText("Now of silver.")).toBeVisible()
    await expect.element(main.getByRole("tab", { name: /^Versions/ })).toHaveTextContent("Versions2")
  })

  it("names whoever wrote the version on show, not the first", async () => {
    const agent = await hire()
    const projectUuid = await makeProject()
    const { uuid: documentUuid } = await agent.client.call("chorus_pm_create_document", {
      projectUuid,
      type: "guide",
      title: "Wires",
      content: "Copper.",
    })
    const { screen } = await openPage(`/projects/${projectUuid}/documents/${documentUuid}`)
    const article = screen.getByRole("main").getByRole("article")
    await expect.element(article.getByText(agent.name).first()).toBeVisible()
    await write(documentUuid, "Now of silver.")
    await expect.element(article.getByText(/version 2/i)).toBeVisible()
    await expect.element(article.getByText(agent.name)).not.toBeInTheDocument()
  })

  it("is only read by those who may only look", async () => {
    const { screen, main, tab, version } = await opened(["a", "b"], { role: "viewer" })
    await expect.element(main.getByRole("tab", { name: "Read" })).toBeVisible()
    await expect.element(main.getByRole("button", { name: "Edit" })).not.toBeInTheDocument()
    await main.getByRole("button", { name: "More" }).click()
    await expect.element(screen.getByRole("menuitem", { name: "Download as Markdown" })).toBeVisible()
    await expect.element(screen.getByRole("menuitem", { name: "Delete" })).not.toBeInTheDocument()
    await userEvent.keyboard("{Escape}")
    await tab(/^Versions/)
    await expect.element(version(1).getByRole("button", { name: "Show this version" })).toBeVisible()
    await expect.element(version(1).getByRole("button", { name: "Restore" })).not.toBeInTheDocument()
  })

  it("is downloaded as the Markdown it is", async () => {
    const saved = takeDownloads()
    const { screen, main } = await opened(["# Wires\n\nCopper."])
    await main.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: "Download as Markdown" }).click()
    await expect.poll(() => saved).toHaveLength(1)
    expect(saved[0]?.name).toMatch(/^wires.*\.md$/i)
    expect(await saved[0]?.text()).toContain("Copper.")
  })

  it("is deleted only when that is meant", async () => {
    const { projectUuid, documentUuid, router, screen, main } = await opened()
    const ask = async () => {
      await main.getByRole("button", { name: "More" }).click()
      await screen.getByRole("menuitem", { name: "Delete" }).click()
      return screen.getByRole("dialog", { name: "Delete this document?" })
    }
    await (await ask()).getByRole("button", { name: "Cancel" }).click()
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    expect((await documentNow(documentUuid)).title).toBe("Wires")
    await (await ask()).getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/documents`)
    await expect(documentNow(documentUuid)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("the editor", () => {
  it("shows what it will look like while it is written, and keeps it as a new version", async () => {
    const { documentUuid, main, title, content } = await editing()
    await expect.element(content).toHaveFocus()
    await title.fill(" Wires and plugs ")
    await content.fill("Of **silver**.")
    await expect.element(main.getByText("silver", { exact: true })).toBeVisible()
    await content.click()
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(main.getByRole("tab", { name: "Read" })).toBeVisible()
    expect(await documentNow(documentUuid)).toMatchObject({
      title: "Wires and plugs",
      content: "Of **silver**.",
      version: 2,
    })
  })

  it("needs a title, and changes nothing when it is left", async () => {
    const { documentUuid, screen, main, title, content } = await editing()
    await content.fill("Something else")
    await title.fill(" ")
    await expect.element(main.getByRole("button", { name: "Save" })).toBeDisabled()
    await main.getByRole("button", { name: "Cancel" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Discard" }).click()
    await expect.element(main.getByText("Copper.")).toBeVisible()
    expect((await documentNow(documentUuid)).version).toBe(1)
  })

  it("tells when somebody saved meanwhile, keeps what was typed, and writes over it only on purpose", async () => {
    const { documentUuid, main, content } = await editing()
    await content.fill("Mine")
    await write(documentUuid, "Theirs")
    await expect
      .element(main.getByRole("alert"))
      .toMatchTextContent("You saved version 2 elsewhere while you were writing here.")
    await expect.element(content).toHaveValue("Mine")
    await expect.element(main.getByRole("button", { name: "Save", exact: true })).not.toBeInTheDocument()
    await main.getByRole("button", { name: "Save anyway" }).click()
    await expect.element(main.getByText("Mine")).toBeVisible()
    expect(await documentNow(documentUuid)).toMatchObject({ content: "Mine", version: 3 })
  })

  it("names whoever else saved meanwhile, and takes one's own save for nobody else's", async () => {
    const { documentUuid, main, content } = await editing()
    const late = hold("/chorus_get_document")
    await content.fill("Silver.")
    await main.getByRole("button", { name: "Save" }).click()
    await main.getByRole("button", { name: "Edit" }).click()
    await expect.element(content).toHaveValue("Silver.")
    await content.fill("Silver and gold.")
    late()
    await main.getByRole("button", { name: "Save", exact: true }).click()
    await expect.element(main.getByText("Silver and gold.")).toBeVisible()
    await expect.element(main.getByRole("alert")).not.toBeInTheDocument()
    expect(await documentNow(documentUuid)).toMatchObject({ content: "Silver and gold.", version: 3 })
    await main.getByRole("button", { name: "Edit" }).click()
    await content.fill("Mine")
    const other = await meetGuest("member")
    await other.client.call("chorus_pm_update_document", { documentUuid, content: "Theirs" })
    await expect
      .element(main.getByRole("alert"))
      .toMatchTextContent(`${other.name} changed it while you were writing: version 4.`)
  })

  it("keeps what is typed when the document goes, and says so when it is saved", async () => {
    const { documentUuid, screen, main, content } = await editing()
    await content.fill("Typed for an hour")
    await owner.call("chorus_admin_delete_document", { documentUuid })
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("region", { name: "News" }).getByRole("alert")).toBeVisible()
    await expect.element(content).toHaveValue("Typed for an hour")
    await main.getByRole("button", { name: "Cancel" }).click()
    await screen.getByRole("dialog").getByRole("button", { name: "Discard" }).click()
    await expect.element(main.getByRole("alert")).toMatchTextContent("Try again")
  })

  it("says what the server does not take, and keeps it", async () => {
    const { screen, main, title, content } = await editing()
    await title.fill("Wi\u0007res")
    await content.fill("Typed for an hour")
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(content).toHaveValue("Typed for an hour")
    await expect.element(main.getByRole("button", { name: "Save" })).toBeEnabled()
  })
})

describe("the versions of a document", () => {
  it("are looked at, and left again for the present one", async () => {
    const { main, tab, version } = await opened(["Of copper.", "Of silver.", "Of gold."])
    await tab(/^Versions/)
    await expect.element(version(3)).toMatchTextContent("current")
    await expect.element(version(3).getByRole("button")).not.toBeInTheDocument()
    await version(1).getByRole("button", { name: "Show this version" }).click()
    await expect.element(main.getByText("Of copper.")).toBeVisible()
    await expect
      .element(main.getByText("This is version 1. It is not the current one.", { exact: false }))
      .toBeVisible()
    await main.getByRole("button", { name: "Back to the current version" }).click()
    await expect.element(main.getByText("Of gold.")).toBeVisible()
  })

  it("show the title's change where nothing else changed", async () => {
    const { main, tab, version, documentUuid } = await opened(["Of copper."])
    const { title } = await owner.call("chorus_get_document", { documentUuid })
    await owner.call("chorus_pm_update_document", { documentUuid, title: "Another name" })
    await tab(/^Versions/)
    await version(1).getByRole("button", { name: "Compare with now" }).click()
    const changed = main.getByRole("group", { name: "Change of the title" })
    await expect.element(changed).toHaveTextContent(`−${title}+Another name`)
    await expect.element(main.getByText("0 added, 0 removed")).not.toBeInTheDocument()
  })

  it("are compared, each with each", async () => {
    const { main, tab, version } = await opened(["one\ntwo\n", "one\n2\n", "one\n2\nthree\n"])
    await tab(/^Versions/)
    await version(1).getByRole("button", { name: "Compare with now" }).click()
    const changes = main.getByRole("group", { name: "Changes" })
    await expect.element(main.getByText("2 added, 1 removed")).toBeVisible()
    await expect.element(changes).toMatchTextContent("−two")
    await main.getByRole("combobox", { name: "From" }).selectOptions("Version 2")
    await expect.element(main.getByText("1 added, 0 removed")).toBeVisible()
    await expect.element(changes).not.toMatchTextContent("−two")
    await main.getByRole("combobox", { name: "to" }).selectOptions("Version 1")
    await expect.element(main.getByText("1 added, 1 removed")).toBeVisible()
  })

  it("have nothing to compare where there is one", async () => {
    const { main, tab } = await opened()
    await tab(/^Changes/)
    await expect.element(main.getByText("There is only one version.")).toBeVisible()
  })

  it("come back as a newer one: nothing is lost", async () => {
    const { documentUuid, screen, tab, version } = await opened(["Of copper.", "Of silver."])
    await tab(/^Versions/)
    await version(1).getByRole("button", { name: "Restore" }).click()
    await expect.element(screen.getByText("Version 1 is current again")).toBeVisible()
    await expect.element(version(3)).toMatchTextContent("current")
    expect(await documentNow(documentUuid)).toMatchObject({ content: "Of copper.", version: 3 })
  })
})
