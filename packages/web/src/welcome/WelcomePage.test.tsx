import { createClient } from "@chorus/client"
import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { answer, refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`

async function makeAgent(screen: Screen, name: string): Promise<string> {
  await screen.getByLabelText("Name").fill(name)
  await userEvent.keyboard("{Enter}")
  const command = await screen.getByLabelText("Set up Chorus in Claude Code").findElement()
  return /--key (\S+)$/.exec(command.textContent)?.[1] ?? ""
}

/** As after a reload: nothing is left of the page but what the browser keeps. */
async function reload(screen: Screen): Promise<Screen> {
  await screen.unmount()
  screen.container.remove()
  return (await openPage("/welcome")).screen
}

const checkIn = (key: string) => createClient({ url: location.origin, key }).call("chorus_checkin", {})
const agentsCalled = async (name: string) =>
  (await owner.call("chorus_list_agents", { pageSize: 100 })).agents.filter((agent) => agent.name === name)

describe("the way from nothing to a connected agent", () => {
  it("makes an agent with a key, gives two commands, and turns green when the agent says hello", async () => {
    await makeProject()
    const name = unique("Claude")
    const { screen, router } = await openPage("/welcome")
    await expect.element(screen.getByLabelText("Name")).toHaveValue("Claude")
    const key = await makeAgent(screen, name)
    await expect
      .element(screen.getByLabelText("Set up Chorus in Claude Code"))
      .toHaveTextContent(
        `npx -y --allow-remote=root ${location.origin}/chorus.tgz connect claude --url ${location.origin} --key ${key}`,
      )
    await expect.element(screen.getByLabelText("Start Claude Code")).toHaveTextContent("claude")
    await expect.element(screen.getByText(`Waiting for ${name} to say hello…`)).toBeVisible()
    expect(await agentsCalled(name)).toMatchObject([{ name }])
    await checkIn(key)
    await expect.element(screen.getByText(`${name} is connected`)).toBeVisible()
    await expect.element(screen.getByLabelText("Set up Chorus in Claude Code")).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Write down an idea" }).click()
    await expect.element(screen.getByRole("dialog", { name: "New idea" })).toBeVisible()
    expect(router.state.location.pathname).toMatch(/^\/projects\/.+\/ideas$/)
  })

  it("waits for the next agent and does not take it for the last one", async () => {
    const [first, second] = [unique("First"), unique("Second")]
    const { screen } = await openPage("/welcome")
    await checkIn(await makeAgent(screen, first))
    await expect.element(screen.getByText(`${first} is connected`)).toBeVisible()
    await screen.getByRole("button", { name: "Connect another agent" }).click()
    await expect.element(screen.getByRole("heading", { name: "Connect another agent" })).toBeVisible()
    await expect.element(screen.getByText(`${first} is connected`)).not.toBeInTheDocument()
    const key = await makeAgent(screen, second)
    await expect.element(screen.getByText(`Waiting for ${second} to say hello…`)).toBeVisible()
    await checkIn(key)
    await expect.element(screen.getByText(`${second} is connected`)).toBeVisible()
  })

  it("is not green by a key that works: the second command stays until the agent's own first session", async () => {
    const name = unique("Careful")
    const { screen } = await openPage("/welcome")
    const key = await makeAgent(screen, name)
    // What `chorus connect` asks to check the key.
    await createClient({ url: location.origin, key }).call("chorus_whoami", {})
    await expect.element(screen.getByText(`${name}’s key works. Waiting for its first session…`)).toBeVisible()
    await expect.element(screen.getByText("Done: Chorus is set up in Claude Code. Now start it:")).toBeVisible()
    await expect.element(screen.getByLabelText("Start Claude Code")).toBeVisible()
    // After a reload too: an agent whose key is in use is never offered to be discarded.
    const back = await reload(screen)
    await expect.element(back.getByText(`“${name}” is set up.`, { exact: false })).toBeVisible()
    await expect.element(back.getByRole("button", { name: /^Discard/ })).not.toBeInTheDocument()
    await expect.element(back.getByRole("button", { name: "Connect another agent" })).toBeVisible()
    await createClient({ url: location.origin, key }).call("chorus_create_session", { name: "Morning" })
    await expect.element(back.getByText(`${name} is connected`)).toBeVisible()
  })

  it("goes on after a reload with the agent that was made, and gives it a key in place of the one that is gone", async () => {
    const name = unique("Reloaded")
    const { screen } = await openPage("/welcome")
    const gone = await makeAgent(screen, name)
    const back = await reload(screen)
    await expect.element(back.getByText(`Waiting for ${name} to say hello…`)).toBeVisible()
    await back.getByRole("button", { name: "Make a new key" }).click()
    const command = await back.getByLabelText("Set up Chorus in Claude Code").findElement()
    const key = /--key (\S+)$/.exec(command.textContent)?.[1] ?? ""
    await expect(checkIn(gone)).rejects.toMatchObject({ code: "key_revoked" })
    await checkIn(key)
    await expect.element(back.getByText(`${name} is connected`)).toBeVisible()
    expect(await agentsCalled(name)).toHaveLength(1)
    const after = await reload(back)
    await expect.element(after.getByLabelText("Name")).toBeVisible()
  })

  it("shows after a reload that the agent came meanwhile, and lets one discard an agent that never did", async () => {
    const [came, never] = [unique("Came"), unique("Never")]
    const { screen } = await openPage("/welcome")
    await checkIn(await makeAgent(screen, came).finally(() => screen.unmount()))
    const back = await reload(screen)
    await expect.element(back.getByText(`${came} is connected`)).toBeVisible()
    await back.getByRole("button", { name: "Connect another agent" }).click()
    await makeAgent(back, never)
    const after = await reload(back)
    await after.getByRole("button", { name: `Discard “${never}”` }).click()
    await expect.element(after.getByLabelText("Name")).toBeVisible()
    expect(await agentsCalled(never)).toEqual([])
  })

  it("notices an agent that a terminal makes and connects meanwhile", async () => {
    const { screen } = await openPage("/welcome")
    await expect.element(screen.getByLabelText("Name")).toBeVisible()
    const name = unique("Terminal")
    const agent = await owner.call("chorus_create_agent", { name, presets: ["lead"] })
    await expect.element(screen.getByText(`${name} was added from a terminal.`, { exact: false })).toBeVisible()
    await checkIn((await owner.call("chorus_create_key", { agentUuid: agent.uuid })).key)
    await expect.element(screen.getByText(`${name} is connected`)).toBeVisible()
  })

  it("says that Chorus can start agents too, and leads there", async () => {
    const { router, screen } = await openPage("/welcome")
    const offer = screen.getByRole("region", { name: "Or let Chorus start agents for you" })
    await offer.getByRole("button", { name: "See runs" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/runs")
  })

  it("marks the step one is at", async () => {
    const { screen } = await openPage("/welcome")
    const current = () => [...document.querySelectorAll("[aria-current=step] h3")].map((heading) => heading.textContent)
    await expect.poll(current).toEqual(["Make an agent"])
    const key = await makeAgent(screen, unique("Stepper"))
    await expect.poll(current).toEqual(["Connect it"])
    await checkIn(key)
    await expect.poll(current).toEqual(["Watch it arrive"])
  })

  it("tells each program in its own words, and any MCP client its address", async () => {
    const { screen } = await openPage("/welcome")
    const key = await makeAgent(screen, unique("Many"))
    await screen.getByRole("radio", { name: "Codex" }).click()
    await expect.element(screen.getByLabelText("Start Codex")).toHaveTextContent(`CHORUS_CODEX_KEY=${key} codex`)
    await screen.getByRole("radio", { name: "OpenCode" }).click()
    await expect
      .element(screen.getByLabelText("Set up Chorus in OpenCode"))
      .toHaveTextContent(
        `npx -y --allow-remote=root ${location.origin}/chorus.tgz connect opencode --url ${location.origin} --key ${key}`,
      )
    await screen.getByRole("radio", { name: "Any MCP client" }).click()
    await expect
      .element(screen.getByLabelText("MCP address (streamable HTTP)"))
      .toHaveTextContent(`${location.origin}/api/mcp?tools=lean`)
    await expect.element(screen.getByLabelText("Header to send")).toHaveTextContent(`Authorization: Bearer ${key}`)
  })

  it("makes no second agent where only the key was missing", async () => {
    const name = unique("Once")
    const { screen } = await openPage("/welcome")
    const letGo = refuse(
      "/chorus_create_key",
      { code: "busy", message: "Try that again.", next: "Press the button once more." },
      409,
    )
    await screen.getByLabelText("Name").fill(name)
    await screen.getByRole("button", { name: "Make agent and key" }).click()
    await expect.element(screen.getByText("Try that again.")).toBeVisible()
    await expect.element(screen.getByLabelText("Name")).toHaveValue(name)
    letGo()
    await screen.getByRole("button", { name: "Make agent and key" }).click()
    await expect.element(screen.getByText(`Waiting for ${name} to say hello…`)).toBeVisible()
    expect(await agentsCalled(name)).toHaveLength(1)
  })
})

describe("the demo", () => {
  it("says why it cannot run, and can be asked for again", async () => {
    const { screen } = await openPage("/welcome")
    const letGo = refuse(
      "/api/demo",
      { code: "demo_running", message: "A demo is running already.", next: "Watch it, or wait." },
      409,
    )
    const demo = screen.getByRole("button", { name: "Run the demo" })
    await demo.click()
    await expect.element(screen.getByText("A demo is running already.")).toBeVisible()
    await expect.element(screen.getByText("Watch it, or wait.")).toBeVisible()
    await expect.element(demo).toBeEnabled()
    letGo()
  })

  it("runs once for one click and leads to where it is watched", async () => {
    const projectUuid = await makeProject("Demo")
    const asked = answer("/api/demo", () => ({ projectUuid }))
    const { screen, router } = await openPage("/welcome")
    await screen.getByRole("button", { name: "Run the demo" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/board`)
    await expect.element(screen.getByText("The demo is running")).toBeVisible()
    expect(asked.inputs).toHaveLength(1)
  })
})
