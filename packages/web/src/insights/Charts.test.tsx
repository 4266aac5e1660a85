import type { insights, OutputOf } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { show } from "../../test/stage.tsx"
import { setLanguage } from "../i18n/language.ts"
import { BurnUp } from "./BurnUp.tsx"
import { Chart } from "./Chart.tsx"
import { CumulativeFlow, CycleTime, Throughput } from "./Flow.tsx"

type Flow = OutputOf<typeof insights.getFlow>

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"]

function flow(changes: Partial<Flow> = {}): Flow {
  return {
    cumulativeFlow: DAYS.map((day, at) => ({
      day,
      counts: { open: 3 - at, assigned: 1, in_progress: 1, to_verify: 0, done: at, closed: 0 },
    })),
    throughput: DAYS.map((day, at) => ({ day, tasks: at, points: at * 2 })),
    cycleTime: { count: 3, medianHours: 1.5, p85Hours: 4, longestHours: 30 },
    burnUp: DAYS.map((day, at) => ({ day, scope: 6, done: at, scopePoints: 12, donePoints: at * 2 })),
    ...changes,
  } as Flow
}

/** The rows of the table behind a chart. */
async function numbers(screen: Screen): Promise<string[][]> {
  await screen.getByText("Show the numbers").click()
  await expect.element(screen.getByRole("table")).toBeVisible()
  return screen
    .getByRole("row")
    .elements()
    .map((row) => [...row.children].map(({ textContent }) => textContent))
}

describe("the days below a chart", () => {
  it.each([260, 330, 420, 520])("do not run into each other in Chinese, %i wide", async (width) => {
    await setLanguage("zh")
    const days = Array.from({ length: 30 }, (_, at) => new Date(Date.UTC(2026, 9, at + 1)).toISOString().slice(0, 10))
    const throughput = days.map((day) => ({ day, tasks: 1, points: 1 }))
    const screen = await show(
      <div style={{ width }}>
        <Throughput flow={flow({ throughput })} />
      </div>,
    )
    const names = [...screen.container.querySelectorAll<HTMLElement>("[aria-hidden] span.whitespace-nowrap")]
    const boxes = names.map((each) => each.getBoundingClientRect()).filter((box) => box.width > 0)
    expect(boxes.length).toBeGreaterThan(2)
    const overlaps = boxes.filter((box, at) => at > 0 && box.left < (boxes[at - 1]?.right ?? 0) + 4)
    expect(overlaps).toEqual([])
  })
})

describe("the numbers behind a chart", () => {
  it("of the flow stand day by day, with what is assigned among the open", async () => {
    const screen = await show(<CumulativeFlow flow={flow()} />)
    expect(await numbers(screen)).toEqual([
      ["Day", "Done", "To verify", "In progress", "Open"],
      ["Mar 1", "0", "0", "1", "4"],
      ["Mar 2", "1", "0", "1", "3"],
      ["Mar 3", "2", "0", "1", "2"],
    ])
    await expect.element(screen.getByRole("group", { name: "Cumulative flow" })).toHaveAttribute("tabindex", "0")
  })

  it("of the throughput add up in its lead", async () => {
    const screen = await show(<Throughput flow={flow()} />)
    await expect.element(screen.getByText("3 tasks done in this range.")).toBeVisible()
    expect(await numbers(screen)).toEqual([
      ["Day", "Tasks", "Estimate"],
      ["Mar 1", "0", "0"],
      ["Mar 2", "1", "2"],
      ["Mar 3", "2", "4"],
    ])
    const bars = [
      ...screen.getByRole("region", { name: "Throughput" }).element().querySelectorAll<HTMLElement>("[title]"),
    ].map(({ title, style }) => [title, style.height])
    expect(bars).toEqual([
      ["Mar 1: 0", "0%"],
      ["Mar 2: 1", "50%"],
      ["Mar 3: 2", "100%"],
    ])
  })

  it("of the burn-up are counted in tasks or in hours", async () => {
    const screen = await show(<BurnUp burnUp={flow().burnUp} />)
    await expect.element(screen.getByText("2 of 6 done.")).toBeVisible()
    await screen.getByRole("radio", { name: "Hours" }).click()
    await expect.element(screen.getByText("4 of 12 done.")).toBeVisible()
    expect((await numbers(screen)).at(-1)).toEqual(["Mar 3", "12", "4"])
    // The one that is chosen cannot be chosen away.
    await screen.getByRole("radio", { name: "Hours" }).click()
    await expect.element(screen.getByText("4 of 12 done.")).toBeVisible()
  })

  it("are named in Chinese with its own dates", async () => {
    await setLanguage("zh")
    const screen = await show(<Throughput flow={flow()} />)
    await expect.element(screen.getByText("3月1日").first()).toBeVisible()
  })
})

describe("charts of next to nothing", () => {
  it.each([
    ["no day at all", []],
    ["one day", DAYS.slice(0, 1)],
  ])("are drawn over %s without a fault", async (_, days) => {
    const little = flow({
      cumulativeFlow: days.map((day) => ({ day, counts: {} })) as Flow["cumulativeFlow"],
      throughput: days.map((day) => ({ day, tasks: 0, points: 0 })),
      burnUp: days.map((day) => ({ day, scope: 0, done: 0, scopePoints: 0, donePoints: 0 })),
    })
    const screen = await show(
      <>
        <CumulativeFlow flow={little} />
        <Throughput flow={little} />
        <BurnUp burnUp={little.burnUp} />
      </>,
    )
    await expect.element(screen.getByText("0 tasks done in this range.")).toBeVisible()
    await expect.element(screen.getByText("0 of 0 done.")).toBeVisible()
    expect(document.body.innerHTML).not.toContain("NaN")
    expect(document.body.innerHTML).not.toContain("Infinity")
  })
})

describe("cycle time", () => {
  it("is told in words a person says", async () => {
    const screen = await show(<CycleTime flow={flow()} />)
    const values = screen
      .getByRole("definition")
      .elements()
      .map(({ textContent }) => textContent)
    expect(values).toEqual(["1 hr 30 min", "4 hr", "1 day", "3"])
  })

  it("is a dash where nothing was finished", async () => {
    const screen = await show(
      <CycleTime flow={flow({ cycleTime: { count: 0, medianHours: null, p85Hours: null, longestHours: null } })} />,
    )
    const values = screen
      .getByRole("definition")
      .elements()
      .map(({ textContent }) => textContent)
    expect(values).toEqual(["–", "–", "–", "0"])
  })
})

describe("a chart", () => {
  it("keeps rows apart that begin alike", async () => {
    const screen = await show(
      <Chart
        title="Twins"
        table={{
          head: ["Who", "What"],
          rows: [
            ["Ada", "one"],
            ["Ada", "two"],
          ],
        }}
      >
        picture
      </Chart>,
    )
    expect(await numbers(screen)).toEqual([
      ["Who", "What"],
      ["Ada", "one"],
      ["Ada", "two"],
    ])
  })

  it("needs no table", async () => {
    const screen = await show(<Chart title="Bare">picture</Chart>)
    await expect.element(screen.getByRole("region", { name: "Bare" })).toBeVisible()
    await expect.element(screen.getByText("Show the numbers")).not.toBeInTheDocument()
  })
})
