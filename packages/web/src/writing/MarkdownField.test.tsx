import { useState } from "react"
import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { makeIdea, submitPlan } from "../../test/planning.ts"
import { openPage, owner, showRouted } from "../../test/stage.tsx"
import { makeProject, makeTasks, statusOf } from "../../test/workplace.ts"
import { Comments } from "../comments/Comments.tsx"
import { Markdown } from "../markdown/Markdown.tsx"
import { MarkdownField } from "./MarkdownField.tsx"
import type { AttachTo } from "./use-attaching.ts"

function Written({ attachTo }: { readonly attachTo?: AttachTo }) {
  const [value, setValue] = useState("")
  return <MarkdownField aria-label="Words" value={value} onChange={setValue} attachTo={attachTo} />
}

async function write(attachTo?: AttachTo) {
  const { screen } = await showRouted(<Written {...(attachTo === undefined ? {} : { attachTo })} />)
  return { screen, field: screen.getByRole("textbox", { name: "Words" }) }
}

/** One pixel. */
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (sign) => sign.charCodeAt(0),
)

function give(to: Element, how: "paste" | "drop", ...files: readonly File[]): void {
  const data = new DataTransfer()
  for (const file of files) data.items.add(file)
  to.dispatchEvent(
    how === "paste"
      ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
      : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
  )
}

describe("a file in a text", () => {
  it("is pasted or dropped where the caret is, arrives at what is written about, and is seen in the preview", async () => {
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Paint" })
    const { screen, field } = await write({ targetType: "task", targetUuid: taskUuid })
    await field.fill("Before after")
    const area = field.element() as HTMLTextAreaElement
    area.setSelectionRange(7, 7)
    give(area, "paste", new File([PNG], "hall.png", { type: "image/png" }))
    await expect.poll(() => area.value).toMatch(/^Before !\[hall\.png\]\(attachment:[0-9a-f-]{36}\)\nafter$/)
    give(area, "drop", new File(["<script>alert(1)</script>"], "notes.html", { type: "text/html" }))
    await expect.poll(() => area.value).toMatch(/\[notes\.html\]\(attachment:/)
    const attached = () => owner.call("chorus_get_attachments", { targetType: "task", targetUuid: taskUuid })
    await expect
      .poll(async () => (await attached()).attachments.map(({ name }) => name).toSorted())
      .toEqual(["hall.png", "notes.html"])
    await screen.getByRole("button", { name: "Preview" }).click()
    const picture = screen.getByRole("img", { name: "hall.png" })
    await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBe(1)
    await expect.element(screen.getByRole("link", { name: "notes.html" })).toHaveAttribute("download")
    await screen.getByRole("button", { name: "Write" }).click()
    await expect.element(field).toBeVisible()
  })

  it("is pasted into a comment, and seen in what was said", async () => {
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Paint" })
    const { screen } = await showRouted(<Comments targetType="task" targetUuid={taskUuid} />)
    const area = screen.getByLabelText("Write a comment… @ mentions, # links")
    await area.fill("So it looks: ")
    give(area.element(), "paste", new File([PNG], "hall.png", { type: "image/png" }))
    await expect.poll(() => (area.element() as HTMLTextAreaElement).value).toMatch(/!\[hall\.png\]\(attachment:/)
    await screen.getByRole("button", { name: "Comment", exact: true }).click()
    const picture = screen.getByRole("article").getByRole("img", { name: "hall.png" })
    await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBe(1)
  })

  it("that is too large is refused with words, and leaves nothing behind; what was typed meanwhile stays", async () => {
    const ideaUuid = await makeIdea(await makeProject())
    const { screen, field } = await write({ targetType: "idea", targetUuid: ideaUuid })
    await field.fill("Kept")
    give(field.element(), "paste", new File([new Uint8Array(3_000_001)], "film.mp4"))
    await userEvent.type(field, " and more")
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.poll(() => (field.element() as HTMLTextAreaElement).value).not.toContain("attachment")
    await expect.element(field).toHaveValue("Kept and more")
  })

  it("is not taken where there is nothing to attach it to", async () => {
    const { screen, field } = await write()
    give(field.element(), "paste", new File([PNG], "hall.png", { type: "image/png" }))
    await expect.element(field).toHaveValue("")
    await expect.element(screen.getByRole("button", { name: "Insert a file" })).not.toBeInTheDocument()
  })
})

describe("a link to what is worked on", () => {
  it("is completed after #, and shows the title and state it has now", async () => {
    const word = `zq${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: `Paint the ${word}` })
    const { screen, field } = await write()
    await userEvent.type(field, `see #${word}`)
    await screen.getByRole("option", { name: `Paint the ${word}` }).click()
    await expect.element(field).toHaveValue(`see [Paint the ${word}](task:${taskUuid}) `)
    await screen.getByRole("button", { name: "Preview" }).click()
    const link = screen.getByRole("link", { name: `Open Paint the ${word}` })
    await expect.element(link).toBeVisible()
    await owner.call("chorus_admin_close_task", { taskUuid })
    expect(await statusOf(taskUuid)).toBe("closed")
    await expect.element(screen.getByRole("link", { name: `Closed Paint the ${word}` })).toBeVisible()
  })

  it("is one to an idea, a proposal or a document as well, and leads there", async () => {
    const { projectUuid, ideaUuid, proposalUuid } = await submitPlan()
    const { uuid: documentUuid } = await owner.call("chorus_pm_create_document", {
      projectUuid,
      type: "prd",
      title: "What light is for",
      content: "# Light",
    })
    const { screen, router } = await showRouted(
      <Markdown source={`[a](idea:${ideaUuid}), [b](proposal:${proposalUuid}), [c](document:${documentUuid})`} />,
    )
    for (const [uuid, place, words] of [
      [ideaUuid, "ideas", "Light in the hall"],
      [proposalUuid, "proposals", "Lamps on every floor"],
      [documentUuid, "documents", "What light is for"],
    ] as const) {
      await screen.getByRole("link", { name: new RegExp(`${words}$`) }).click()
      await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/${place}/${uuid}`)
    }
  })

  it("is a short id where a project has that key, and leads there; others are words", async () => {
    const projectUuid = await makeProject("Lamp shop")
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Hang the lamp" })
    const { shortId } = await owner.call("chorus_get_task", { taskUuid })
    const { screen, router } = await showRouted(
      <Markdown source={`Do ${shortId} in UTF-8, not [in ${shortId}](https://x.example), nor \`${shortId}\``} />,
    )
    await expect.element(screen.getByText(/UTF-8, not/)).toBeVisible()
    expect(screen.container.querySelectorAll("a a")).toHaveLength(0)
    await screen.getByRole("link", { name: `Open ${shortId} Hang the lamp` }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
  })
})

describe("a task", () => {
  it("that is only being written down holds its files until it is there", async () => {
    const projectUuid = await makeProject()
    const { screen, router } = await openPage(`/projects/${projectUuid}/board`)
    await screen.getByRole("button", { name: "New task" }).first().click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Hang the lamp")
    const brief = screen.getByRole("textbox", { name: "Brief" }).element() as HTMLTextAreaElement
    give(brief, "paste", new File([PNG], "lamp.png", { type: "image/png" }))
    await expect.poll(() => brief.value).toMatch(/^!\[lamp\.png\]\(attachment:[0-9a-f-]{36}\)\n$/)
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.search).toMatchObject({ task: expect.any(String) })
    const seen = screen.getByRole("img", { name: "lamp.png" })
    await expect.poll(() => (seen.element() as HTMLImageElement).naturalWidth).toBe(1)
  })
})

describe("an idea", () => {
  it("that is only being written down holds its pictures until it is there", async () => {
    const projectUuid = await makeProject()
    const { screen, router } = await openPage(`/projects/${projectUuid}/ideas`)
    await screen.getByRole("main").getByRole("button", { name: "New idea" }).first().click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Title" }).fill("Light in the hall")
    const field = dialog.getByRole("textbox", { name: "In your words" })
    await field.fill("Like this: ")
    give(field.element(), "paste", new File([PNG], "lamp.png", { type: "image/png" }))
    await expect
      .poll(() => (field.element() as HTMLTextAreaElement).value)
      .toMatch(/^Like this: !\[lamp\.png\]\(attachment:[0-9a-f-]{36}\)\n$/)
    await dialog.getByRole("button", { name: "Preview" }).click()
    const seen = dialog.getByRole("img", { name: "lamp.png" })
    await expect.poll(() => (seen.element() as HTMLImageElement).naturalWidth).toBe(1)
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(/ideas\/[0-9a-f-]{36}$/)
    await expect.element(screen.getByRole("img", { name: "lamp.png" })).toBeVisible()
    const { ideas } = await owner.call("chorus_get_ideas", { projectUuid })
    expect(ideas).toMatchObject([{ version: 1 }])
  })

  it("is written with a preview, and takes pictures where it is edited", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
    await screen.getByRole("main").getByRole("button", { name: "More", exact: true }).first().click()
    await screen.getByRole("menuitem", { name: "Edit" }).click()
    const field = screen.getByRole("textbox", { name: "In your words" })
    await field.fill("Like **this**: ")
    give(field.element(), "paste", new File([PNG], "lamp.png", { type: "image/png" }))
    await expect.poll(() => (field.element() as HTMLTextAreaElement).value).toContain("attachment:")
    await screen.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("img", { name: "lamp.png" })).toBeVisible()
  })
})
