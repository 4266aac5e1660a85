import { array, assert, constantFrom, integer, property, record } from "fast-check"
import { describe, expect, it } from "vitest"
import { dayOf, FLOW_STATUSES, flowByDay, lastDays, spreadOf, type TaskStepFact } from "./insights.ts"

describe("days", () => {
  it("begin where the reader lives", () => {
    expect(dayOf("2026-03-01T23:30:00Z", 0)).toBe("2026-03-01")
    expect(dayOf("2026-03-01T23:30:00Z", 60)).toBe("2026-03-02")
    expect(dayOf("2026-03-01T03:30:00Z", -300)).toBe("2026-02-28")
  })

  it("are counted back from today, across months", () => {
    expect(lastDays("2026-03-02T10:00:00Z", 3, 0)).toEqual(["2026-02-28", "2026-03-01", "2026-03-02"])
  })
})

describe("flow by day", () => {
  const days = ["2026-03-01", "2026-03-02", "2026-03-03"]
  const step = (taskUuid: string, at: string, status: TaskStepFact["status"], points?: number): TaskStepFact => ({
    taskUuid,
    at: `2026-03-${at}:00:00Z`,
    status,
    ...(points === undefined ? {} : { points }),
  })

  it("counts where tasks stood when each day ended", () => {
    const flow = flowByDay(
      [
        step("a", "01T08", "open", 3),
        step("b", "01T09", "open"),
        step("a", "02T08", "in_progress"),
        step("a", "02T20", "done"),
      ],
      days,
      0,
    )
    expect(flow.map(({ counts }) => [counts.open, counts.in_progress, counts.done])).toEqual([
      [2, 0, 0],
      [1, 0, 1],
      [1, 0, 1],
    ])
    expect(flow.map(({ finished, finishedPoints }) => [finished, finishedPoints])).toEqual([
      [0, 0],
      [1, 3],
      [0, 0],
    ])
  })

  it("starts from what was there before the first day", () => {
    expect(flowByDay([step("a", "01T08", "open")], ["2026-03-03"], 0)[0]?.counts.open).toBe(1)
  })

  it("counts a task that came back on the day it was done for good, once", () => {
    const flow = flowByDay(
      [
        step("a", "01T08", "done"),
        step("a", "02T08", "in_progress"),
        step("a", "03T08", "done"),
        step("a", "03T09", "done"),
      ],
      days,
      0,
    )
    expect(flow.map(({ finished }) => finished)).toEqual([0, 0, 1])
    expect(flow.map(({ counts }) => counts.done)).toEqual([1, 0, 1])
  })

  it("forgets a deleted task", () => {
    const flow = flowByDay([step("a", "01T08", "open"), step("a", "02T08", null)], days, 0)
    expect(flow.map(({ counts }) => counts.open)).toEqual([1, 0, 0])
  })
})

describe("a spread", () => {
  it("is empty for nothing", () => {
    expect(spreadOf([])).toEqual({ count: 0, median: null, p85: null, longest: null })
  })

  it("lies between neighbours", () => {
    expect(spreadOf([4, 1, 3, 2])).toMatchObject({ count: 4, median: 2.5, longest: 4 })
    expect(spreadOf([4, 1, 3, 2]).p85).toBeCloseTo(3.55)
    expect(spreadOf([7])).toEqual({ count: 1, median: 7, p85: 7, longest: 7 })
  })
})

describe("flow as a whole", () => {
  const day = (number: number) => `2026-03-${String(number).padStart(2, "0")}`
  const days = [1, 2, 3, 4, 5].map(day)
  const anyStep = record({
    taskUuid: constantFrom("a", "b", "c"),
    day: integer({ min: 1, max: 5 }),
    status: constantFrom(...FLOW_STATUSES, null),
    points: constantFrom(null, 1, 2.5),
  })
  const anySteps = array(anyStep, { maxLength: 15 }).map((steps) =>
    steps
      .toSorted((x, y) => x.day - y.day)
      .map((one): TaskStepFact => ({
        taskUuid: one.taskUuid,
        at: `${day(one.day)}T12:00:00Z`,
        status: one.status,
        points: one.points,
      })),
  )

  it("never counts more tasks than there are, nor fewer than none", () => {
    assert(
      property(anySteps, (steps) => {
        for (const { counts } of flowByDay(steps, days, 0)) {
          const standing = Object.values(counts)
          expect(standing.every((count) => count >= 0)).toBe(true)
          expect(standing.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3)
        }
      }),
    )
  })

  it("finishes as many as are done in the end", () => {
    assert(
      property(anySteps, (steps) => {
        const flow = flowByDay(steps, days, 0)
        expect(flow.reduce((sum, { finished }) => sum + finished, 0)).toBe(flow.at(-1)?.counts.done)
      }),
    )
  })

  it("says for each day what it would say if that day were the last", () => {
    assert(
      property(anySteps, integer({ min: 1, max: 5 }), (steps, until) => {
        const known = flowByDay(steps, days, 0)[until - 1]
        expect(
          flowByDay(
            steps.filter(({ at }) => at <= `${day(until)}T23`),
            days.slice(0, until),
            0,
          ).at(-1)?.counts,
        ).toEqual(known?.counts)
      }),
    )
  })
})
