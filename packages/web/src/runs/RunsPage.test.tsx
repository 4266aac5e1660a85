import type { ProjectId, TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

/** A runner that does what a test says. */
async function openRunner() {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const programs = [{ program: "codex" as const, version: "0.166.0", missing: null, mode: "edit" as const }]
  const lease = async () =>
    (await client.call("chorus_lease_run", { machine, programs, folders: ["/shop"], slots: 2, busy: 0 })).run
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
  it("is answered where it asked, and what was remembered is shown and taken back", async () => {
    const { machine, client, lease } = await openRunner()
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: `Sand ${crypto.randomUUID().slice(0, 8)}` })
    await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "codex", machine })
    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    const ask = said(1, "ask", { title: "npm test", text: "npm test", status: "open" })
    const detail = { kind: "execute", input: { command: "npm test" } }
    await client.call("chorus_report_run", {
      ...of,
      state: "waiting",
      entries: [ask],
      asks: [{ requestId: "r1", kind: "permission", title: "npm test", detail }],
    })
    const { screen } = await openPage(`/runs/${of.runUuid}`)
    const card = screen.getByRole("group", { name: "npm test" })
    await card.getByLabelText("Remember").selectOptions("for this project")
    await card.getByRole("button", { name: "Allow" }).click()
    await expect
      .poll(
        async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
      )
      .toMatchObject({ run: { order: "answer", requestId: "r1", decision: "approve" } })
    await screen.getByRole("button", { name: "Ask again about npm test" }).click()
    await expect.element(screen.getByText("Allowed once for all")).not.toBeInTheDocument()
  })
})

describe("a project's policy for runs", () => {
  it("is set on the page", async () => {
    const projectUuid = await makeProject()
    const { screen } = await openPage(`/projects/${projectUuid}/settings`)
    await screen.getByLabelText("Each run: Dollars").fill("2.5")
    await screen.getByLabelText("Runs at a time").fill("3")
    await screen.getByRole("button", { name: "Save the limits" }).click()
    await expect
      .poll(() => owner.call("chorus_get_run_policy", { projectUuid: projectUuid as ProjectId }))
      .toMatchObject({ parallel: 3, budgets: { run: { usd: 2.5 } } })
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

describe("a run on the page", () => {
  it("is started from its task, seen live, and stopped", async () => {
    const projectUuid = await makeProject()
    const title = `Paint ${crypto.randomUUID().slice(0, 8)}`
    const [taskUuid = ""] = await makeTasks(projectUuid, { title })
    const { machine, client, lease } = await openRunner()
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("button", { name: "Start an agent" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByLabelText("Machine").selectOptions(machine)
    await dialog.getByRole("button", { name: "Start an agent" }).click()
    await expect.poll(() => router.state.location.pathname).toMatch(/^\/runs\//)
    await expect.element(screen.getByText("Queued")).toBeVisible()

    const run = await lease()
    const of = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", { ...of, state: "running", branch: "chorus/paint", turns: 1 })
    await expect.element(screen.getByText("Running", { exact: true })).toBeVisible()
    await expect.element(screen.getByText("chorus/paint")).toBeVisible()
    await client.call("chorus_report_run", { ...of, entries: [said(1, "message", { text: "I take **red**" })] })
    await expect.element(screen.getByText("red", { exact: true })).toBeVisible()
    const call = said(2, "tool", { title: "cat door.txt", text: "red as a rose", status: "completed" })
    await client.call("chorus_report_run", { ...of, entries: [call] })
    await screen.getByText("cat door.txt").click()
    await expect.element(screen.getByText("red as a rose")).toBeVisible()

    await screen.getByRole("button", { name: "Stop" }).click()
    await expect
      .poll(
        async () => (await client.call("chorus_fetch_deliveries", { machine, to: "runner" })).deliveries[0]?.payload,
      )
      .toMatchObject({ run: { order: "stop", runUuid: of.runUuid } })
    await client.call("chorus_report_run", { ...of, state: "stopped" })
    await expect.element(screen.getByRole("button", { name: "Take up again" })).toBeVisible()
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
  })
})
