import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { submitPlan } from "../../test/planning.ts"
import { pressPoint } from "../../test/press.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { approvePlan, hire, makeProject, makeTasks, type Wanted } from "../../test/workplace.ts"

/** A plan of four tasks in a row and one beside it. */
async function openGraph() {
  const project = await makeProject()
  const uuids = await makeTasks(
    project,
    { title: "Dig", storyPoints: 2 },
    { title: "Pour", storyPoints: 3, dependsOnDraftUuids: ["Dig"] },
    { title: "Build", storyPoints: 4, dependsOnDraftUuids: ["Pour"] },
    { title: "Paint the fence", storyPoints: 1 },
  )
  const { screen, router } = await openPage(`/projects/${project}/graph`)
  await expect.element(node(screen, "Build")).toBeVisible()
  return { project, uuids, screen, router }
}

function node(screen: Screen, title: string) {
  return screen.getByRole("region", { name: /^Dependency graph/ }).getByRole("group", { name: title, exact: true })
}

function facts(screen: Screen, title: string) {
  return screen.getByRole("complementary", { name: title })
}

const left = (screen: Screen, title: string) => node(screen, title).element().getBoundingClientRect().left

describe("the graph", () => {
  it("explains an empty project and leads to where graphs come from", async () => {
    const project = await makeProject()
    const { screen, router } = await openPage(`/projects/${project}/graph`)
    await expect.element(screen.getByRole("heading", { name: "No tasks to connect yet" })).toBeVisible()
    await screen.getByRole("link", { name: "See proposals" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/proposals`)
  })

  it("draws tasks in the order of work, says what can start and what waits, and how much is left", async () => {
    const { screen } = await openGraph()
    await expect.element(screen.getByRole("region", { name: "Dependency graph of 4 tasks" })).toBeVisible()
    expect(left(screen, "Dig")).toBeLessThan(left(screen, "Pour"))
    expect(left(screen, "Pour")).toBeLessThan(left(screen, "Build"))
    await expect.element(screen.getByText("9 h left on the critical path")).toBeVisible()
    await expect.element(node(screen, "Dig").getByText("Ready to start")).toBeVisible()
    await expect.element(node(screen, "Build").getByText("Waits for 1 task")).toBeVisible()
    await expect.element(node(screen, "Build").getByTitle("Blocked by Pour")).toBeVisible()
    await expect.element(screen.getByRole("list", { name: "Legend" }).getByText("Critical path")).toBeVisible()
  })

  it("follows the work: who holds what, what is done and what that sets free", async () => {
    const { screen, uuids } = await openGraph()
    const ada = await hire("Ada")
    await ada.client.call("chorus_claim_task", { taskUuid: uuids[0] ?? "" })
    await expect.element(node(screen, "Dig").getByTitle(ada.name)).toBeVisible()
    await owner.call("chorus_admin_close_task", { taskUuid: uuids[0] ?? "" })
    await expect.element(screen.getByText("7 h left on the critical path")).toBeVisible()
    await expect.element(node(screen, "Pour").getByText("Ready to start")).toBeVisible()
  })

  it("is drawn anew when tasks come, go or depend otherwise", async () => {
    const { screen, project, uuids } = await openGraph()
    const [more = ""] = await makeTasks(project, { title: "Roof" })
    await expect.element(node(screen, "Roof")).toBeInTheDocument()
    await owner.call("chorus_add_task_dependency", { taskUuid: more, dependsOnTaskUuid: uuids[2] ?? "" })
    await expect.poll(() => left(screen, "Roof") > left(screen, "Build")).toBe(true)
    await owner.call("chorus_admin_delete_task", { taskUuid: uuids[3] ?? "" })
    await expect.element(node(screen, "Paint the fence")).not.toBeInTheDocument()
  })
})

describe("a chosen task", () => {
  it("says what it waits for and what needs it, and leads along the chain", async () => {
    const { screen, router, project, uuids } = await openGraph()
    await node(screen, "Pour").click()
    const pour = facts(screen, "Pour")
    await expect.element(pour.getByRole("button", { name: "Dig", exact: true })).toBeVisible()
    await expect.element(pour.getByRole("button", { name: "Build", exact: true })).toBeVisible()
    await pour.getByRole("button", { name: "Build", exact: true }).click()
    await expect.element(facts(screen, "Build").getByText("Nothing")).toBeVisible()
    await expect.element(pour).not.toBeInTheDocument()
    await facts(screen, "Build").getByRole("link", { name: "Open task" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${uuids[2] ?? ""}`)
  })

  it("lights up its chain and dims the rest, until it is closed", async () => {
    const { screen } = await openGraph()
    const dimmed = (title: string) => node(screen, title).element().querySelector(".opacity-30") !== null
    await node(screen, "Dig").click()
    await expect
      .poll(() => ["Dig", "Pour", "Build", "Paint the fence"].map(dimmed))
      .toEqual([false, false, false, true])
    await facts(screen, "Dig").getByRole("button", { name: "Close" }).click()
    await expect.element(facts(screen, "Dig")).not.toBeInTheDocument()
    await expect.poll(() => dimmed("Paint the fence")).toBe(false)
  })

  it("tells what the next may rely on", async () => {
    const project = await makeProject()
    const [build = "", moveIn = ""] = await makeTasks(project, { title: "Build" }, { title: "Move in" })
    await owner.call("chorus_add_task_dependency", {
      taskUuid: moveIn,
      dependsOnTaskUuid: build,
      contract: "The door locks.",
    })
    const { screen } = await openPage(`/projects/${project}/graph`)
    await node(screen, "Move in").click()
    await expect.element(facts(screen, "Move in").getByText("Relies on: The door locks.")).toBeVisible()
  })

  it("is reached and opened by keys", async () => {
    const { screen } = await openGraph()
    ;(node(screen, "Pour").element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    await expect.element(facts(screen, "Pour")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(facts(screen, "Pour")).not.toBeInTheDocument()
  })
})

describe("lines", () => {
  /** All lines as they are drawn, corner by corner. */
  const corners = (screen: Screen) =>
    [
      ...screen
        .getByRole("region", { name: /^Dependency graph/ })
        .element()
        .querySelectorAll("[data-lines] path"),
    ]
      .filter((path) => path.getAttribute("fill") === "none")
      .flatMap((path) => (path.getAttribute("d") ?? "").split("M").slice(1))
      .map((line) => [...line.matchAll(/(-?[\d.]+) (-?[\d.]+)(?=[LQ]|$)/g)].map(([, x, y]) => [Number(x), Number(y)]))

  it("never run behind a task that is not theirs, also where they reach far", async () => {
    const project = await makeProject()
    const titles = Array.from({ length: 14 }, (_, at) => `Step ${at}`)
    await makeTasks(
      project,
      ...titles.map((title, at) => ({
        title,
        dependsOnDraftUuids: [at - 1, at - 3, at - 6].filter((step) => step >= 0).map((step) => `Step ${step}`),
      })),
    )
    const { screen } = await openPage(`/projects/${project}/graph`)
    await expect.element(node(screen, "Step 13")).toBeInTheDocument()
    const lines = corners(screen)
    expect(lines).toHaveLength(13 + 11 + 8)
    const boxes = [...document.querySelectorAll<HTMLElement>(".react-flow__node")].map(({ style }) => {
      const [x = 0, y = 0] = (/translate\((.+?)px, ?(.+?)px\)/.exec(style.transform) ?? []).slice(1).map(Number)
      return { x, y }
    })
    expect(boxes).toHaveLength(14)
    const inside = ([x1 = 0, y1 = 0]: number[], [x2 = 0, y2 = 0]: number[]) =>
      boxes.filter(
        ({ x, y }) =>
          Math.max(x1, x2) > x + 1 &&
          Math.min(x1, x2) < x + 219 &&
          Math.max(y1, y2) > y + 1 &&
          Math.min(y1, y2) < y + 67,
      )
    expect(lines.flatMap((line) => line.slice(1).flatMap((point, at) => inside(line[at] ?? [], point)))).toEqual([])
  })
})

describe("dependencies on the graph", () => {
  const dependsOn = async (uuid: string) =>
    (await owner.call("chorus_get_task", { taskUuid: uuid })).dependsOn.map(({ title }) => title).toSorted()

  it("are drawn from task to task", async () => {
    const { screen, uuids } = await openGraph()
    const handle = (title: string, side: "left" | "right") =>
      node(screen, title).element().querySelector(`.react-flow__handle-${side}`) ?? document.body
    await userEvent.dragAndDrop(handle("Paint the fence", "right"), handle("Build", "left"))
    await expect.poll(() => dependsOn(uuids[2] ?? "")).toEqual(["Paint the fence", "Pour"])
  })

  it("are chosen on their own line, and taken away there by its button or by Delete", async () => {
    const { screen, uuids } = await openGraph()
    const region = screen.getByRole("region", { name: /^Dependency graph/ }).element()
    /** Half-way between two tasks that stand beside each other. */
    const between = (one: string, other: string) => {
      const [from, to] = [one, other].map((title) => node(screen, title).element().getBoundingClientRect())
      if (from === undefined || to === undefined) throw new Error("not drawn")
      return { x: (from.right + to.left) / 2, y: (from.top + from.bottom) / 2 }
    }
    await expect.poll(() => region.querySelectorAll("[data-lines] path").length).toBeGreaterThan(0)
    await pressPoint(between("Dig", "Pour"))
    await screen.getByRole("button", { name: "Remove: Pour waits for Dig" }).click()
    await expect.poll(() => dependsOn(uuids[1] ?? "")).toEqual([])
    await pressPoint(between("Pour", "Build"))
    const second = screen.getByRole("button", { name: "Remove: Build waits for Pour" })
    await expect.element(second).toHaveFocus()
    await userEvent.keyboard("{Escape}")
    await expect.element(second).not.toBeInTheDocument()
    await pressPoint(between("Pour", "Build"))
    await expect.element(second).toHaveFocus()
    await userEvent.keyboard("{Delete}")
    await expect.poll(() => dependsOn(uuids[2] ?? "")).toEqual([])
  })

  it("that would close a circle are refused while they are drawn, and why is said", async () => {
    const { screen, uuids } = await openGraph()
    const handle = (title: string, side: "left" | "right") =>
      node(screen, title).element().querySelector(`.react-flow__handle-${side}`) ?? document.body
    await userEvent.dragAndDrop(handle("Build", "right"), handle("Dig", "left"))
    await expect.element(screen.getByRole("alert").getByText(/in a circle/)).toBeVisible()
    expect(await dependsOn(uuids[0] ?? "")).toEqual([])
  })

  it("are added and removed without a pointer too; what would close a circle is not offered", async () => {
    const { screen, uuids } = await openGraph()
    ;(node(screen, "Pour").element() as HTMLElement).focus()
    await userEvent.keyboard("{Enter}")
    const pour = facts(screen, "Pour")
    const offered = pour.getByRole("combobox", { name: "Add a task it waits for…" })
    expect(
      [...offered.element().querySelectorAll("option:not([disabled])")].map((option) => option.textContent),
    ).toEqual(["Paint the fence"])
    await offered.selectOptions("Paint the fence")
    await expect.element(pour.getByRole("button", { name: "Paint the fence", exact: true })).toBeVisible()
    await pour.getByRole("button", { name: "Remove the dependency on Dig" }).click()
    await expect.poll(() => dependsOn(uuids[1] ?? "")).toEqual(["Paint the fence"])
  })

  it("leave the tasks where they were, until one tidies up", async () => {
    const { screen, project } = await openGraph()
    const place = (title: string) => {
      const { left: x, top } = node(screen, title).element().getBoundingClientRect()
      return [Math.round(x), Math.round(top)]
    }
    const before = ["Dig", "Pour", "Build"].map(place)
    await makeTasks(project, { title: "Gate" })
    await expect.element(node(screen, "Gate")).toBeInTheDocument()
    expect(["Dig", "Pour", "Build"].map(place)).toEqual(before)
    await screen.getByRole("button", { name: "Tidy up" }).click()
    await expect.element(screen.getByRole("button", { name: "Tidy up" })).not.toBeInTheDocument()
  })
})

describe("finding one's way", () => {
  it("finds a task by its words and goes there", async () => {
    const { screen } = await openGraph()
    await screen.getByRole("searchbox", { name: "Find a task" }).fill("fence")
    await expect.element(screen.getByText("1 found; Enter goes to the next")).toBeVisible()
    await userEvent.keyboard("{Enter}")
    await expect.element(facts(screen, "Paint the fence")).toBeVisible()
  })

  it("shows the whole in small, and goes where one presses in it", async () => {
    const { screen } = await openGraph()
    const map = screen.getByRole("img", { name: "Overview of the graph" })
    await expect.element(map).toBeVisible()
    const before = left(screen, "Dig")
    const { right, bottom } = map.element().getBoundingClientRect()
    await pressPoint({ x: right - 3, y: bottom - 3 })
    await expect.poll(() => left(screen, "Dig")).toBeLessThan(before - 50)
  })

  it("draws what was closed as given up, not as done", async () => {
    const { screen, uuids } = await openGraph()
    await owner.call("chorus_admin_close_task", { taskUuid: uuids[3] ?? "" })
    await expect.poll(() => node(screen, "Paint the fence").element().querySelector(".line-through")).not.toBeNull()
    await expect.element(screen.getByRole("list", { name: "Legend" }).getByText("Closed")).toBeVisible()
  })

  it("folds the tasks of a proposal into one, and unfolds them where one clicks", async () => {
    const project = await makeProject()
    const { proposalUuid } = await submitPlan({
      projectUuid: project,
      title: "House plan",
      tasks: ["Walls", "Roof"].map((title) => ({ key: title, title, criteria: ["It stands"] })),
    })
    await approvePlan(proposalUuid)
    const { screen } = await openPage(`/projects/${project}/graph`)
    await expect.element(node(screen, "Walls")).toBeVisible()
    await screen.getByRole("button", { name: "Fold proposals" }).click()
    await expect.element(node(screen, "House plan").getByText("2 tasks, 0 done")).toBeVisible()
    await expect.element(node(screen, "Walls")).not.toBeInTheDocument()
    await node(screen, "House plan").click()
    await expect.element(node(screen, "Roof")).toBeVisible()
  })
})

describe("the graph of one proposal", () => {
  it("is chosen from the list of those that were approved", async () => {
    const project = await makeProject()
    const { proposalUuid } = await submitPlan({
      projectUuid: project,
      title: "House plan",
      tasks: [{ key: "walls", title: "Walls", criteria: ["They stand"] }],
    })
    await makeTasks(project, { title: "Weeds" })
    const { screen, router } = await openPage(`/projects/${project}/graph`)
    await expect.element(node(screen, "Weeds")).toBeVisible()
    await expect.element(screen.getByText("No estimates, so no critical path")).toBeVisible()
    await approvePlan(proposalUuid)
    await expect.element(node(screen, "Walls")).toBeInTheDocument()
    await screen.getByRole("button", { name: "Filter", exact: true }).click()
    await screen.getByRole("menuitemradio", { name: "House plan" }).click()
    await expect.element(node(screen, "Weeds")).not.toBeInTheDocument()
    await expect.element(node(screen, "Walls")).toBeVisible()
    expect(router.state.location.search).toEqual({ proposal: expect.any(String) })
    await screen.getByRole("button", { name: "Filter · 1" }).click()
    await screen.getByRole("menuitem", { name: "Clear filters" }).click()
    await expect.element(node(screen, "Weeds")).toBeInTheDocument()
  })
  it("gathers tasks under their labels, and opens what is gathered", async () => {
    const project = await makeProject()
    await makeTasks(
      project,
      { title: "Tiles", labels: ["roof"] },
      { title: "Gutter", labels: ["roof"], dependsOnDraftUuids: ["Tiles"] },
      { title: "Door" },
    )
    const { screen } = await openPage(`/projects/${project}/graph`)
    await expect.element(node(screen, "Tiles")).toBeVisible()
    await screen.getByRole("button", { name: "Fold labels" }).click()
    await expect.element(node(screen, "roof").getByText("2 tasks, 0 done")).toBeVisible()
    await expect.element(node(screen, "Tiles")).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Show all tasks" }).click()
    await expect.element(node(screen, "Gutter")).toBeVisible()
  })
})

describe("a large graph", () => {
  const region = (screen: Screen) => screen.getByRole("region", { name: /^Dependency graph/ })
  const nodes = (screen: Screen) => [...region(screen).element().querySelectorAll<HTMLElement>(".react-flow__node")]
  const lines = (screen: Screen) =>
    [...region(screen).element().querySelectorAll("[data-lines]")].reduce(
      (sum, kind) => sum + Number(kind.getAttribute("data-count")),
      0,
    )

  /** Tasks in three rows, each of which waits for the one before it and, further on, for one of the row beside it. */
  async function openLarge(count: number, more: (at: number) => Partial<Wanted> = () => ({})) {
    const project = await makeProject()
    let edges = 0
    for (let from = 0; from < count; from += 500) {
      const wanted = Array.from({ length: Math.min(500, count - from) }, (_, at) => {
        const before = [at - 3, at - 7].filter((each) => each >= 0).map((each) => `Task ${from + each}`)
        edges += before.length
        return { title: `Task ${from + at}`, dependsOnDraftUuids: before, ...more(at) }
      })
      await makeTasks(project, ...wanted)
    }
    const { screen } = await openPage(`/projects/${project}/graph`)
    await expect.element(screen.getByRole("region", { name: `Dependency graph of ${count} tasks` })).toBeVisible()
    return { project, screen, edges }
  }

  /** Two labels, so that it opens with one fold for each. */
  const labels = (at: number) => ({ labels: [at % 3 === 0 ? "roof" : "walls"] })
  const place = (screen: Screen, title: string) => {
    const { left: x, top, width } = node(screen, title).element().getBoundingClientRect()
    return [x, top, width].map(Math.round)
  }

  /** From so far away a task is a block of colour: presses the one that is drawn first, and says which was chosen. */
  async function pressBlock(screen: Screen) {
    const block = () => region(screen).element().querySelector<SVGPathElement>(".react-flow__viewport path.fill-todo")
    await expect.poll(block).not.toBeNull()
    const [, x, y] = /^M(-?[\d.]+) (-?[\d.]+)/.exec(block()?.getAttribute("d") ?? "") ?? []
    const { x: left = 0, y: top = 0 } = new DOMPoint(Number(x) + 110, Number(y) + 34).matrixTransform(
      block()?.getScreenCTM() ?? new DOMMatrix(),
    )
    expect(nodes(screen)).toEqual([])
    await pressPoint({ x: left, y: top })
    const chosen = screen.getByRole("complementary", { name: /^Task \d+$/ })
    await expect.element(chosen.getByRole("link", { name: "Open task" })).toBeVisible()
  }

  it("of 60 tasks shows each of them, with titles in large letters where cards would be too small to read", async () => {
    const { screen, edges } = await openLarge(60)
    await expect.poll(() => nodes(screen).length).toBe(60)
    expect(lines(screen)).toBe(edges)
    const letters = () => {
      const title = node(screen, "Task 7").element().querySelector(".line-clamp-2") ?? document.body
      return Number.parseFloat(getComputedStyle(title).fontSize)
    }
    expect(letters()).toBe(23)
    await screen.getByRole("searchbox", { name: "Find a task" }).fill("Task 7")
    await userEvent.keyboard("{Enter}")
    await expect.poll(letters).toBeLessThan(20)
  })

  it("of 200 tasks is laid out beside the page, fits the window, and is blocks from afar, which can be chosen", async () => {
    const { screen, edges } = await openLarge(200)
    await expect.poll(() => lines(screen)).toBe(edges)
    await expect.poll(() => nodes(screen).length).toBeGreaterThan(0)
    const { left: start, right: end, top, bottom } = region(screen).element().getBoundingClientRect()
    const outside = nodes(screen).filter((each) => {
      const box = each.getBoundingClientRect()
      return box.left < start || box.right > end || box.top < top || box.bottom > bottom
    })
    expect(outside).toEqual([])
    const out = screen.getByRole("button", { name: "Zoom out" })
    for (let step = 0; step < 12 && nodes(screen).length > 0; step++) await out.click()
    await pressBlock(screen)
  })

  it("of 200 tasks of no plan opens with their labels folded, and unfolds", async () => {
    const { screen } = await openLarge(200, labels)
    await expect.element(node(screen, "roof").getByText("67 tasks, 0 done")).toBeVisible()
    await expect.element(node(screen, "walls").getByText("133 tasks, 0 done")).toBeVisible()
    await node(screen, "roof").click()
    await expect.element(node(screen, "roof")).not.toBeInTheDocument()
    await expect.element(node(screen, "walls")).toBeInTheDocument()
    await screen.getByRole("button", { name: "Show all tasks" }).click()
    await expect.element(node(screen, "walls")).not.toBeInTheDocument()
  })

  it("is searched also in what is folded, and goes there", async () => {
    // Found by no other task's id.
    const { screen } = await openLarge(200, (at) => ({ ...labels(at), ...(at === 199 ? { title: "Chimney" } : {}) }))
    const dimmed = (title: string) => node(screen, title).element().querySelector(".opacity-30") !== null
    await expect.element(node(screen, "roof")).toBeVisible()
    await screen.getByRole("searchbox", { name: "Find a task" }).fill("chim")
    await expect.poll(() => dimmed("roof")).toBe(true)
    expect(dimmed("walls")).toBe(false)
    await userEvent.keyboard("{Enter}")
    await expect.element(facts(screen, "Chimney")).toBeVisible()
    const whole = screen.getByRole("button", { name: "Show all tasks" })
    await expect.element(whole).toBeVisible()
    const inTheMiddle = (title: string) => {
      const window = region(screen).element().getBoundingClientRect()
      const { left: x, right, top, bottom } = node(screen, title).element().getBoundingClientRect()
      const off = [x + right - window.left - window.right, top + bottom - window.top - window.bottom]
      return off.every((each) => Math.abs(each) < 20)
    }
    await expect.poll(() => inTheMiddle("Chimney")).toBe(true)
    await facts(screen, "Chimney").getByRole("button", { name: "Task 192", exact: true }).click()
    await expect.element(facts(screen, "Task 192")).toBeVisible()
    await expect.element(whole).not.toBeInTheDocument()
    await expect.poll(() => inTheMiddle("Task 192")).toBe(true)
  })

  it("stays as it was opened when a task, a label or a plan is added", async () => {
    const { project, screen } = await openLarge(160, labels)
    await expect.element(node(screen, "roof")).toBeVisible()
    const before = ["roof", "walls"].map((title) => place(screen, title))
    await makeTasks(project, { title: "Cat flap", labels: ["doors"] })
    await expect.element(node(screen, "Cat flap")).toBeInTheDocument()
    expect(["roof", "walls"].map((title) => place(screen, title))).toEqual(before)
    const { proposalUuid } = await submitPlan({
      projectUuid: project,
      title: "Garden plan",
      tasks: ["Weeds", "Lawn"].map((title) => ({ key: title, title, criteria: ["It is green"] })),
    })
    await approvePlan(proposalUuid)
    await expect.element(node(screen, "Lawn")).toBeInTheDocument()
    expect(["roof", "walls"].map((title) => place(screen, title))).toEqual(before)
  })

  it("that was opened whole does not fold under the eyes of who reads it", async () => {
    const { project, screen } = await openLarge(150, labels)
    await expect.element(node(screen, "Task 7")).toBeInTheDocument()
    await makeTasks(project, { title: "Cat flap", labels: ["doors"] })
    await expect.element(screen.getByRole("region", { name: "Dependency graph of 151 tasks" })).toBeVisible()
    await expect.element(node(screen, "Cat flap")).toBeInTheDocument()
    await expect.element(node(screen, "roof")).not.toBeInTheDocument()
    await expect.element(node(screen, "Task 7")).toBeInTheDocument()
  })

  it("takes a dependency between tasks that only a fold joins", async () => {
    const project = await makeProject()
    const [begin = "", end = ""] = await makeTasks(
      project,
      { title: "Begin" },
      { title: "End", dependsOnDraftUuids: ["Roof"] },
      { title: "Walls", labels: ["house"], dependsOnDraftUuids: ["Begin"] },
      { title: "Roof", labels: ["house"] },
    )
    const { screen } = await openPage(`/projects/${project}/graph`)
    await screen.getByRole("button", { name: "Fold labels" }).click()
    await expect.element(node(screen, "house")).toBeVisible()
    await expect.element(node(screen, "End")).toBeVisible()
    const handle = (title: string, side: "left" | "right") =>
      node(screen, title).element().querySelector(`.react-flow__handle-${side}`) ?? document.body
    await userEvent.dragAndDrop(handle("End", "right"), handle("Begin", "left"))
    await expect
      .poll(async () => (await owner.call("chorus_get_task", { taskUuid: begin })).dependsOn)
      .toMatchObject([{ uuid: end }])
  })

  it("of 2,000 tasks draws all of its lines and blocks, any of which can be chosen", { tags: ["stress"] }, async () => {
    const { screen, edges } = await openLarge(2000)
    await expect.poll(() => lines(screen)).toBe(edges)
    await pressBlock(screen)
  })
})
