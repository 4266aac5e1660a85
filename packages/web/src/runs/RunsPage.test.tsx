import type { TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

/** A runner that does what a test says. */
async function openRunner() {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const programs = [{ program: "codex" as const, version: "0.166.0", missing: null }]
  const lease = async () =>
    (await client.call("chorus_lease_run", { machine, programs, folders: ["/shop"], slots: 2, busy: 0 })).run
  await lease()
  return { machine, client, lease }
}

const said = (place: number, kind: "message" | "tool", more: object) => ({
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
    const row = screen.getByRole("list", { name: "Runs" }).getByRole("listitem").filter({ hasText: title })
    await expect.element(row.getByText("Queued")).toBeVisible()
    const run = await lease()
    await client.call("chorus_report_run", { runUuid: run?.uuid ?? "", lease: run?.lease ?? "", state: "waiting" })
    await expect.element(row.getByText("Waits for you")).toBeVisible()
    await expect.element(screen.getByText(machine, { exact: true }).first()).toBeVisible()
  })
})
