import { createClient } from "@chorus/client"
import type { ProjectId, TaskId, tasks } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { chorus, startChorus } from "./chorus-process.ts"
import { startForge } from "./forge.ts"

const TOKEN = "forge-token"
const PATIENCE = { timeout: 60_000, interval: 50 }
const data = temporaryDirectory()
const server = await startChorus(["--data", data.path])
const { call } = createClient({ url: server.url, key: runningServer(data.path)?.token })

afterAll(async () => {
  await server.end()
  data.remove()
})

/** `chorus project …`, as somebody who has a token. */
async function project<T>(...args: string[]): Promise<T> {
  const env = { GITHUB_TOKEN: TOKEN, GITLAB_TOKEN: TOKEN }
  const { code, stdout, stderr } = await chorus(["project", ...args, "--json", "--data", data.path], env)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout) as T
}

type Bridge = { uuid: string; address: string; secret: string }

describe.each(["github", "gitlab"] as const)("a bridge to %s", (kind) => {
  /** A project that is bridged as the book says, with one issue brought over. */
  async function bridged(name: string, ...issue: [title: string, body?: string]) {
    const forge = await startForge(kind, TOKEN)
    onTestFinished(() => forge[Symbol.asyncDispose]())
    forge.open(1, ...issue)
    const { uuid: projectUuid } = await project<{ uuid: ProjectId }>("add", `${kind} ${name}`)
    const own = ["--api", forge.url, "--allow-private"]
    const bridge = await project<Bridge>("bridge", forge.origin, "--into", projectUuid, ...own)
    const hook = async (number: number, secret = bridge.secret) => {
      const { body, headers } = forge.hook(number, secret)
      return (await fetch(bridge.address, { method: "POST", body, headers })).status
    }
    const list = async () => (await call("chorus_list_tasks", { projectUuid })).tasks
    const undelivered = async () => (await call("chorus_list_deliveries", { state: "dead" })).deliveries
    expect(await hook(1)).toBe(202)
    const task = await vi.waitFor(async () => {
      const [only] = await list()
      if (only === undefined) throw new Error("no task yet")
      return { ...only, uuid: only.uuid as TaskId }
    }, PATIENCE)
    return { forge, hook, list, task, undelivered, projectUuid, issue: () => forge.issues.get(1) }
  }
  const commentsOn = async ({ uuid }: Pick<tasks.TaskRow, "uuid">) =>
    (await call("chorus_get_comments", { targetType: "task", targetUuid: uuid })).comments.map(({ content }) => content)

  it("brings an issue over when it is told of it, and what is changed and said there", async () => {
    const { forge, hook, task, list, issue } = await bridged("over", "A cart", "It holds things.")
    expect(task).toMatchObject({ title: "A cart", status: "open" })
    Object.assign(issue() ?? {}, { title: "A better cart" })
    forge.comment(1, "octocat", "With wheels, please.")
    expect(await hook(1)).toBe(202)
    await vi.waitFor(async () => expect((await list())[0]).toMatchObject({ title: "A better cart" }), PATIENCE)
    await vi.waitFor(async () => expect(await commentsOn(task)).toHaveLength(1), PATIENCE)
    expect((await commentsOn(task))[0]).toContain("With wheels, please.")
    expect(forge.writes()).toEqual([])
  })

  it("tells there, once, what a person says, rewrites and decides here", async () => {
    const { forge, hook, task, issue } = await bridged("back", "Pay by card")
    await call("chorus_add_comment", { targetType: "task", targetUuid: task.uuid, content: "Ours.\n/close" })
    await vi.waitFor(() => expect(issue()?.comments).toHaveLength(1), PATIENCE)
    const said = issue()?.comments[0]?.body ?? ""
    expect(said).toContain("Ours.")
    if (kind === "gitlab") expect(said).not.toMatch(/^\/close/m)
    await call("chorus_update_task", { taskUuid: task.uuid, title: "Pay by card or bill" })
    await vi.waitFor(() => expect(issue()?.title).toBe("Pay by card or bill"), PATIENCE)
    await call("chorus_admin_close_task", { taskUuid: task.uuid })
    await vi.waitFor(() => expect(issue()?.state).toBe("closed"), PATIENCE)
    // What it did there it hears of again, as every forge tells; nothing comes of it.
    const before = forge.writes().length
    expect(await hook(1)).toBe(202)
    const looked = forge.asked.length
    await vi.waitFor(() => expect(forge.asked.length).toBeGreaterThan(looked), PATIENCE)
    expect(await commentsOn(task)).toHaveLength(1)
    expect(forge.writes()).toHaveLength(before)
  })

  it("ends and opens a task as its issue is closed and reopened there", async () => {
    const { forge, hook, list, issue, undelivered } = await bridged("reopened", "Ship it")
    const told = async (change: { state: "open" | "closed"; reason: string | null }, status: string) => {
      Object.assign(issue() ?? {}, change)
      expect(await hook(1)).toBe(202)
      await vi.waitFor(async () => expect((await list())[0]).toMatchObject({ status }), PATIENCE)
    }
    await told({ state: "closed", reason: "completed" }, "done")
    await told({ state: "open", reason: null }, "open")
    // GitLab has one way to close an issue.
    await told({ state: "closed", reason: "not_planned" }, kind === "github" ? "closed" : "done")
    await told({ state: "open", reason: null }, "open")
    expect(forge.writes()).toEqual([])
    expect((await undelivered()).filter(({ to }) => to === forge.origin)).toEqual([])
  })

  it("opens there again what a person reopens here", async () => {
    const { task, issue } = await bridged("reopened here", "Ship it")
    await call("chorus_admin_close_task", { taskUuid: task.uuid })
    await vi.waitFor(() => expect(issue()?.state).toBe("closed"), PATIENCE)
    await call("chorus_admin_reopen_task", { taskUuid: task.uuid })
    await vi.waitFor(() => expect(issue()?.state).toBe("open"), PATIENCE)
  })

  it("says once what was closed there while it is held here, and follows when it is sent again", async () => {
    const { forge, hook, task, list, issue, undelivered } = await bridged("held", "Export")
    const { uuid: userUuid } = (await call("chorus_list_members", {})).members[0] ?? { uuid: "" }
    await call("chorus_assign_task_to_person", { taskUuid: task.uuid, userUuid })
    Object.assign(issue() ?? {}, { state: "closed", reason: "completed" })
    expect(await hook(1)).toBe(202)
    const dead = async () => (await undelivered()).filter(({ to }) => to === forge.origin)
    const [told] = await vi.waitFor(async () => {
      const all = await dead()
      expect(all).toHaveLength(1)
      return all
    }, PATIENCE)
    expect(told?.lastError).toContain(`${task.shortId}) is done there, but is assigned here`)
    expect(told?.next).toContain("Send this again")
    const looked = forge.asked.length
    expect(await hook(1)).toBe(202)
    await vi.waitFor(() => expect(forge.asked.length).toBeGreaterThan(looked), PATIENCE)
    // It has looked, and has yet to see that the task is held. What failed before was meant for a forge that is gone.
    const onTheWay = async () =>
      (await call("chorus_list_deliveries", { state: "pending" })).deliveries.filter(
        ({ lastError }) => lastError === null,
      )
    await vi.waitFor(async () => expect(await onTheWay()).toEqual([]), PATIENCE)
    await call("chorus_release_task", { taskUuid: task.uuid })
    expect((await list())[0]).toMatchObject({ status: "open" })
    await call("chorus_redeliver", { deliveryUuid: told?.uuid ?? "" })
    await vi.waitFor(async () => expect((await list())[0]).toMatchObject({ status: "done" }), PATIENCE)
    expect(await dead()).toEqual([])
  })

  it("keeps what was rewritten on both sides, and says so to the person", async () => {
    const { forge, hook, task, list, undelivered, issue } = await bridged("clash", "Search")
    forge.failWith(503)
    await call("chorus_update_task", { taskUuid: task.uuid, title: "Search by name" })
    Object.assign(issue() ?? {}, { title: "Search by price" })
    forge.failWith(undefined)
    expect(await hook(1)).toBe(202)
    const dead = await vi.waitFor(async () => {
      const [found] = (await undelivered()).filter(({ to }) => to === forge.origin)
      expect(found?.lastError).toContain(task.shortId)
      return found
    }, PATIENCE)
    expect(dead?.next).toContain("same title")
    expect([issue()?.title, (await list())[0]?.title]).toEqual(["Search by price", "Search by name"])
    await call("chorus_dismiss_delivery", { deliveryUuid: dead?.uuid ?? "" })
  })

  it("believes nobody without its secret, and is taken down by one command", async () => {
    const { forge, hook, projectUuid } = await bridged("down", "Ship it")
    expect(await hook(1, "guessed")).toBe(401)
    expect(await project("bridges")).toContainEqual(expect.objectContaining({ projectUuid, origin: forge.origin }))
    await project("bridge", forge.origin, "--into", projectUuid, "--remove")
    expect(await hook(1)).toBe(401)
  })
})

it("a bridge needs a token, and says where it goes", async () => {
  const { code, stderr } = await chorus(["project", "bridge", "github:octo/shop", "--into", "x", "--json"])
  expect(code).not.toBe(0)
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: "token_missing", next: expect.stringContaining("GITHUB_TOKEN") as string },
  })
})
