import { createClient } from "@chorus/client"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { hold, refuse, sentTo } from "../../test/guest.ts"
import { owner, showRouted } from "../../test/stage.tsx"
import { AgentKeys } from "./AgentKeys.tsx"

async function keysOfNewAgent() {
  const { uuid } = await owner.call("chorus_create_agent", {
    name: `Agent ${crypto.randomUUID()}`,
    presets: ["developer"],
  })
  const { screen } = await showRouted(<AgentKeys agentUuid={uuid} />)
  return { uuid, screen, line: (name: string) => screen.getByRole("listitem").filter({ hasText: name }) }
}

const keysOf = async (agentUuid: string) => (await owner.call("chorus_list_keys", { agentUuid })).keys
const act = (key: string) => createClient({ url: location.origin, key }).call("chorus_whoami", {}, { retry: false })

describe("a new key", () => {
  it("is shown once and whole, works at once, and from then on is known by its beginning", async () => {
    const { uuid, screen, line } = await keysOfNewAgent()
    await expect.element(screen.getByText("No keys; without one the agent cannot connect.")).toBeVisible()
    await screen.getByRole("button", { name: "New key" }).click()
    await expect.element(screen.getByLabelText("What is it for?")).toHaveFocus()
    await userEvent.keyboard("laptop{Enter}")
    const shown = screen.getByRole("dialog", { name: "This key is shown once" })
    await expect.element(shown.getByText("Copy it now. Chorus keeps only a fingerprint of it.")).toBeVisible()
    const key = shown.getByLabelText("Key", { exact: true }).element().textContent
    expect(await act(key)).toMatchObject({ uuid })
    await shown.getByRole("button", { name: "Done" }).click()
    await expect.element(line("laptop").getByText(`${key.slice(0, 10)}`, { exact: false })).toBeVisible()
    expect(screen.getByText(key).elements()).toEqual([])
  })

  it("ends when it was meant to", async () => {
    const { uuid, screen, line } = await keysOfNewAgent()
    await screen.getByRole("button", { name: "New key" }).click()
    await screen.getByLabelText("What is it for?").fill("visitor")
    await screen.getByLabelText("Expires").selectOptions("In 7 days")
    await screen.getByRole("button", { name: "Create" }).click()
    await screen.getByRole("button", { name: "Done" }).click()
    await expect.element(line("visitor").getByText("Never used · Expires in 7 days")).toBeVisible()
    const [row] = await keysOf(uuid)
    expect(Math.round((Date.parse(row?.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(7)
  })

  it("is made once, however often it is asked for while the server thinks", async () => {
    const { uuid, screen } = await keysOfNewAgent()
    const letGo = hold("/chorus_create_key")
    const sent = sentTo("/chorus_create_key")
    await screen.getByRole("button", { name: "New key" }).click()
    await screen.getByLabelText("What is it for?").fill("twice")
    await userEvent.keyboard("{Enter}{Enter}")
    await expect.element(screen.getByRole("button", { name: "Create" })).toBeDisabled()
    letGo()
    await expect.element(screen.getByRole("dialog", { name: "This key is shown once" })).toBeVisible()
    expect(sent.count).toBe(1)
    expect(await keysOf(uuid)).toHaveLength(1)
  })

  it("is not named again after a refusal", async () => {
    const { screen } = await keysOfNewAgent()
    await screen.getByRole("button", { name: "New key" }).click()
    await screen.getByLabelText("What is it for?").fill("laptop")
    refuse("/chorus_create_key", { code: "agent_archived", message: "This agent is archived." }, 409)
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByText("This agent is archived.")).toBeVisible()
    await expect.element(screen.getByLabelText("What is it for?")).toHaveValue("laptop")
  })
})

describe("a key that is there", () => {
  it("is revoked only when that is meant", async () => {
    const { uuid, screen, line } = await keysOfNewAgent()
    const { key } = await owner.call("chorus_create_key", { agentUuid: uuid, name: "old" })
    await line("old").getByRole("button", { name: "Revoke" }).click()
    const asked = screen.getByRole("dialog", { name: "Revoke the key old?" })
    await asked.getByRole("button", { name: "Cancel" }).click()
    await expect.element(asked).not.toBeInTheDocument()
    expect(await act(key)).toMatchObject({ uuid })

    await line("old").getByRole("button", { name: "Revoke" }).click()
    await asked.getByRole("button", { name: "Revoke" }).click()
    await expect.element(screen.getByText("Revoked; it stopped working")).toBeVisible()
    await expect.element(line("old")).not.toBeInTheDocument()
    await expect(act(key)).rejects.toMatchObject({ status: 401 })
  })

  it("is replaced by one of the same name; the old one stops at once", async () => {
    const { uuid, screen, line } = await keysOfNewAgent()
    const { key: old } = await owner.call("chorus_create_key", { agentUuid: uuid, name: "server" })
    await line("server").getByRole("button", { name: "Replace" }).click()
    await screen
      .getByRole("dialog", { name: "Replace the key server?" })
      .getByRole("button", { name: "Replace" })
      .click()
    const shown = screen.getByRole("dialog", { name: "This key is shown once" })
    const key = (await shown.getByLabelText("Key", { exact: true }).findElement()).textContent
    expect(await act(key)).toMatchObject({ uuid })
    await expect(act(old)).rejects.toMatchObject({ status: 401 })
    await shown.getByRole("button", { name: "Done" }).click()
    await expect.poll(() => line("server").elements().length).toBe(1)
  })

  it("that has ended says so and can only be cleared away", async () => {
    const { uuid } = await owner.call("chorus_create_agent", {
      name: `Agent ${crypto.randomUUID()}`,
      presets: ["developer"],
    })
    await owner.call("chorus_create_key", { agentUuid: uuid, name: "brief", expiresInDays: 7 })
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 9 * 86_400_000 })
    try {
      const { screen } = await showRouted(<AgentKeys agentUuid={uuid} />)
      await expect.element(screen.getByText("Never used · Expired 2 days ago")).toBeVisible()
      await expect.element(screen.getByRole("button", { name: "Replace" })).not.toBeInTheDocument()
      await expect.element(screen.getByRole("button", { name: "Revoke" })).toBeVisible()
    } finally {
      vi.useRealTimers()
    }
  })

  it("says when it was last used", async () => {
    const { uuid } = await owner.call("chorus_create_agent", {
      name: `Agent ${crypto.randomUUID()}`,
      presets: ["developer"],
    })
    const { key } = await owner.call("chorus_create_key", { agentUuid: uuid, name: "used" })
    await act(key)
    await expect.poll(async () => (await keysOf(uuid))[0]?.lastUsedAt, { timeout: 20_000 }).not.toBeNull()
    const { screen } = await showRouted(<AgentKeys agentUuid={uuid} />)
    await expect.element(screen.getByText("Used now")).toBeVisible()
  })

  it("says why keys cannot be shown, and shows them when asked again", async () => {
    const letGo = refuse("/chorus_list_keys", { code: "forbidden", message: "These are not your keys." })
    const { screen } = await keysOfNewAgent()
    await expect.element(screen.getByRole("alert").getByText("These are not your keys.")).toBeVisible()
    letGo()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByText("No keys; without one the agent cannot connect.")).toBeVisible()
  })
})
