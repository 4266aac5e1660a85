import { describe, expect, it } from "vitest"
import { page } from "vitest/browser"
import { becomeGuest, hold, refuse, sentTo } from "../../test/guest.ts"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { openPage, owner, show, showRouted } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"
import { setLanguage } from "../i18n/language.ts"
import { Decisions } from "./Decisions.tsx"
import { TasksOf } from "./IdeaWork.tsx"
import { NewIdea } from "./NewIdea.tsx"

const REFUSED = { code: "quota_reached", message: "The project is full.", next: "Delete something first." }

describe("a new idea on its way", () => {
  async function form() {
    const projectUuid = await makeProject()
    const { screen } = await showRouted(<NewIdea projectUuid={projectUuid} themes={[]} onClose={() => undefined} />)
    await screen.getByRole("textbox", { name: "Title" }).fill("Warm floors")
    return { projectUuid, screen, create: screen.getByRole("button", { name: "Create" }) }
  }

  it("cannot be sent twice while the server thinks", async () => {
    const sent = sentTo("chorus_pm_create_idea")
    const release = hold("chorus_pm_create_idea")
    const { screen, create } = await form()
    await create.click()
    await expect.element(create).toBeDisabled()
    ;(create.element() as HTMLButtonElement).click()
    release()
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("")
    expect(sent.count).toBe(1)
  })

  it("is refused with what to do next, and nothing typed is lost", async () => {
    refuse("chorus_pm_create_idea", REFUSED)
    const { screen, create } = await form()
    await screen.getByRole("textbox", { name: "In your words" }).fill("For cold feet")
    await create.click()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The project is full.Delete something first.")
    await expect.element(screen.getByRole("textbox", { name: "In your words" })).toHaveValue("For cold feet")
    await expect.element(create).toBeEnabled()
  })

  it("has no choice of theme where there is none", async () => {
    const { screen } = await form()
    await expect.element(screen.getByRole("combobox", { name: "Theme" })).not.toBeInTheDocument()
  })
})

describe("answers on their way", () => {
  it("stay as they were given when the server refuses them, and can be sent again", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    await ask(await hire(), ideaUuid, question("cost", "What may it cost?"))
    const allow = refuse("chorus_answer_elaboration", REFUSED)
    const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
    await screen.getByRole("radio", { name: /^Yes/ }).click()
    const send = screen.getByRole("button", { name: "Send answers" })
    await send.click()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("Delete something first.")
    await expect.element(screen.getByRole("radio", { name: /^Yes/ })).toBeChecked()
    allow()
    await send.click()
    await expect.element(screen.getByRole("article", { name: "Round 1" })).toMatchTextContent("Answered")
  })

  it("are counted in Chinese as well", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    await ask(await hire(), ideaUuid, question("cost", "What may it cost?"), question("when", "By when?"))
    const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
    await expect.element(screen.getByText("2 required questions are left")).toBeVisible()
    await setLanguage("zh")
    await expect.element(screen.getByText("还有 2 个必答问题")).toBeVisible()
  })
})

describe("an idea for a viewer", () => {
  it("shows questions and answers, and asks for none", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    await ask(await hire(), ideaUuid, question("cost", "What may it cost?"))
    await becomeGuest("viewer")
    const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
    const round = screen.getByRole("article", { name: "Round 1" })
    await expect.element(round).toMatchTextContent("What may it cost?Not answered")
    for (const name of ["Send answers", "Skip questions", "Accept the answers", "Change answers", "More"])
      await expect.element(screen.getByRole("main").getByRole("button", { name })).not.toBeInTheDocument()
  })
})

describe("ideas on a narrow window", () => {
  it("fit it: the list, and one idea with its long words", async () => {
    await page.viewport(390, 800)
    try {
      const projectUuid = await makeProject()
      const title = "Averylongwordthatnobodycanbreak".repeat(7)
      const ideaUuid = await makeIdea(projectUuid, title, {
        content: `${title}\n\n| a | b |\n|---|---|\n| ${title} | ${title} |`,
      })
      await ask(
        await hire(),
        ideaUuid,
        question("cost", title, {
          options: [
            { id: "yes", label: title.slice(0, 190), description: title },
            { id: "no", label: "No" },
          ],
        }),
      )
      const { router, screen } = await openPage(`/projects/${projectUuid}/ideas`)
      await expect.element(screen.getByRole("main").getByRole("link").first()).toBeVisible()
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
      await router.navigate({
        to: "/projects/$projectUuid/ideas/$ideaUuid",
        params: { projectUuid, ideaUuid },
      } as never)
      await expect.element(screen.getByRole("button", { name: "Send answers" })).toBeVisible()
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
      const main = screen.getByRole("main").element()
      expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth)
    } finally {
      await page.viewport(1280, 800)
    }
  })
})

describe("the decisions behind something", () => {
  it("are told from the root down, each with who decided, and grow as people decide", async () => {
    const projectUuid = await makeProject()
    const root = await makeIdea(projectUuid, "House")
    const child = await makeIdea(projectUuid, "Light", { parentUuid: root })
    const agent = await hire()
    await ask(agent, root, question("cost", "What may it cost?"))
    await owner.call("chorus_answer_elaboration", {
      ideaUuid: root,
      answers: [{ questionId: "cost", customText: "A lot" }],
    })
    await owner.call("chorus_pm_validate_elaboration", { ideaUuid: root })
    const screen = await show(<Decisions entityType="idea" entityUuid={child} />)
    await expect.element(screen.getByText("A lot")).toBeVisible()
    await expect.element(screen.getByText("House")).toBeVisible()
    await expect.element(screen.getByText("Light")).not.toBeInTheDocument()
    await ask(agent, child, question("colour", "Which colour?"))
    await owner.call("chorus_answer_elaboration", {
      ideaUuid: child,
      answers: [{ questionId: "colour", selectedOptionId: "no" }],
    })
    await owner.call("chorus_pm_validate_elaboration", { ideaUuid: child })
    await expect.element(screen.getByText("No colour")).toBeVisible()
    expect(screen.container.textContent?.indexOf("House")).toBeLessThan(
      screen.container.textContent?.indexOf("Light") ?? 0,
    )
  })
})

describe("the tasks of proposals", () => {
  it("are none until they are made, and those of other proposals stay out", async () => {
    const first = await submitPlan()
    const second = await submitPlan({
      projectUuid: first.projectUuid,
      title: "Roof",
      tasks: [{ key: "a", title: "Lay the tiles", criteria: ["It is dry"] }],
    })
    const { screen } = await showRouted(
      <TasksOf projectUuid={first.projectUuid} proposalUuids={[first.proposalUuid]} />,
    )
    await owner.call("chorus_admin_approve_proposal", { proposalUuid: second.proposalUuid })
    await owner.call("chorus_admin_approve_proposal", { proposalUuid: first.proposalUuid })
    await expect.element(screen.getByText("0 of 2 done")).toBeVisible()
    await expect.element(screen.getByText("Lay the tiles")).not.toBeInTheDocument()
  })
})
