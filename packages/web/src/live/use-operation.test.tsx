import type { LogEvent } from "@chorus/contracts"
import { useState } from "react"
import { describe, expect, it } from "vitest"
import { owner, show } from "../../test/stage.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"
import { followTask } from "../tasks/follow-task.ts"
import { reloadWhen } from "./follow.ts"
import { useEvents, useOperation } from "./use-operation.ts"

interface TitleOfProps {
  readonly taskUuid: string | null
  readonly anew?: boolean
}

function TitleOf({ taskUuid, anew = false }: TitleOfProps) {
  const follow = anew
    ? reloadWhen<{ uuid: string }>((event) => event.entityUuid === taskUuid)
    : followTask(taskUuid ?? "")
  const { status, answer, error, reload } = useOperation(
    "chorus_get_task",
    taskUuid === null ? null : { taskUuid },
    follow as never,
  )
  return (
    <>
      <p data-testid="title">{`${status}: ${answer?.title ?? (error instanceof Error ? error.name : "nothing")}`}</p>
      <button type="button" onClick={reload}>
        Reload
      </button>
    </>
  )
}

async function makeTask(title: string): Promise<string> {
  const [task = ""] = await makeTasks(await makeProject(), { title })
  return task
}

describe("an operation on show", () => {
  it("is loaded and follows the log", async () => {
    const task = await makeTask("Before")
    const screen = await show(<TitleOf taskUuid={task} />)
    await expect.element(screen.getByTestId("title")).toHaveTextContent("ready: Before")
    await owner.call("chorus_update_task", { taskUuid: task, title: "After" })
    await expect.element(screen.getByTestId("title")).toHaveTextContent("ready: After")
  })

  it("is loaded anew where the rule wants it", async () => {
    const task = await makeTask("Before")
    const screen = await show(<TitleOf taskUuid={task} anew />)
    await expect.element(screen.getByTestId("title")).toHaveTextContent("ready: Before")
    await owner.call("chorus_update_task", { taskUuid: task, title: "After" })
    await expect.element(screen.getByTestId("title")).toHaveTextContent("ready: After")
  })

  it("asks for nothing when there is nothing to ask for", async () => {
    const screen = await show(<TitleOf taskUuid={null} />)
    await expect.element(screen.getByTestId("title")).toHaveTextContent("loading: nothing")
  })

  it("fails with the server's words, and goes on with them after a reload", async () => {
    const screen = await show(<TitleOf taskUuid={crypto.randomUUID()} />)
    await expect.element(screen.getByTestId("title")).toHaveTextContent("failed: ChorusError")
    await screen.getByRole("button", { name: "Reload" }).click()
    await expect.element(screen.getByTestId("title")).toHaveTextContent("failed: ChorusError")
  })

  it("changes with its input, and never shows one under the other's name", async () => {
    const [one, two] = [await makeTask("One"), await makeTask("Two")]
    const seen: string[] = []
    function Switching() {
      const [taskUuid, setTask] = useState(one)
      const { answer } = useOperation("chorus_get_task", { taskUuid }, followTask(taskUuid))
      if (answer !== undefined) seen.push(`${answer.title} ${String(answer.uuid === taskUuid)}`)
      return (
        <button type="button" onClick={() => setTask(two)}>
          {answer?.title ?? "…"}
        </button>
      )
    }
    const screen = await show(<Switching />)
    await screen.getByRole("button", { name: "One" }).click()
    await expect.element(screen.getByRole("button", { name: "Two" })).toBeVisible()
    expect(seen.every((line) => line.endsWith("true"))).toBe(true)
  })

  it("is the same for two components, and loaded once", async () => {
    const task = await makeTask("Shared")
    const before = performance.getEntriesByType("resource").length
    const screen = await show(
      <>
        <TitleOf taskUuid={task} />
        <TitleOf taskUuid={task} />
      </>,
    )
    await expect.poll(() => screen.getByText(/ready: Shared/).elements().length).toBe(2)
    const calls = performance
      .getEntriesByType("resource")
      .slice(before)
      .filter(({ name }) => name.includes("chorus_get_task"))
    expect(calls).toHaveLength(1)
  })
})

describe("events", () => {
  it("reach whoever listens, with the newest of its reasons, until it goes", async () => {
    const task = await makeTask("Watched")
    const heard: string[] = []
    function Listening() {
      const [word, setWord] = useState("first")
      useEvents((event: LogEvent) => {
        // That it was made may still be on its way.
        if (event.entityUuid === task && event.kind !== "task.created") heard.push(`${word} ${event.kind}`)
      })
      return (
        <button type="button" onClick={() => setWord("second")}>
          {word}
        </button>
      )
    }
    const screen = await show(<Listening />)
    await expect.element(screen.getByRole("button")).toBeVisible()
    // Events are told from when the place in the log is known; the first may come before that.
    await expect
      .poll(async () => {
        await owner.call("chorus_update_task", { taskUuid: task, title: `Watched ${heard.length}` })
        return heard.length
      })
      .toBeGreaterThan(0)
    expect(heard[0]).toBe("first task.updated")
    await screen.getByRole("button", { name: "first" }).click()
    await owner.call("chorus_update_task", { taskUuid: task, title: "Watched on" })
    await expect.poll(() => heard.at(-1)).toBe("second task.updated")
  })
})
