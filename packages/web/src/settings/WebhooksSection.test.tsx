import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"

const address = () => `https://hooks.chorus.example/${crypto.randomUUID()}`
const webhookTo = async (url: string) =>
  (await owner.call("chorus_list_webhooks", { pageSize: 100 })).webhooks.find((webhook) => webhook.url === url)

async function withWebhook() {
  const url = address()
  await owner.call("chorus_create_webhook", { url, kinds: ["task.verified", "proposal.*"] })
  const { screen } = await openPage("/settings/webhooks")
  return {
    url,
    screen,
    row: screen.getByRole("main").getByRole("listitem").filter({ hasText: url }),
    more: screen.getByRole("button", { name: `More about ${url}` }),
  }
}

async function openNew() {
  const { screen } = await openPage("/settings/webhooks")
  await screen.getByRole("button", { name: "New webhook" }).click()
  return { screen, dialog: screen.getByRole("dialog", { name: "New webhook" }) }
}

describe("a new webhook", () => {
  it("is made with the events it names, and its secret is shown once", async () => {
    const url = address()
    const { screen, dialog } = await openNew()
    await expect.element(dialog.getByLabelText("Address")).toHaveFocus()
    await dialog.getByLabelText("Address").fill(url)
    await dialog.getByLabelText("Events").fill(" task.verified,proposal.*  idea.created ")
    await userEvent.keyboard("{Enter}")
    const shown = screen.getByRole("dialog", { name: "Secret" })
    await expect.element(shown.getByText("Shown once. Use it to check the signature of what arrives.")).toBeVisible()
    expect(shown.getByLabelText("Secret").last().element().textContent.length).toBeGreaterThan(20)
    await shown.getByRole("button", { name: "Done" }).click()
    await expect.element(screen.getByText(url)).toBeVisible()
    expect(await webhookTo(url)).toMatchObject({ kinds: ["task.verified", "proposal.*", "idea.created"], active: true })
  })

  it.each([false, true])(
    "gets everything unless told otherwise, and may lie on a private network only where that is ticked: %s",
    async (ticked) => {
      const url = address()
      const { screen, dialog } = await openNew()
      await dialog.getByLabelText("Address").fill(url)
      if (ticked)
        await dialog
          .getByRole("checkbox", { name: "May be on this machine or a private network (owners only)" })
          .click()
      await dialog.getByRole("button", { name: "Create" }).click()
      await expect.element(screen.getByRole("dialog", { name: "Secret" })).toBeVisible()
      expect(await webhookTo(url)).toMatchObject({ kinds: ["*"], allowPrivate: ticked })
    },
  )

  it("is not made for an event that does not exist, and says which was meant", async () => {
    const url = address()
    const { screen, dialog } = await openNew()
    await dialog.getByLabelText("Address").fill(url)
    await dialog.getByLabelText("Events").fill("task.verifed")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByText(/"task\.verifed"/).first()).toBeVisible()
    await expect.element(dialog).toBeVisible()
    expect(await webhookTo(url)).toBeUndefined()
  })

  it("needs an address that is one, and events", async () => {
    const { dialog } = await openNew()
    await dialog.getByLabelText("Address").fill("not an address")
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(dialog.getByLabelText("Address")).toBeInvalid()
    await dialog.getByLabelText("Address").fill(address())
    await dialog.getByLabelText("Events").fill("")
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(dialog.getByLabelText("Events")).toBeInvalid()
  })
})

describe("a webhook that is there", () => {
  it("is paused and goes on", async () => {
    const { url, screen, row, more } = await withWebhook()
    await expect.element(row.getByText("proposal.*")).toBeVisible()
    await more.click()
    await screen.getByRole("menuitem", { name: "Pause" }).click()
    await expect.element(row.getByText("Paused")).toBeVisible()
    expect(await webhookTo(url)).toMatchObject({ active: false })
    await more.click()
    await screen.getByRole("menuitem", { name: "Resume" }).click()
    await expect.element(row.getByText("Paused")).not.toBeInTheDocument()
    expect(await webhookTo(url)).toMatchObject({ active: true })
  })

  it("is deleted only when that is meant", async () => {
    const { url, screen, row, more } = await withWebhook()
    await more.click()
    await screen.getByRole("menuitem", { name: "Delete" }).click()
    const asked = screen.getByRole("dialog", { name: "Delete this webhook?" })
    await expect
      .element(asked.getByText(`Nothing is sent to ${url} any more, and its secret is forgotten.`))
      .toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(asked).not.toBeInTheDocument()
    expect(await webhookTo(url)).toBeDefined()
    await more.click()
    await screen.getByRole("menuitem", { name: "Delete" }).click()
    await asked.getByRole("button", { name: "Delete" }).click()
    await expect.element(row).not.toBeInTheDocument()
    expect(await webhookTo(url)).toBeUndefined()
  })

  it("stays when the server refuses to pause it, and the reason is said", async () => {
    const { screen, row, more } = await withWebhook()
    refuse("/chorus_update_webhook", { code: "forbidden", message: "You may not do this." })
    await more.click()
    await screen.getByRole("menuitem", { name: "Pause" }).click()
    await expect.element(screen.getByText("You may not do this.")).toBeVisible()
    await expect.element(row.getByText("Paused")).not.toBeInTheDocument()
  })
})

it("says why webhooks cannot be shown", async () => {
  refuse("/chorus_list_webhooks", { code: "forbidden", message: "You may not see this." })
  const { screen } = await openPage("/settings/webhooks")
  await expect.element(screen.getByRole("main").getByRole("alert").getByText("You may not see this.")).toBeVisible()
})
