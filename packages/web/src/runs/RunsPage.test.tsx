import type { IdeaId, ProjectId, TaskId } from "@chorus/contracts"
import { describe, expect, it, vi } from "vitest"
import { page } from "vitest/browser"
import { answer, refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeIdea, submitPlan } from "../../test/planning.ts"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

/** A runner that does what a test says. */
async function openRunner(commands: readonly string[] = []) {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const programs = [
    { program: "codex" as const, version: "0.166.0", missing: null, mode: "edit" as const },
    ...commands.map((command) => ({
      program: "command" as const,
      version: null,
      missing: null,
      commands: [command],
    })),
  ]
  const room = { memory: 16_384, freeMemory: 6144, worktrees: 512 }
  const lease = async () =>
    (await client.call("chorus_lease_run", { machine, programs, folders: ["/shop"], slots: 2, busy: 0, room })).run
  await lease()
  return { machine, client, lease }
}

const said = (place: number, kind: "message" | "tool" | "ask", more: object) => ({
  id: `e${place}`,
  place,
  turn: 1,
  kind,
  child: null,
  title: null,
  text: null,
  status: null,
  data: {},
  at: "2026-01-01T09:00:00.000Z",
  ...more,
})

describe("a run that asks", () => {
  it.each(["where it asked", "under Needs you"])(
    "is answered %s, and what was remembered is shown and taken back",
    async (where) => {
      const { machine, client, lease } = await openRunner()
      const projectUuid = await makeProject()
      const title = `Sand ${crypto.randomUUID().slice(0, 8)}`
      const [taskUuid = ""] = await makeTasks(projectUuid, { title })
      await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
      const run = await lease()
      const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
      const ask = said(1, "ask", { title: "npm test", text: "npm test", status: "open", data: { requestId: "r1" } })
      const detail = { kind: "execute", input: { command: "npm test" } }
      await client.call("chorus_report_run", {
        ...of,
        state: "waiting",
        entries: [ask],
        asks: [{ requestId: "r1", kind: "permission", title: "npm test", detail }],
      })
      const isPage = where === "where it asked"
      const runPage = `/runs/${of.runUuid}`
      const { screen, router } = await openPage(isPage ? runPage : "/")
      const card = isPage
        ? screen.getByRole("group", { name: "npm test" })
        : screen.getByRole("main").getByRole("listitem").filter({ hasText: title }).first()
      await card.getByLabelText("Remember").selectOptions("for this project")
      await card.getByRole("button", { name: "Allow" }).click()
      await expect
        .poll(
          async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
        )
        .toMatchObject({ run: { order: "answer", requestId: "r1", decision: "approve" } })
      await router.navigate({ to: runPage })
      await screen.getByRole("button", { name: "Ask again about npm test" }).click()
      await expect.element(screen.getByText("Always allowed")).not.toBeInTheDocument()
    },
  )

  it("twice in the same words is answered each for itself", async () => {
    const { machine, client, lease } = await openRunner()
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Plane" })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    const folders = ["shed", "barn"]
    const about = { title: "make clean", text: "make clean", status: "open" }
    await client.call("chorus_report_run", {
      ...of,
      state: "waiting",
      entries: folders.map((requestId, at) => said(at, "ask", { ...about, data: { requestId } })),
      asks: folders.map((cwd) => ({ requestId: cwd, kind: "permission", title: "make clean", detail: { cwd } })),
    })
    const { screen } = await openPage(`/runs/${of.runUuid}`)
    const cards = screen.getByRole("group", { name: "make clean" })
    await expect.element(cards.first().getByText("shed")).toBeVisible()
    await expect.element(cards.last().getByText("barn")).toBeVisible()
    await cards.last().getByRole("button", { name: "Deny" }).click()
    const dialog = screen.getByRole("dialog", { name: "Why are you denying it?" })
    await dialog.getByRole("textbox", { name: "Note" }).fill("Keep the barn")
    await dialog.getByRole("button", { name: "Deny" }).click()
    await expect
      .poll(
        async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
      )
      .toMatchObject({ run: { order: "answer", requestId: "barn", decision: "deny", text: "Keep the barn" } })
  })
})

describe("a question with choices", () => {
  it.each(["the run's page", "Needs you"])(
    "is answered with them on %s, and each question by itself",
    async (where) => {
      const { machine, client, lease } = await openRunner()
      const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Varnish" })
      await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
      const run = await lease()
      const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
      const first = `Which colour ${of.runUuid}?`
      const title = `${first} (+1)`
      const about = { title, text: title, status: "open", data: { requestId: "r1" } }
      const options = [{ label: "red" }, { label: "blue", description: "as the sky" }]
      const questions = [
        { id: "q0", question: first, options, ownWords: false },
        { id: "q1", question: "Which sizes?", options: [{ label: "S" }, { label: "L" }], multiSelect: true },
      ]
      await client.call("chorus_report_run", {
        ...of,
        state: "waiting",
        entries: [said(1, "ask", about)],
        asks: [
          {
            requestId: "r1",
            kind: "input",
            title,
            detail: { message: "Paint is short.", questions },
            expiresInMs: 3_600_000,
          },
        ],
      })
      const isPage = where === "the run's page"
      const { screen } = await openPage(isPage ? `/runs/${of.runUuid}` : "/")
      const card = isPage
        ? screen.getByRole("group", { name: title })
        : screen.getByRole("main").getByRole("listitem").filter({ hasText: first }).first()
      await expect.element(card.getByText("Paint is short.")).toBeVisible()
      await expect.element(card.getByText("as the sky")).toBeVisible()
      await expect.element(card.getByRole("timer")).toMatchTextContent("Expires in")
      await expect.element(card.getByRole("textbox").nth(1)).not.toBeInTheDocument()
      await card.getByRole("button", { name: /^blue/ }).click()
      await expect.element(card.getByRole("button", { name: "Send answer" })).toBeDisabled()
      await card.getByRole("button", { name: "S", exact: true }).click()
      await card.getByRole("button", { name: "L", exact: true }).click()
      await card.getByRole("textbox").fill("and XL")
      await card.getByRole("button", { name: "Send answer" }).click()
      await expect
        .poll(
          async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
        )
        .toMatchObject({ run: { order: "answer", data: { answers: { q0: "blue", q1: "S, L, and XL" } } } })
    },
  )
})

describe("a machine that allows several folders, and work in the checkout itself", () => {
  it("is told which, the next time as the last, and what its program cannot do is said", async () => {
    const { client } = await hire("Runner")
    const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
    const [projectUuid, other] = [await makeProject(), "of another project"]
    const lacks = ["No questions."]
    const programs = [
      { program: "gemini" as const, version: "1", missing: null, mode: "edit" as const, inPlace: true, lacks },
    ]
    const folders = [{ path: "/barn" }, { path: "/shop" }, { path: "/house", project: other }]
    await client.call("chorus_lease_run", { machine, programs, folders, slots: 2, busy: 0 })
    const [first = "", second = ""] = await makeTasks(projectUuid, { title: "Oil the gate" }, { title: "Oil the door" })
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${first}`)
    await screen.getByRole("button", { name: "Start an agent" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByLabelText("Machine").selectOptions(machine)
    await dialog.getByLabelText("Program").selectOptions("Gemini CLI")
    await expect.element(dialog.getByText("No questions.")).toBeVisible()
    await expect.element(dialog.getByRole("button", { name: "Start an agent" })).toBeDisabled()
    await expect.element(dialog.getByText("/house")).not.toBeInTheDocument()
    await dialog.getByLabelText("Folder").selectOptions("/shop")
    await dialog.getByRole("checkbox").click()
    await dialog.getByRole("button", { name: "Start an agent" }).click()
    const started = async (taskUuid: string) =>
      (await owner.call("chorus_list_runs", { taskUuid: taskUuid as TaskId })).runs[0]
    await expect.poll(() => started(first)).toMatchObject({ machine, program: "gemini", inPlace: true })
    await router.navigate({ to: `/projects/${projectUuid}/tasks/${second}` })
    await screen.getByRole("button", { name: "Start an agent" }).click()
    await expect.element(dialog.getByLabelText("Folder")).toHaveValue("/shop")
    await expect.element(dialog.getByLabelText("Program")).toHaveValue("gemini")
    await expect.element(dialog.getByRole("checkbox")).not.toBeChecked()
    await dialog.getByRole("button", { name: "Start an agent" }).click()
    await expect.poll(() => started(second)).toMatchObject({ machine, inPlace: false })
  })
})

describe("a run on the board, where runs are listed and in the office", () => {
  it("stands in the same state everywhere", async () => {
    const { machine, client, lease } = await openRunner()
    const projectUuid = await makeProject()
    const title = `Level the floor ${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(projectUuid, { title })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const board = `/projects/${projectUuid}/board`
    const { screen, router } = await openPage(board)
    const card = screen.getByRole("main").getByRole("link").filter({ hasText: title }).first()
    await expect.element(card).toMatchTextContent("Queued")
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", { ...of, state: "running", turns: 1 })
    await expect.element(card).not.toMatchTextContent("Queued")
    await client.call("chorus_report_run", { ...of, state: "waiting", reason: "Sign in to the program." })
    await expect.element(card).toMatchTextContent("Waits for you")
    await router.navigate({ to: "/office" })
    const place = screen.getByRole("main").getByText("Needs you")
    await expect.element(place.first()).toBeVisible()
    await router.navigate({ to: "/runs" })
    await expect.element(card).toMatchTextContent("Waits for you")
    await client.call("chorus_report_run", { ...of, state: "failed", reason: "Its model is away." })
    await router.navigate({ to: board })
    await expect.element(card).toMatchTextContent("Failed")
  })
})

describe("a run that broke off, or waits without a question", () => {
  it("stands under Needs you, and is let go on or left there", async () => {
    const { machine, client, lease } = await openRunner()
    const title = `Glaze the windows ${crypto.randomUUID().slice(0, 8)}`
    const ideaUuid = (await makeIdea(await makeProject(), title)) as IdeaId
    await owner.call("chorus_start_run", { ideaUuid, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", { ...of, state: "running", turns: 1 })
    await client.call("chorus_report_run", { ...of, state: "waiting", reason: "Sign in to the program." })
    const { screen } = await openPage("/")
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: title }).first()
    await expect.element(card).toMatchTextContent("Waits for instructions")
    await expect.element(card).toMatchTextContent("Sign in to the program.")
    await expect.element(card.getByRole("link", { name: "Open the run" })).toBeVisible()
    await client.call("chorus_report_run", { ...of, state: "failed", reason: "Its model is away." })
    await expect.element(card).toMatchTextContent("Broke off")
    await expect.element(card.getByRole("button", { name: "Resume" })).toBeVisible()
    await card.getByRole("button", { name: "Leave it" }).click()
    await expect.element(card).not.toBeInTheDocument()
  })
})

describe("what is said to a run", () => {
  it.each([
    [390, 844],
    [900, 800],
    [1280, 900],
  ])("is sent without scrolling, in a window of %i by %i", async (width, height) => {
    const { machine, client, lease } = await openRunner()
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Sand the floor" })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    await client.call("chorus_report_run", {
      runUuid: run?.uuid ?? "",
      lease: run?.lease ?? "",
      state: "running",
      entries: Array.from({ length: 40 }, (_, at) => said(at + 1, "message", { text: `Step ${at}, done.` })),
    })
    await page.viewport(width, height)
    try {
      const { screen } = await openPage(`/runs/${run?.uuid}`)
      await expect.element(screen.getByText("Step 39, done.")).toBeVisible()
      const send = screen.getByRole("button", { name: "Send" }).element().getBoundingClientRect()
      expect(send.bottom).toBeLessThanOrEqual(height)
      expect(send.right).toBeLessThanOrEqual(width)
    } finally {
      await page.viewport(1280, 800)
    }
  })
})

describe("a project's policy for runs", () => {
  it("is set on the page", async () => {
    const command = `agent-${crypto.randomUUID().slice(0, 8)} --acp`
    await openRunner([command])
    const projectUuid = await makeProject()
    const { screen } = await openPage(`/projects/${projectUuid}/settings`)
    await screen.getByLabelText("Each run: Dollars").fill("2.5")
    await screen.getByLabelText("Runs at a time").fill("3")
    await screen.getByLabelText("Stop it after this many identical calls in a row").fill("7")
    await screen.getByLabelText("Report it as silent after this many minutes").fill("9")
    await screen.getByLabelText("Build: Program").selectOptions(command)
    await screen.getByLabelText("Review: Program").selectOptions("Codex")
    await screen.getByLabelText("Review: Model").fill("large")
    await screen.getByLabelText("Review: Without asking it may").selectOptions("change nothing")
    await screen.getByRole("button", { name: "Save the limits" }).click()
    await expect
      .poll(() => owner.call("chorus_get_run_policy", { projectUuid: projectUuid as ProjectId }))
      .toMatchObject({
        parallel: 3,
        sameCalls: 7,
        stillTurns: 10,
        silentMinutes: 9,
        budgets: { run: { usd: 2.5 } },
        work: {
          build: { program: "command", command },
          review: { program: "codex", model: "large", mode: "ask" },
        },
      })
  })
})

describe("a long transcript", () => {
  it("opens at its end, goes back to its beginning, and is searched", async () => {
    const { machine, client, lease } = await openRunner()
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: `Wax ${crypto.randomUUID().slice(0, 8)}` })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    for (let from = 0; from < 2000; from += 500) {
      const entries = Array.from({ length: 500 }, (_, at) => said(from + at, "message", { text: `Line ${from + at}.` }))
      await client.call("chorus_report_run", { ...of, state: "running", entries })
    }
    const { screen } = await openPage(`/runs/${of.runUuid}`)
    await expect.element(screen.getByText("Line 1999.")).toBeVisible()
    expect(screen.getByRole("list", { name: "Transcript" }).getByRole("listitem").elements().length).toBeLessThan(100)
    await client.call("chorus_report_run", { ...of, entries: [said(2000, "message", { text: "The newest." })] })
    await expect.element(screen.getByText("The newest.")).toBeVisible()
    await screen.getByRole("searchbox", { name: "Search the transcript" }).fill("Line 7.")
    await screen.getByRole("button", { name: "Search the transcript" }).click()
    await screen.getByRole("button", { name: "Turn 1 · Line 7." }).click()
    await expect
      .element(screen.getByRole("list", { name: "Transcript" }).getByText("Line 7.", { exact: true }))
      .toBeVisible()
  })
})

describe("a transcript that cannot come", () => {
  it("says why, and comes when it is asked for again", async () => {
    const { machine, client, lease } = await openRunner()
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Stain" })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", {
      ...of,
      state: "running",
      entries: [said(1, "message", { text: "I stain it." })],
    })
    const allow = refuse("chorus_get_transcript", { code: "store_full", message: "The disk is full." })
    const { screen } = await openPage(`/runs/${of.runUuid}`)
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The disk is full.")
    allow()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByText("I stain it.")).toBeVisible()
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
  })
})

describe("a run beyond its budget", () => {
  it("warns before, and is taken up again with a larger one, in whatever it is measured", async () => {
    const { machine, client, lease } = await openRunner()
    const projectUuid = await makeProject()
    const title = `Oil ${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(projectUuid, { title })
    const budget = { tokens: 100 }
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine, budget })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    const used = (inputTokens: number) => ({
      usage: { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: null },
    })
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("list", { name: "Runs" }).getByRole("link").filter({ hasText: title }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/runs/${of.runUuid}`)
    await client.call("chorus_report_run", { ...of, state: "running", turns: 1, ...used(85) })
    await expect.element(screen.getByText("85 % of 100 tokens for this run used.")).toBeVisible()
    const cost = screen.getByRole("definition")
    await expect.element(cost.filter({ hasText: /^85 tokens.*of 100 tokens/ })).toBeVisible()
    await router.navigate({ to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid, taskUuid } })
    await expect.element(cost.filter({ hasText: /^85 tokens/ })).toBeVisible()
    await client.call("chorus_report_run", { ...of, ...used(120) })
    await client.call("chorus_report_run", { ...of, state: "stopped" })
    await router.navigate({ to: "/" })
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: title })
    await card.getByRole("button", { name: "Resume" }).click()
    const dialog = screen.getByRole("dialog")
    await expect.element(dialog.getByText("Over budget: 120 tokens of 100 tokens for this run.")).toBeVisible()
    await dialog.getByLabelText("Tokens").fill("500")
    await dialog.getByRole("button", { name: "Resume" }).click()
    // What lies behind an open dialog has no role, so only a closed one can tell that the card is gone.
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(card).not.toBeInTheDocument()
    expect(await owner.call("chorus_get_run", { runUuid: of.runUuid })).toMatchObject({
      state: "queued",
      budget: { tokens: 500 },
    })
  })
})

describe("a plan that is built as a whole", () => {
  it("asks for a machine first, shows order and places, and queues a run for each task", async () => {
    const { projectUuid, proposalUuid } = await submitPlan()
    await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    const known = answer("/api/v1/chorus_list_runners", () => ({ runners: [], total: 0 }))
    const { screen, router } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    await screen.getByRole("button", { name: "Build it all" }).click()
    const dialog = screen.getByRole("dialog", { name: "Build everything this proposal planned" })
    await expect.element(dialog.getByLabelText("Allow this folder")).toBeVisible()
    known.end()
    const { machine } = await openRunner()
    await dialog.getByLabelText("Machine").selectOptions(machine)
    const order = dialog.getByRole("list", { name: "Order of work" })
    await expect.element(order).toMatchTextContent(/^Lay the wire.*Hang the lampafter Lay the wire$/)
    await expect.element(dialog).toMatchTextContent("Budget left")
    await expect.element(dialog).not.toMatchTextContent("$20.00")
    await owner.call("chorus_update_run_policy", {
      projectUuid: projectUuid as ProjectId,
      budgets: { project: { usd: 20 } },
    })
    await expect.element(dialog).toMatchTextContent("$20.00")
    await dialog.getByText("Budget of each run").click()
    await dialog.getByLabelText("Dollars").fill("2,5")
    await expect.element(dialog.getByText("Give a number, such as 2.5.")).toBeVisible()
    await expect.element(dialog.getByRole("button", { name: "Build it all" })).toBeDisabled()
    await dialog.getByLabelText("Dollars").fill("2.5")
    await dialog.getByRole("button", { name: "Build it all" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/runs")
    const { runs } = await owner.call("chorus_list_runs", { projectUuid: projectUuid as ProjectId })
    expect(runs.map(({ state, budget }) => [state, budget])).toEqual([
      ["queued", { usd: 2.5 }],
      ["queued", { usd: 2.5 }],
    ])
  })
})

describe("a run on the page", () => {
  it("says what to allow before any machine runs agents", async () => {
    answer("/api/v1/chorus_list_runners", () => ({ runners: [], total: 0 }))
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Dust" })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("button", { name: "Start an agent" }).click()
    const command = screen.getByRole("dialog").getByLabelText("Allow this folder")
    await expect.element(command).toMatchTextContent(/^npx -y .+\.tgz runner allow \.$/)
    await expect.element(screen.getByRole("dialog").getByLabelText("Machine")).not.toBeVisible()
  })

  it("says which program it is by default: as the project says, else one that a machine has", async () => {
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Wax" })
    const { machine } = await openRunner(["my-agent --acp"])
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("button", { name: "Start an agent" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByLabelText("Machine").selectOptions(machine)
    await expect.element(dialog.getByRole("option", { name: "Default: Codex" })).toBeInTheDocument()
    await owner.call("chorus_update_run_policy", {
      projectUuid: projectUuid as ProjectId,
      work: { build: { program: "command", command: "my-agent --acp" } },
    })
    await expect.element(dialog.getByRole("option", { name: "Default: my-agent --acp" })).toBeInTheDocument()
  })

  it("is started from its task, seen live, changed, stopped, saved, and gone on from where it stood", async () => {
    const projectUuid = await makeProject()
    const title = `Paint ${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(projectUuid, { title })
    const { machine, client, lease } = await openRunner()
    const path = `/projects/${projectUuid}/tasks/${taskUuid}`
    const before = await openPage(path)
    await before.screen.getByRole("button", { name: "Start an agent" }).click()
    await before.screen.getByLabelText("Extra instructions").fill("Two coats.")
    await before.screen.unmount()
    before.screen.container.remove()
    const { screen, router } = await openPage(path)
    await screen.getByRole("button", { name: "Start an agent" }).click()
    const dialog = screen.getByRole("dialog")
    await expect.element(dialog.getByLabelText("Extra instructions")).toHaveValue("Two coats.")
    await dialog.getByLabelText("Machine").selectOptions(machine)
    await dialog.getByRole("button", { name: "Start an agent" }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(/^\/runs\//)
    expect(Object.keys(localStorage).filter((key) => key.includes(".start."))).toEqual([])
    await expect.element(screen.getByText("Queued")).toBeVisible()

    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", { ...of, state: "running", branch: "chorus/paint", turns: 1 })
    await expect.element(screen.getByText("Running", { exact: true })).toBeVisible()
    await expect.element(screen.getByText("chorus/paint")).toBeVisible()
    await client.call("chorus_report_run", { ...of, entries: [said(1, "message", { text: "I take **red**" })] })
    await expect.element(screen.getByText("red", { exact: true })).toBeVisible()
    const report = said(5, "message", { text: "DONE painted.\n[x] 1 it is red" })
    const allowed = { title: "curl paint.example", status: "approve", data: { by: "Olive, once for all" } }
    await client.call("chorus_report_run", { ...of, entries: [report, said(6, "ask", allowed)] })
    await expect.element(screen.getByText(/^DONE painted\./)).toHaveStyle({ whiteSpace: "pre-line" })
    await expect.element(screen.getByText("curl paint.example · allowed · Olive, once for all")).toBeVisible()
    const input = { command: "cat door.txt", timeout: 9000 }
    const printed = { text: "\u001b[31mred\u001b[0m as a rose", data: { input, more: true } }
    const whole = "red as a rose, and every thorn of it"
    const call = said(2, "tool", { title: "cat door.txt", status: "completed", ...printed, whole })
    const diffs = [{ path: "sill.txt", oldText: "one\ngreen\n", newText: "one\nblue\n" }]
    const edit = said(3, "tool", { title: "Edit sill.txt", data: { diffs } })
    const helped = said(4, "message", { text: "I look.", child: "c1", data: { agent: "Look around" } })
    const found = said(7, "message", { text: "I found it.", child: "c1", data: { agent: "Look around" } })
    await client.call("chorus_report_run", { ...of, entries: [call, edit, helped, found] })
    const helper = screen.getByRole("button", { name: "Look around" }).first()
    await helper.click()
    await expect.element(screen.getByText(/^I (look|found it)\.$/)).not.toBeInTheDocument()
    await helper.click()
    await expect.element(screen.getByText("I found it.")).toBeVisible()
    await expect.element(screen.getByText("done", { exact: true })).toBeVisible()
    await screen.getByText("cat door.txt").click()
    await expect.element(screen.getByText("red as a rose")).toBeVisible()
    await expect.element(screen.getByText("timeout: 9000")).toBeVisible()
    await screen.getByRole("button", { name: "Show all it printed" }).click()
    await expect.element(screen.getByText(whole)).toBeVisible()
    await screen.getByText("Edit sill.txt").click()
    await expect.element(screen.getByRole("group", { name: "sill.txt" })).toMatchTextContent("one−green+blue")

    const orders = async () =>
      (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries.map(({ payload }) => payload)
    await screen.getByRole("button", { name: "Model and limits…" }).click()
    await dialog.getByLabelText("Model").fill("large")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.poll(orders).toMatchObject([{ run: { order: "set", model: "large", runUuid: of.runUuid } }])
    await screen.getByRole("button", { name: "Stop" }).click()
    await expect.poll(orders).toMatchObject([{}, { run: { order: "stop", runUuid: of.runUuid } }])
    await client.call("chorus_report_run", { ...of, state: "stopped" })
    await expect.element(screen.getByRole("button", { name: "Resume" })).toBeVisible()

    const files = vi.spyOn(URL, "createObjectURL")
    await screen.getByRole("button", { name: "Save the transcript" }).click()
    await expect.poll(() => files.mock.calls.length).toBe(1)
    const [[file]] = files.mock.calls as [[Blob]]
    files.mockRestore()
    const lines = (await file.text()).trim().split("\n")
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((at) => `e${at}`),
    )
    await screen.getByRole("button", { name: "Fork from turn 1" }).click()
    await expect.poll(() => router.state.location.pathname).not.toBe(`/runs/${of.runUuid}`)
    const { runs } = await owner.call("chorus_list_runs", { taskUuid: taskUuid as TaskId })
    expect(runs[0]).toMatchObject({ state: "queued", forkOf: of.runUuid, forkTurn: 1, model: "large" })
  })

  it("is allowed or denied what it asks for where it is watched, in words a person can judge", async () => {
    const { machine, client, lease } = await openRunner()
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Varnish" })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    const detail = {
      tool: "shell",
      kind: "execute",
      input: { command: ["rm", "-r", "dist"], timeout: 9 },
      choices: [{}],
    }
    await client.call("chorus_report_run", {
      ...of,
      state: "waiting",
      asks: [{ requestId: "r1", kind: "permission", title: "rm -r dist", detail }],
    })
    const { screen } = await openPage(`/runs/${of.runUuid}`)
    const asked = screen.getByRole("region", { name: "Needs you" })
    await expect.element(asked.getByLabelText("What it wants to do")).toMatchTextContent("ToolshellCommandrm -r dist")
    await expect.element(asked.getByText('"timeout": 9', { exact: false })).not.toBeVisible()
    await asked.getByText("Show everything it sends").click()
    await expect.element(asked.getByText('"timeout": 9', { exact: false })).toBeVisible()
    await asked.getByRole("button", { name: "Allow" }).click()
    await expect
      .poll(
        async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
      )
      .toMatchObject({ run: { order: "answer", decision: "approve" } })
    await expect.element(asked).not.toBeInTheDocument()
  })

  it("stands in the list with its state, which keeps step", async () => {
    const { machine, client, lease } = await openRunner()
    const title = `Glue ${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const { screen } = await openPage("/runs")
    const row = screen.getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("Queued")).toBeVisible()
    const run = await lease()
    await client.call("chorus_report_run", { runUuid: run?.uuid ?? "", lease: run?.lease ?? "", state: "waiting" })
    await expect.element(row.getByText("Waits for you")).toBeVisible()
    await expect.element(screen.getByText(machine, { exact: true }).first()).toBeVisible()
    const room = screen.getByText("6.0 of 16.0 GB of memory free · worktrees take 0.5 GB")
    await expect.element(room.first()).toBeVisible()
    await expect.element(screen.getByText("/shop", { exact: true }).first()).toBeVisible()
  })
})
