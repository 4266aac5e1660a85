import { describe, expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject } from "../../test/workplace.ts"
import { setLanguage } from "../i18n/language.ts"

async function openSettings(role: "owner" | "viewer" = "owner") {
  const project = await makeProject("Kiln")
  const { screen, router } = await openPage(`/projects/${project}/settings`, { role })
  await expect.element(screen.getByRole("main").getByLabelText("Name")).toBeVisible()
  const main = screen.getByRole("main")
  return {
    project,
    screen,
    main,
    router,
    rules: () => owner.call("chorus_get_project_settings", { projectUuid: project }),
    about: () => owner.call("chorus_get_project", { projectUuid: project }),
  }
}

describe("what a project is", () => {
  it("is renamed and described, and said to be saved", async () => {
    const { main, screen, about } = await openSettings()
    await main.getByLabelText("Name").fill("  Oven  ")
    await main.getByLabelText("Description").fill("Hot.")
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByText("Saved")).toBeVisible()
    expect(await about()).toMatchObject({ name: "Oven", description: "Hot." })
    await main.getByLabelText("Description").clear()
    await main.getByRole("button", { name: "Save" }).click()
    await expect.poll(async () => (await about()).description).toBeNull()
  })

  it("keeps what one types while somebody else changes it", async () => {
    const { project, main, screen } = await openSettings()
    await main.getByLabelText("Description").fill("Half a thou")
    await owner.call("chorus_update_project", { projectUuid: project, name: "Renamed meanwhile" })
    await expect
      .element(screen.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Renamed meanwhile" }))
      .toBeVisible()
    await expect.element(main.getByLabelText("Description")).toHaveValue("Half a thou")
  })

  it("stays as it was when the server refuses, with the reason shown and nothing lost", async () => {
    const { main, screen, about } = await openSettings()
    const { name } = await about()
    await main.getByLabelText("Name").fill("   ")
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(screen.getByText("Saved")).not.toBeInTheDocument()
    expect((await about()).name).toBe(name)
  })

  it("has a key of letters and digits: another is not sent, and which it may be is said at the field", async () => {
    const { main, screen, about } = await openSettings()
    const { key: before } = await about()
    const key = main.getByLabelText("Key")
    await key.fill("1 x")
    await main.getByRole("button", { name: "Save" }).click()
    await expect
      .element(key)
      .toHaveAccessibleDescription("A letter, then 1 to 9 more letters or digits, without blanks: WEB or SHOP2.")
    await setLanguage("zh")
    await expect.element(screen.getByText(/^以字母开头/)).toBeVisible()
    expect((await about()).key).toBe(before)
  })

  it("of an address nobody made is a problem", async () => {
    const { screen } = await openPage(`/projects/${crypto.randomUUID()}/settings`)
    await expect
      .element(screen.getByRole("main").getByRole("alert").getByRole("button", { name: "Try again" }))
      .toBeVisible()
  })
})

describe("the rules of a project", () => {
  it("turn on and off one by one, each by itself", async () => {
    const { main, rules } = await openSettings()
    const all = [
      ["Review before approval", "requireReview"],
      ["Review before verification", "requireTaskReview"],
      ["One task at a time", "exclusiveWork"],
      ["Authors may approve their own proposals", "allowSelfApproval"],
      ["Builders may verify their own work", "allowSelfVerify"],
    ] as const
    const on = async () => {
      const { returnFailedChecks: _, ...off } = await rules()
      return Object.entries(off).flatMap(([rule, value]) => (value === true ? [rule] : []))
    }
    for (const [label, rule] of all) {
      const toggle = main.getByRole("switch", { name: label, exact: false })
      await expect.element(toggle).not.toBeChecked()
      await toggle.click()
      await expect.element(toggle).toBeChecked()
      await expect.poll(on).toEqual([rule])
      await toggle.click()
      await expect.poll(on).toEqual([])
    }
  })
})

describe("archiving", () => {
  it("takes the project out of sight, and back on second thought", async () => {
    const { main, screen, router, about } = await openSettings()
    await main.getByRole("button", { name: "Archive project" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/projects")
    const { name, status } = await about()
    expect(status).toBe("archived")
    await expect.element(screen.getByRole("main").getByRole("link", { name, exact: false })).not.toBeInTheDocument()
    await screen.getByRole("region", { name: "News" }).getByRole("button", { name: "Undo" }).click()
    await expect.poll(async () => (await about()).status).toBe("active")
  })
})

describe("who may only look", () => {
  it("reads the settings and changes none", async () => {
    const { main } = await openSettings("viewer")
    await expect.element(main.getByLabelText("Name")).toBeDisabled()
    await expect.element(main.getByRole("button", { name: "Save" })).toBeDisabled()
    await expect.element(main.getByRole("switch", { name: "One task at a time", exact: false })).toBeDisabled()
    await expect.element(main.getByRole("button", { name: "Archive project" })).not.toBeInTheDocument()
  })
})
