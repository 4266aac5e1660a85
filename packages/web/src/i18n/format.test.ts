import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatFor } from "./language.ts"

const now = Date.parse("2026-05-01T12:00:00Z")
const en = formatFor("en")
const zh = formatFor("zh")

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** What is said, at noon, of a moment this far from it. */
const ago = (format: typeof en, milliseconds: number) => format.ago(new Date(now - milliseconds).toISOString(), now)

describe("how long ago", () => {
  it.each([
    [0, "now", "刚刚"],
    [29 * SECOND, "now", "刚刚"],
    [30 * SECOND, "30 sec. ago", "30秒前"],
    [59 * SECOND, "59 sec. ago", "59秒前"],
    [MINUTE, "1 min. ago", "1分钟前"],
    [59 * MINUTE + 59 * SECOND, "59 min. ago", "59分钟前"],
    [HOUR, "1 hr. ago", "1小时前"],
    [23 * HOUR + 59 * MINUTE, "23 hr. ago", "23小时前"],
    [DAY, "yesterday", "昨天"],
    [2 * DAY - SECOND, "yesterday", "昨天"],
    [2 * DAY, "2 days ago", "前天"],
    [29 * DAY, "29 days ago", "29天前"],
    [30 * DAY, "last mo.", "上个月"],
    [364 * DAY, "12 mo. ago", "12个月前"],
    [365 * DAY, "last yr.", "去年"],
    [3 * 365 * DAY, "3 yr. ago", "3年前"],
  ])("%i ms is %s, and %s in Chinese", (milliseconds, english, chinese) => {
    expect(ago(en, milliseconds)).toBe(english)
    expect(ago(zh, milliseconds)).toBe(chinese)
  })

  it.each([
    [20 * SECOND, "now"],
    [5 * MINUTE - 2 * SECOND, "in 5 min."],
    [7 * DAY, "in 7 days"],
    [7 * DAY - SECOND, "in 7 days"],
    [90 * DAY - 3 * SECOND, "in 3 mo."],
    [365 * DAY, "next yr."],
  ])("what is %i ms ahead is %s: a key for a week does not end in six days", (milliseconds, words) => {
    expect(ago(en, -milliseconds)).toBe(words)
  })

  it("never says that something lies further back than it does", () => {
    const units: Record<string, number> = {
      sec: SECOND,
      min: MINUTE,
      hr: HOUR,
      day: DAY,
      days: DAY,
      mo: 30 * DAY,
      yr: 365 * DAY,
    }
    fc.assert(
      fc.property(fc.integer({ min: 30 * SECOND, max: 20 * 365 * DAY }), (milliseconds) => {
        const [, count, unit] = /^(\d+) (\w+)/.exec(ago(en, milliseconds)) ?? []
        // "yesterday", "last mo." and their like count as one.
        if (count === undefined || unit === undefined) return
        expect(Number(count) * (units[unit] ?? Number.NaN)).toBeLessThanOrEqual(milliseconds + SECOND / 2)
      }),
    )
  })

  it("takes the clock's time where none is given", () => {
    expect(en.ago(new Date().toISOString())).toBe("now")
    expect(en.ago(new Date(Date.now() - 3 * HOUR).toISOString())).toBe("3 hr. ago")
  })
})

describe("a length of time", () => {
  it.each([
    [0, "0 sec", "0秒"],
    [-5 * SECOND, "0 sec", "0秒"],
    [12 * SECOND, "12 sec", "12秒"],
    [33 * SECOND, "33 sec", "33秒"],
    [MINUTE, "1 min", "1分钟"],
    [MINUTE + 50 * SECOND, "1 min", "1分钟"],
    [59 * MINUTE, "59 min", "59分钟"],
    [HOUR, "1 hr", "1小时"],
    [2 * HOUR + 5 * MINUTE, "2 hr 5 min", "2小时 5分钟"],
    [23 * HOUR + 59 * MINUTE, "23 hr 59 min", "23小时 59分钟"],
    [DAY, "1 day", "1天"],
    [3 * DAY, "3 days", "3天"],
  ])("%i ms is %s, and %s in Chinese", (milliseconds, english, chinese) => {
    expect(en.duration(milliseconds)).toBe(english)
    expect(zh.duration(milliseconds)).toBe(chinese)
  })

  it("says no 60 seconds, no 60 minutes and no 24 hours", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 * DAY }),
        (milliseconds) => !/\b60 (sec|min)|\b24 hr/.test(en.duration(milliseconds)),
      ),
    )
  })
})

describe("numbers and money", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [141_600, "141,600"],
    [1_234_567.891, "1,234,567.891"],
  ])("%d is written %s in both languages", (value, words) => {
    expect([en.number(value), zh.number(value)]).toEqual([words, words])
  })

  it.each([
    [0, "$0.00"],
    [1.5, "$1.50"],
    [0.004, "$0.00"],
    [1234.567, "$1,234.57"],
  ])("%d dollars are %s in both languages, the short way", (value, words) => {
    expect([en.money(value), zh.money(value)]).toEqual([words, words])
  })
})

describe("dates and times", () => {
  // At noon of Greenwich it is the same day nearly everywhere; the hour is that of whoever reads.
  const noon = "2026-05-01T12:00:00Z"

  it("are written as the reader writes them", () => {
    expect(en.date(noon)).toBe("May 1, 2026")
    expect(zh.date(noon)).toBe("2026年5月1日")
  })

  it("hold the date and the time when both are asked for", () => {
    expect(en.dateTime(noon)).toBe(`May 1, 2026, ${en.time(noon)}`)
    expect(zh.dateTime(noon)).toContain(zh.time(noon))
    expect(en.time(noon)).toMatch(/^\d{1,2}:00\s[AP]M$/)
    expect(zh.time(noon)).toMatch(/^\d{2}:00$/)
  })
})
