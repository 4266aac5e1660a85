import { describe, expect, it } from "vitest"
import { takeDownloads } from "../../test/downloads.ts"
import { refuse } from "../../test/guest.ts"
import { makeIdea } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

async function openedIdea(options = {}) {
  const projectUuid = await makeProject()
  const ideaUuid = await makeIdea(projectUuid)
  const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`, options)
  const main = screen.getByRole("main")
  await expect.element(main.getByRole("heading", { level: 1 })).toMatchTextContent("Light in the hall")
  return {
    projectUuid,
    ideaUuid,
    screen,
    main,
    files: main.getByRole("region", { name: "Files" }),
    links: main.getByRole("region", { name: "References" }),
  }
}

/** Files chosen in the browser's own dialog. */
function chooseFiles(...files: readonly File[]): void {
  const picker = document.querySelector<HTMLInputElement>("input[type=file]")
  const chosen = new DataTransfer()
  for (const file of files) chosen.items.add(file)
  if (picker === null) throw new Error("nothing asks for files")
  picker.files = chosen.files
  picker.dispatchEvent(new Event("change", { bubbles: true }))
}

const attachmentsOf = async (targetUuid: string) =>
  (await owner.call("chorus_get_attachments", { targetType: "idea", targetUuid })).attachments

describe("files", () => {
  it("are attached several at a time, with their size, byte by byte", async () => {
    const { ideaUuid, main, files } = await openedIdea()
    await expect.element(main.getByRole("button", { name: "Attach a file" })).toBeVisible()
    const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 256)
    chooseFiles(new File([bytes], "plan.bin"), new File(["Läuft 灯"], "notiz.txt", { type: "text/plain" }))
    await expect.element(files.getByText("plan.bin")).toBeVisible()
    await expect.element(files.getByText("notiz.txt")).toBeVisible()
    await expect.element(files.getByText("20 kB")).toBeVisible()
    const kept = await attachmentsOf(ideaUuid)
    expect(kept.map(({ name, mediaType, size }) => [name, mediaType, size]).toSorted()).toEqual([
      ["notiz.txt", "text/plain", 10],
      ["plan.bin", "application/octet-stream", 20_000],
    ])
    const plan = kept.find(({ name }) => name === "plan.bin")
    const { contentBase64 } = await owner.call("chorus_get_attachment", { attachmentUuid: plan?.uuid ?? "" })
    expect([...atob(contentBase64)].map((sign) => sign.charCodeAt(0))).toEqual([...bytes])
  })

  it("can be attached again after they were removed", async () => {
    const { ideaUuid, main, files } = await openedIdea()
    await expect.element(main.getByRole("button", { name: "Attach a file" })).toBeVisible()
    chooseFiles(new File(["x"], "plan.txt"))
    await expect.element(files.getByText("plan.txt")).toBeVisible()
    await files.getByRole("button", { name: "Delete" }).click()
    await expect.element(files).not.toBeInTheDocument()
    expect(document.querySelector<HTMLInputElement>("input[type=file]")?.value).toBe("")
    chooseFiles(new File(["x"], "plan.txt"))
    await expect.element(files.getByText("plan.txt")).toBeVisible()
    expect(await attachmentsOf(ideaUuid)).toHaveLength(1)
  })

  it("that are too large are refused with what to do next; the others are kept", async () => {
    const { ideaUuid, screen, main, files } = await openedIdea()
    await expect.element(main.getByRole("button", { name: "Attach a file" })).toBeVisible()
    chooseFiles(new File([new Uint8Array(3_000_001)], "film.mp4"), new File(["x"], "plan.txt"))
    await expect.element(files.getByText("plan.txt")).toBeVisible()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    expect((await attachmentsOf(ideaUuid)).map(({ name }) => name)).toEqual(["plan.txt"])
  })

  it("are downloaded byte by byte, under their own name and as nothing a browser would open", async () => {
    const saved = takeDownloads()
    const { ideaUuid, screen, files } = await openedIdea()
    const hostile = "<script>alert(1)</script> 灯"
    const contentBase64 = btoa(String.fromCharCode(...new TextEncoder().encode(hostile)))
    await owner.call("chorus_add_attachment", {
      targetType: "idea",
      targetUuid: ideaUuid,
      name: "page.html",
      mediaType: "text/html",
      contentBase64,
    })
    await files.getByRole("button", { name: "page.html" }).click()
    await expect
      .poll(() => saved.map(({ name, type }) => [name, type]))
      .toEqual([["page.html", "application/octet-stream"]])
    expect(await saved[0]?.text()).toBe(hostile)
    refuse("chorus_get_attachment", { code: "store_busy", message: "The store is busy.", next: "Wait a moment." })
    await files.getByRole("button", { name: "page.html" }).click()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.Wait a moment.")
    expect(saved).toHaveLength(1)
  })

  it("of others appear by themselves, and cannot be taken away by those who may only look", async () => {
    const { ideaUuid, main, files } = await openedIdea({ role: "viewer" })
    await expect.element(main.getByRole("button", { name: "Attach a file" })).not.toBeInTheDocument()
    const agent = await hire()
    await agent.client.call("chorus_add_attachment", {
      targetType: "idea",
      targetUuid: ideaUuid,
      name: "plan.txt",
      mediaType: "text/plain",
      contentBase64: btoa("hello"),
    })
    await expect.element(files.getByRole("button", { name: "plan.txt" })).toBeVisible()
    await expect.element(files.getByRole("button", { name: "Delete" })).not.toBeInTheDocument()
  })
})

describe("references", () => {
  it("take an address of the web and a title, and are opened without telling where from", async () => {
    const { ideaUuid, screen, main, links } = await openedIdea()
    await main.getByRole("button", { name: "Add a reference" }).click()
    const dialog = screen.getByRole("dialog", { name: "Add a reference" })
    const address = dialog.getByRole("textbox", { name: "Address" })
    await expect.element(address).toHaveFocus()
    await dialog.getByRole("textbox", { name: "Title" }).fill("Lamps")
    for (const wrong of ["", "lamps", "javascript:alert(1)", "file:///etc/passwd"]) {
      await address.fill(wrong)
      await expect.element(dialog.getByRole("button", { name: "Save" })).toBeDisabled()
    }
    await address.fill("https://lamps.example/all")
    await dialog.getByRole("combobox", { name: "Kind" }).selectOptions("Repository")
    await dialog.getByRole("button", { name: "Save" }).click()
    const link = links.getByRole("link", { name: "Lamps" })
    await expect.element(link).toHaveAttribute("href", "https://lamps.example/all")
    await expect.element(link).toHaveAttribute("rel", "noopener noreferrer")
    expect((await owner.call("chorus_get_idea", { ideaUuid })).references).toMatchObject([
      { type: "repo", title: "Lamps" },
    ])
    await links.getByRole("button", { name: "Delete" }).click()
    await expect.element(links).not.toBeInTheDocument()
  })

  it("are added once by quick hands, and stay in the form when the server refuses", async () => {
    const { ideaUuid, screen, main, links } = await openedIdea()
    await main.getByRole("button", { name: "Add a reference" }).click()
    const dialog = screen.getByRole("dialog", { name: "Add a reference" })
    await dialog.getByRole("textbox", { name: "Address" }).fill("mailto:lamps@example.com")
    await dialog.getByRole("textbox", { name: "Title" }).fill("Lamps")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(dialog.getByRole("textbox", { name: "Title" })).toHaveValue("Lamps")
    await dialog.getByRole("textbox", { name: "Address" }).fill("https://lamps.example")
    const field = dialog.getByRole("textbox", { name: "Address" }).element()
    for (let times = 0; times < 3; times++) {
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
      await Promise.resolve()
    }
    await expect.element(links.getByRole("link", { name: "Lamps" })).toBeVisible()
    expect((await owner.call("chorus_get_idea", { ideaUuid })).references).toHaveLength(1)
  })
})
