import type { CriterionId, ProjectId, TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { openPage, owner } from "../../test/stage.tsx"
import { showTask } from "../../test/task-panel.tsx"
import { type Hired, hire, makeProject, makeTasks } from "../../test/workplace.ts"

const COMMAND = "node check.mjs"
const DONE = { exitCode: 0, reason: null, durationMs: 3210, outputBytes: 5, environment: "Linux 6 x64", tree: null }
const CHANGE = {
  repository: { roots: [], remotes: [] },
  branch: null,
  baseRef: null,
  baseCommit: null,
  headCommit: null,
  uncommitted: 0,
  files: [],
  warnings: [],
}

/**
 * A task with a command, done by a run on a machine that allows checks, and handed in: the runner's side through its
 * own calls.
 */
async function handedInByRun(more: { by?: Hired } = {}) {
  const projectUuid = await makeProject()
  const title = `Paint ${crypto.randomUUID().slice(0, 8)}`
  const items = [{ description: "The door is red", command: COMMAND }]
  const wanted = { title, description: "Red, please.", acceptanceCriteriaItems: items }
  const [taskUuid = ""] =
    more.by === undefined
      ? await makeTasks(projectUuid, wanted)
      : (
          await more.by.client.call("chorus_create_tasks", { projectUuid: projectUuid as ProjectId, tasks: [wanted] })
        ).tasks.map(({ uuid }) => uuid)
  const runner = await hire("Runner")
  const machine = `den-${crypto.randomUUID().slice(0, 8)}`
  const able = {
    machine,
    programs: [{ program: "claude" as const, version: null, missing: null }],
    folders: ["/shop"],
    slots: 1,
  }
  await owner.call("chorus_start_run", { taskUuid: taskUuid as TaskId, program: "claude", machine })
  const { run } = await runner.client.call("chorus_lease_run", { ...able, busy: 0, checks: true })
  if (run === null) throw new Error("no run")
  const held = { runUuid: run.uuid, lease: run.lease }
  await runner.client.call("chorus_report_run", { ...held, state: "running", worktree: "/tmp/w", branch: "b" })
  await runner.client.call("chorus_report_run", {
    ...held,
    state: "finished",
    lastWords: "DONE painted.\n[x] 1 exit code 0",
  })
  const lease = async () => (await runner.client.call("chorus_lease_check", { machine })).check
  const report = async (end: object, tail?: string) => {
    const check = await lease()
    if (check === null) throw new Error("no check waits")
    const of = { checkUuid: check.uuid, lease: check.lease }
    if (tail !== undefined) await runner.client.call("chorus_report_check", { ...of, tail })
    return () =>
      runner.client.call("chorus_report_check", { ...of, end: { ...DONE, output: "fine\n", touched: [], ...end } })
  }
  /** The machine is there, and runs no checks any more. */
  const allowNone = () => runner.client.call("chorus_lease_run", { ...able, busy: 0, checks: false })
  return { projectUuid, taskUuid: taskUuid as TaskId, title, report, lease, runner: runner.client, machine, allowNone }
}

describe("what was checked by a command", () => {
  it("is shown while it runs and afterwards, apart from what the builder claims, and runs again on demand", async () => {
    const { taskUuid, report, lease } = await handedInByRun()
    const { screen } = await showTask(taskUuid)
    await expect.element(screen.getByText("Checked by Chorus")).toBeVisible()
    const end = await report({ output: "\u001b[32mfine\u001b[0m\n" }, "\u001b[32mso far\n")
    await screen.getByRole("button", { name: "Output" }).click()
    await expect.element(screen.getByText("so far")).toBeVisible()
    await end()
    await expect.element(screen.getByText("3.2 s")).toBeVisible()
    await expect.element(screen.getByText("fine", { exact: true })).toHaveClass("text-done")
    await screen.getByRole("button", { name: "Evidence" }).click()
    await expect.element(screen.getByText("its builder says: exit code 0")).toBeVisible()
    await screen.getByRole("button", { name: "Run again" }).click()
    await expect.element(screen.getByText("waiting", { exact: true })).toBeVisible()
    expect(await lease()).toMatchObject({ command: COMMAND })
  })

  it("says that the work changed what it runs, and does not count as proof", async () => {
    const { taskUuid, report } = await handedInByRun()
    await (
      await report({ touched: ["check.mjs"] })
    )()
    const { screen } = await showTask(taskUuid)
    await expect.element(screen.getByText(/This work changed what the check runs.*check\.mjs/)).toBeVisible()
    const [item] = (await owner.call("chorus_get_task", { taskUuid })).acceptanceCriteriaItems
    expect(item?.check).toMatchObject({ state: "passed", trusted: false })
  })

  it("says that it ran on an earlier version once the work is another, and then proves nothing", async () => {
    const { projectUuid, taskUuid, title, report, allowNone } = await handedInByRun()
    const [one, two] = ["1".repeat(40), "2".repeat(40)]
    const become = (tree: string) =>
      owner.call("chorus_send_change", { taskUuid, origin: "command", change: { ...CHANGE, tree } })
    await become(one)
    await (
      await report({ tree: one })
    )()
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await expect.element(screen.getByText("on version 1", { exact: true })).toBeVisible()
    await allowNone()
    await become(two)
    await expect.element(screen.getByText("passed on an earlier version", { exact: true })).toBeVisible()
    await expect.element(screen.getByText(/^It ran on version 1, and the work has changed since/)).toBeVisible()
    await router.navigate({ to: "/" })
    await screen.getByRole("main").getByRole("button", { name: title }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    await expect.element(preview.getByText("1 check: 1 only on an earlier version")).toBeVisible()
    await expect.element(preview.getByText(/^1 check ran on an earlier version.*node check\.mjs$/)).toBeVisible()
    // Nobody goes past that by one click.
    await preview.getByRole("button", { name: "Pass all and verify" }).click()
    await expect.element(screen.getByRole("dialog", { name: "Verify this work?" })).toBeVisible()
  })

  it("says of a task that nobody has begun that there is nothing to check, and else how to check it by hand", async () => {
    const items = [{ description: "The door is red", command: COMMAND }]
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Paint", acceptanceCriteriaItems: items })
    const { screen } = await showTask(taskUuid)
    await expect
      .element(screen.getByText("Nobody has begun this task, so there is nothing to check yet."))
      .toBeVisible()
    const { client } = await hire()
    await client.call("chorus_start_task", { taskUuid: taskUuid as TaskId })
    const { shortId } = await owner.call("chorus_get_task", { taskUuid })
    await expect.element(screen.getByText(`chorus check ${shortId ?? ""}`)).toBeVisible()
  })

  it("runs only once a person has approved it", async () => {
    const { taskUuid, lease } = await handedInByRun({ by: await hire("Planner") })
    expect(await lease()).toBeNull()
    const { screen } = await showTask(taskUuid)
    await expect.element(screen.getByText(/No person has approved this command/)).toBeVisible()
    await screen.getByRole("button", { name: "Approve this command" }).click()
    await screen.getByRole("button", { name: "Run", exact: true }).click()
    await expect.element(screen.getByText("waiting", { exact: true })).toBeVisible()
    expect(await lease()).toMatchObject({ command: COMMAND })
  })

  it("is written on the page: with a new task, for one that is there, and for all work of a project", async () => {
    const projectUuid = await makeProject()
    const { screen, router } = await openPage(`/projects/${projectUuid}/board`)
    await screen.getByRole("button", { name: "New task" }).first().click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Oil the hinge")
    const proof = screen.getByRole("textbox", { name: "Command that proves it" })
    await proof.fill("npm test")
    await expect.element(screen.getByText("It becomes a criterion of its own: “npm test passes”.")).toBeVisible()
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByText("npm test passes").getByText("npm test", { exact: true })).toBeVisible()
    await router.navigate({ to: `/projects/${projectUuid}/board`, search: {} })
    await screen.getByRole("button", { name: "New task" }).first().click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Hang the door")
    await screen.getByRole("textbox", { name: "Acceptance criteria" }).fill("It closes")
    await proof.fill("npm run close")
    await expect.element(screen.getByText("It proves the criterion above.")).toBeVisible()
    await screen.getByRole("button", { name: "Create" }).click()
    await expect
      .poll(async () => {
        const { tasks } = await owner.call("chorus_list_tasks", { projectUuid })
        const hung = tasks.find(({ title }) => title === "Hang the door")
        return hung && (await owner.call("chorus_get_task", { taskUuid: hung.uuid })).acceptanceCriteriaItems
      })
      .toMatchObject([{ description: "It closes", command: "npm run close" }])
    await router.navigate({ to: `/projects/${projectUuid}/settings` })
    await screen.getByRole("button", { name: "Add a check" }).click()
    await screen.getByRole("textbox", { name: "Name of check 1" }).fill("lint")
    await screen.getByRole("textbox", { name: "Command of check 1" }).fill("npm run lint")
    await screen.getByRole("button", { name: "Save checks" }).click()
    await expect
      .poll(
        async () => (await owner.call("chorus_get_project_settings", { projectUuid: projectUuid as ProjectId })).checks,
      )
      .toEqual([{ name: "lint", command: "npm run lint" }])
    // What a machine finds in the repository of the project is proposed, and is one once somebody has confirmed it.
    const { client } = await hire("Runner")
    const { name: project } = await owner.call("chorus_get_project", { projectUuid: projectUuid as ProjectId })
    const found = ["npm run lint", "make seaworthy"].map((command) => ({ name: "found", command }))
    const folders = [{ path: "/shop", project, found }]
    await client.call("chorus_lease_run", { machine: project, programs: [], folders, slots: 1, busy: 0 })
    await screen.getByRole("button", { name: "Run it on all work" }).click()
    await expect
      .poll(
        async () => (await owner.call("chorus_get_project_settings", { projectUuid: projectUuid as ProjectId })).checks,
      )
      .toEqual([
        { name: "lint", command: "npm run lint" },
        { name: "found", command: "make seaworthy" },
      ])
  })
})

describe("what was built", () => {
  it("is started, opened under a name that gets no cookie of Chorus, and stopped, beside the decision about it", async () => {
    const { projectUuid, title, report, runner, machine } = await handedInByRun()
    await (
      await report({})
    )()
    const { screen, router } = await openPage(`/projects/${projectUuid}/settings`)
    await screen.getByRole("textbox", { name: "Command that starts what was built" }).fill("npm run dev")
    await screen.getByRole("button", { name: "Save the command" }).click()
    await expect
      .poll(() => owner.call("chorus_get_project_settings", { projectUuid: projectUuid as ProjectId }))
      .toMatchObject({ preview: "npm run dev" })
    await expect.element(screen.getByText("Saved", { exact: true })).toBeVisible()
    await router.navigate({ to: "/" })
    await screen.getByRole("main").getByRole("button", { name: title }).click()
    const shown = screen.getByRole("region", { name: "Preview" })
    await shown.getByRole("button", { name: "Start it" }).click()
    await expect.element(shown.getByText("waiting", { exact: true })).toBeVisible()
    const { check } = await runner.call("chorus_lease_check", { machine, kinds: ["preview"] })
    if (check === null) throw new Error("no preview waits")
    const held = { checkUuid: check.uuid, lease: check.lease }
    await runner.call("chorus_report_check", { ...held, tail: "ready in 9 ms\n" })
    await expect.element(shown.getByText("ready in 9 ms")).toBeVisible()
    await runner.call("chorus_report_check", { ...held, listens: { port: 42_000, near: false } })
    await expect.element(shown.getByText(new RegExp(`port 42000 of ${machine}`))).toBeVisible()
    await expect.element(shown.getByRole("link", { name: /^Open/ })).not.toBeInTheDocument()
    await runner.call("chorus_report_check", { ...held, listens: { port: 42_000, near: true } })
    await expect
      .element(shown.getByRole("link", { name: /^Open/ }))
      .toHaveAttribute("href", expect.stringMatching(/^http:\/\/preview-\w+\.localhost:42000\/$/))
    await shown.getByRole("button", { name: "Stop it" }).click()
    await expect.element(shown.getByText(/ stopped it\.$/)).toBeVisible()
    await expect.element(shown.getByRole("button", { name: "Start it" })).toBeVisible()
    const { over } = await runner.call("chorus_lease_check", { machine, previews: [check.uuid] })
    expect(over).toEqual([check.uuid])
  })
})

describe("work to verify", () => {
  it("says of each check once whether it passed, failed, was not run or proves nothing", async () => {
    const { taskUuid, title, report } = await handedInByRun()
    await (
      await report({ touched: ["check.mjs"] })
    )()
    const command = "npm run lint"
    const { projectUuid } = await owner.call("chorus_get_task", { taskUuid })
    await owner.call("chorus_update_project_settings", {
      projectUuid: projectUuid as ProjectId,
      checks: [{ name: "lint", command }],
    })
    const { screen } = await openPage("/")
    await screen.getByRole("main").getByRole("button", { name: title }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    const says = "2 checks: 1 proves nothing, because the work changed what it runs · 1 not run"
    await expect.element(preview.getByText(says)).toBeVisible()
    await expect.element(preview.getByText(/^1 check proves nothing, because.*node check\.mjs$/)).toBeVisible()
    await expect.element(preview.getByText(/failed:/)).not.toBeInTheDocument()
  })

  it("waits for nobody while it is checked, and then stands on one screen: asked, checked, done, cost, decided", async () => {
    const { taskUuid, title, report } = await handedInByRun()
    const { screen } = await openPage("/")
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: title })
    await expect.element(screen.getByRole("main")).toBeVisible()
    const { items } = await owner.call("chorus_needs_you", {})
    expect(items.map(({ uuid }) => uuid)).not.toContain(taskUuid)
    await (
      await report({})
    )()
    await card.getByRole("button", { name: title }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    for (const name of ["What was asked", "What was done", "What was checked", "What it cost"])
      await expect.element(preview.getByRole("heading", { name })).toBeVisible()
    await expect.element(preview.getByText("Red, please.")).toBeVisible()
    await expect.element(preview.getByText("1 check: 1 passed")).toBeVisible()
    await expect.element(preview.getByText(/No changes have been sent yet/)).toBeVisible()
    await preview.getByRole("button", { name: "Note what you saw" }).click()
    await screen.getByRole("dialog", { name: "What did you see?" }).getByRole("textbox").fill("It is red.")
    await screen.getByRole("dialog", { name: "What did you see?" }).getByRole("button", { name: "Pass" }).click()
    await expect.element(preview.getByText("Verifier: passed")).toBeVisible()
    await preview.getByRole("button", { name: "Verify", exact: true }).click()
    await expect.element(card).not.toBeInTheDocument()
    const [item] = (await owner.call("chorus_get_task", { taskUuid })).acceptanceCriteriaItems
    expect(item).toMatchObject({ status: "passed", evidence: "It is red.", uuid: item?.uuid as CriterionId })
  })
})
