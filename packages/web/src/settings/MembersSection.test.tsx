import { describe, expect, it } from "vitest"
import { becomeGuest, refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`
const rowOf = (screen: Screen, name: string) => screen.getByRole("main").getByRole("listitem").filter({ hasText: name })
const memberCalled = async (name: string) =>
  (await owner.call("chorus_list_members", { pageSize: 100 })).members.find((member) => member.name === name)

async function withMember() {
  const name = unique("Moe")
  const { member } = await owner.call("chorus_invite_member", { name, role: "member" })
  const { screen } = await openPage("/settings/members")
  await expect.element(rowOf(screen, name)).toBeVisible()
  return { name, uuid: member.uuid, screen, row: rowOf(screen, name) }
}

describe("inviting", () => {
  it("makes a member and shows the link that signs them in, once", async () => {
    const name = unique("Ned")
    const { screen } = await openPage("/settings/members")
    await screen.getByRole("button", { name: "Invite" }).click()
    const dialog = screen.getByRole("dialog", { name: "Invite" })
    await expect.element(dialog.getByLabelText("Name")).toHaveFocus()
    await dialog.getByLabelText("Name").fill(name)
    await dialog.getByLabelText("Role").selectOptions("Viewer")
    await dialog.getByRole("button", { name: "Invite" }).click()
    const link = screen.getByRole("dialog", { name: "One-time link" })
    await expect.element(link.getByText(/^It works once, until \w+ \d+, \d{4}, /)).toBeVisible()
    const address = new URL(link.getByLabelText("One-time link").last().element().textContent)
    expect([address.origin, address.pathname, address.hash.length > 20]).toEqual([location.origin, "/sign-in", true])
    await expect.element(link.getByText(/^This link opens on this machine only, because you are at/)).toBeVisible()
    await link.getByRole("button", { name: "Done" }).click()
    await expect.element(rowOf(screen, name)).toBeVisible()
    expect(await memberCalled(name)).toMatchObject({ role: "viewer", email: null })
  })

  it("gives a link at the address that people type, where the server was told it", async () => {
    const told = Object.assign(document.createElement("meta"), {
      name: "chorus-address",
      content: "https://chorus.example",
    })
    for (const before of document.querySelectorAll("meta[name=chorus-address]")) before.remove()
    document.head.append(told)
    try {
      const { row, screen } = await withMember()
      await row.getByRole("button", { name: /^More about/ }).click()
      await screen.getByRole("menuitem", { name: "New sign-in link" }).click()
      const link = screen.getByRole("dialog", { name: "One-time link" })
      await expect.element(link.getByText(/^https:\/\/chorus\.example\/sign-in#/)).toBeVisible()
      await expect.element(link.getByText(/opens on this machine only/)).not.toBeInTheDocument()
    } finally {
      told.remove()
    }
  })

  it("offers no second owner, and keeps what was typed when the e-mail is taken", async () => {
    const email = `${crypto.randomUUID()}@chorus.example`
    await owner.call("chorus_invite_member", { name: "Early bird", role: "viewer", email })
    const { screen } = await openPage("/settings/members")
    await screen.getByRole("button", { name: "Invite" }).click()
    const dialog = screen.getByRole("dialog", { name: "Invite" })
    expect(
      dialog
        .getByRole("option")
        .elements()
        .map((option) => option.textContent),
    ).toEqual(["Member", "Viewer", "Admin"])
    await dialog.getByLabelText("Name").fill("Late bird")
    await dialog.getByLabelText("E-mail").fill(email)
    await dialog.getByRole("button", { name: "Invite" }).click()
    await expect
      .element(
        screen
          .getByRole("region", { name: "News" })
          .getByText(/already has the address/)
          .first(),
      )
      .toBeVisible()
    await expect.element(dialog.getByLabelText("Name")).toHaveValue("Late bird")
    await expect.element(dialog.getByLabelText("E-mail")).toHaveValue(email)
  })
})

describe("a member", () => {
  it("is given another role", async () => {
    const { name, row } = await withMember()
    await row.getByLabelText(`Role of ${name}`).selectOptions("Admin")
    await expect.poll(() => memberCalled(name)).toMatchObject({ role: "admin" })
    await expect.element(row.getByLabelText(`Role of ${name}`)).toHaveValue("admin")
  })

  it("keeps the role when the server refuses another one", async () => {
    const { name, row, screen } = await withMember()
    refuse(
      "/chorus_update_member",
      { code: "last_owner", message: "Somebody has to own the workspace.", next: "Make another owner first." },
      409,
    )
    await row.getByLabelText(`Role of ${name}`).selectOptions("Viewer")
    await expect.element(screen.getByText("Somebody has to own the workspace.")).toBeVisible()
    await expect.element(row.getByLabelText(`Role of ${name}`)).toHaveValue("member")
  })

  it("is disabled and enabled again", async () => {
    const { name, row, screen } = await withMember()
    await row.getByRole("button", { name: `More about ${name}` }).click()
    await screen.getByRole("menuitem", { name: "Disable" }).click()
    await expect.element(row.getByText("Disabled")).toBeVisible()
    expect((await memberCalled(name))?.disabledAt).not.toBeNull()
    await row.getByRole("button", { name: `More about ${name}` }).click()
    await screen.getByRole("menuitem", { name: "Enable" }).click()
    await expect.element(row.getByText("Disabled")).not.toBeInTheDocument()
    expect((await memberCalled(name))?.disabledAt).toBeNull()
  })

  it("gets a new link when the first one is lost", async () => {
    const { name, row, screen } = await withMember()
    await row.getByRole("button", { name: `More about ${name}` }).click()
    await screen.getByRole("menuitem", { name: "New sign-in link" }).click()
    await expect.element(screen.getByRole("dialog", { name: "One-time link" }).getByText(/\/sign-in#/)).toBeVisible()
  })

  it("appears while the list is on show", async () => {
    const { screen } = await openPage("/settings/members")
    await expect.element(screen.getByRole("heading", { name: "Members" })).toBeVisible()
    const name = unique("Pam")
    await owner.call("chorus_invite_member", { name, role: "viewer" })
    await expect.element(rowOf(screen, name)).toBeVisible()
  })
})

describe("who may change what", () => {
  it("lets nobody change their own role", async () => {
    const { name } = await becomeGuest("admin")
    const { screen } = await openPage("/settings/members")
    await expect.element(rowOf(screen, name).getByText("You", { exact: true })).toBeVisible()
    await expect.element(rowOf(screen, name).getByText("Admin", { exact: true })).toBeVisible()
    await expect.element(screen.getByLabelText(`Role of ${name}`)).not.toBeInTheDocument()
  })

  it("shows everybody else who is there, and says who changes it", async () => {
    const { name } = await becomeGuest("member")
    const { screen } = await openPage("/settings/members")
    await expect.element(rowOf(screen, name)).toBeVisible()
    await expect.element(screen.getByText("Only owners and admins of the workspace can change this.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Invite" })).not.toBeInTheDocument()
    expect(screen.getByRole("main").getByRole("combobox").elements()).toEqual([])
  })

  it("says why the list cannot be shown", async () => {
    refuse("/chorus_list_members", { code: "forbidden", message: "You may not see this." })
    const { screen } = await openPage("/settings/members")
    await expect.element(screen.getByRole("main").getByRole("alert").getByText("You may not see this.")).toBeVisible()
  })
})
