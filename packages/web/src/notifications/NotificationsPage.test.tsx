import { describe, expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"
import { setLanguage } from "../i18n/language.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const lineOf = (screen: Screen, name: string) =>
  screen.getByRole("main").getByRole("listitem").filter({ hasText: name })
const inbox = () => owner.call("chorus_get_notifications", { status: "all", limit: 50, autoMarkRead: false })
const rowOf = async (name: string) => (await inbox()).notifications.find(({ actorName }) => actorName === name)

/** An agent of the owner's has asked something; its name is found in the line. */
async function news() {
  const agent = await hire("Teller")
  await agent.client.call("chorus_create_attention", { title: "Which countries?" })
  return agent
}

async function mention() {
  const agent = await hire("Teller")
  const me = await owner.call("chorus_get_me", {})
  const projectUuid = await makeProject("House")
  const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Lay the wire" })
  await agent.client.call("chorus_add_comment", {
    targetType: "task",
    targetUuid: taskUuid,
    content: `See @[${me.name}](user:${me.uuid})`,
  })
  return { agent, projectUuid, taskUuid }
}

describe("notifications", () => {
  it("are opened at what they are about, and are read from then on", async () => {
    const { agent, projectUuid, taskUuid } = await mention()
    const { router, screen } = await openPage("/notifications")
    const line = lineOf(screen, agent.name)
    await expect.element(line).toMatchTextContent("Unread")
    await line.getByRole("button").first().click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await expect.poll(async () => (await rowOf(agent.name))?.readAt).not.toBeNull()
    await router.navigate({ to: "/notifications" })
    await expect.element(line).toBeVisible()
    await expect.element(line).not.toMatchTextContent("Unread")
  })

  it("tell once of a hand-in, and once of all reports before it", async () => {
    const agent = await hire("Teller")
    const [taskUuid = ""] = await makeTasks(await makeProject("House"), { title: "Lay the wire" })
    const { screen } = await openPage("/notifications")
    await agent.client.call("chorus_start_task", { taskUuid })
    for (const report of ["A third.", "Two thirds."])
      await agent.client.call("chorus_report_work", { taskUuid, report })
    await expect.element(lineOf(screen, agent.name).filter({ hasText: "Two thirds." })).toBeVisible()
    await expect.element(lineOf(screen, agent.name).filter({ hasText: "A third." })).not.toBeInTheDocument()
    await agent.client.call("chorus_finish_task", { taskUuid, report: "All of it.", insist: true })
    await expect.element(lineOf(screen, agent.name).filter({ hasText: "handed in" })).toBeVisible()
    expect(lineOf(screen, agent.name).filter({ hasText: "All of it." }).elements()).toEqual([])
  })

  it("speak the reader's language, but for the words of others", async () => {
    const { agent } = await mention()
    await setLanguage("zh")
    const { screen } = await openPage("/notifications")
    const me = await owner.call("chorus_get_me", {})
    await expect
      .element(lineOf(screen, agent.name))
      .toMatchTextContent(`${agent.name} 在“Lay the wire”中提到了你：See @${me.name}`)
  })

  it("lead to the queue where an agent asks something", async () => {
    const { name } = await news()
    const { router, screen } = await openPage("/notifications")
    await lineOf(screen, name).getByRole("button").first().click()
    await expect.poll(() => router.state.location.pathname).toBe("/")
  })

  it("come by themselves, and the bell counts them", async () => {
    const { screen } = await openPage("/notifications")
    await expect.element(screen.getByRole("heading", { level: 1, name: "Notifications" })).toBeVisible()
    const { name } = await news()
    await expect.element(lineOf(screen, name)).toBeVisible()
    await expect
      .poll(async () =>
        screen.getByRole("link", { name: `Notifications, ${(await inbox()).unreadCount} unread` }).query(),
      )
      .not.toBeNull()
  })

  it("are put away one by one, also by those who use no pointer", async () => {
    const { name } = await news()
    const { screen } = await openPage("/notifications")
    const away = lineOf(screen, name).getByRole("button", { name: "Archive" })
    await expect.element(away).toBeInTheDocument()
    ;(away.element() as HTMLElement).focus()
    await away.click()
    await expect.element(lineOf(screen, name)).not.toBeInTheDocument()
    await expect.poll(() => rowOf(name)).toBeUndefined()
  })

  it("are all read at once", async () => {
    const { name } = await news()
    const { screen } = await openPage("/notifications")
    await expect.element(lineOf(screen, name)).toMatchTextContent("Unread")
    await screen.getByRole("button", { name: "Mark all as read" }).click()
    await expect.element(lineOf(screen, name)).not.toMatchTextContent("Unread")
    await expect.poll(async () => (await rowOf(name))?.readAt).not.toBeNull()
  })
})
