import { useState } from "react"
import { describe, expect, it, vi } from "vitest"
import { takeLine } from "../../test/line.ts"
import { owner, showRouted } from "../../test/stage.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"
import { followTask } from "../tasks/follow-task.ts"
import { amending, useAction } from "./use-action.ts"
import { useOperation } from "./use-operation.ts"

interface RenamingProps {
  readonly taskUuid: string
  readonly tell?: boolean
  onFailed?(error: unknown): void
}

/** Renames a task and shows its name; a blank name is refused by the server. */
function Renaming({ taskUuid, tell = true, onFailed }: RenamingProps) {
  const { answer } = useOperation("chorus_get_task", { taskUuid }, followTask(taskUuid))
  const rename = useAction("chorus_update_task")
  const [done, setDone] = useState<string>()
  const to = (title: string) =>
    rename
      .run(
        { taskUuid, title },
        { tell, amend: [amending("chorus_get_task", { taskUuid }, (now) => ({ ...now, title }))] },
      )
      .then((result) => setDone(result?.title ?? "nothing"))
      .catch((error: unknown) => onFailed?.(error))
  return (
    <>
      <h1>{answer?.title}</h1>
      <p>{rename.busy ? "busy" : `done: ${done ?? "not yet"}`}</p>
      <button type="button" onClick={() => void to("Renamed")}>
        Rename
      </button>
      <button type="button" onClick={() => void to("")}>
        Blank
      </button>
    </>
  )
}

async function showRenaming(options: Omit<RenamingProps, "taskUuid"> = {}) {
  const [task = ""] = await makeTasks(await makeProject(), { title: "Named" })
  const { screen } = await showRouted(<Renaming taskUuid={task} {...options} />)
  await expect.element(screen.getByRole("heading", { name: "Named" })).toBeVisible()
  return { task, screen, name: screen.getByRole("heading") }
}

describe("an action", () => {
  it("shows at once, is busy until the server has answered, and gives the answer", async () => {
    const line = takeLine()
    const { task, screen, name } = await showRenaming()
    line.hold()
    await screen.getByRole("button", { name: "Rename" }).click()
    await expect.element(name).toHaveTextContent("Renamed")
    await expect.element(screen.getByText("busy")).toBeVisible()
    line.release()
    await expect.poll(async () => (await owner.call("chorus_get_task", { taskUuid: task })).title).toBe("Renamed")
    await expect.element(screen.getByText("done: Renamed")).toBeVisible()
  })

  it("is busy until the last of several has come back", async () => {
    const line = takeLine()
    const { screen } = await showRenaming()
    line.hold()
    await screen.getByRole("button", { name: "Rename" }).click()
    await screen.getByRole("button", { name: "Blank" }).click()
    await expect.element(screen.getByText("busy")).toBeVisible()
    line.release()
    await expect.element(screen.getByText(/^done:/)).toBeVisible()
  })

  it("is taken back and explained when it is refused, and gives nothing", async () => {
    const { task, screen, name } = await showRenaming()
    await screen.getByRole("button", { name: "Blank" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(screen.getByText("done: nothing")).toBeVisible()
    await expect.element(name).toHaveTextContent("Named")
    expect((await owner.call("chorus_get_task", { taskUuid: task })).title).toBe("Named")
  })

  it("says that there is no network, and what was typed is not lost to the server's silence", async () => {
    const line = takeLine()
    const onFailed = vi.fn()
    const { screen, name } = await showRenaming({ tell: false, onFailed })
    line.cut()
    await screen.getByRole("button", { name: "Rename" }).click()
    await expect.poll(() => onFailed.mock.calls.length).toBe(1)
    await expect.element(name).toHaveTextContent("Named")
    line.release()
    await screen.getByRole("button", { name: "Rename" }).click()
    await expect.element(screen.getByText("done: Renamed")).toBeVisible()
  })

  it("leaves the telling to who asked for it", async () => {
    const onFailed = vi.fn()
    const { screen, name } = await showRenaming({ tell: false, onFailed })
    await screen.getByRole("button", { name: "Blank" }).click()
    await expect.poll(() => onFailed.mock.calls.length).toBe(1)
    expect(onFailed.mock.calls[0]?.[0]).toMatchObject({ name: "ChorusError" })
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
    await expect.element(name).toHaveTextContent("Named")
  })
})
