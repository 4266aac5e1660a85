import { useMemo, useSyncExternalStore } from "react"
import { type Language, useLanguage } from "./language.ts"

export interface Format {
  number(value: number): string
  date(iso: string): string
  time(iso: string): string
  dateTime(iso: string): string
  /** "3 min. ago"; give `now` to be exact in tests. */
  ago(iso: string, now?: number): string
  /** "2 h 5 min" for a length of time. */
  duration(milliseconds: number): string
  money(dollars: number): string
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
]

export function formatFor(language: Language): Format {
  const locale = language === "zh" ? "zh-CN" : "en"
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" })
  const number = new Intl.NumberFormat(locale)
  const money = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: 2,
  })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" })
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "short" }).format(value)
  return {
    number: (value) => number.format(value),
    money: (dollars) => money.format(dollars),
    date: (iso) => date.format(new Date(iso)),
    time: (iso) => time.format(new Date(iso)),
    dateTime: (iso) => dateTime.format(new Date(iso)),
    ago(iso, now = Date.now()) {
      const seconds = Math.round((Date.parse(iso) - now) / 1000)
      const [name, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
      if (Math.abs(seconds) < 30) return language === "zh" ? "刚刚" : relative.format(0, "second")
      // What is past has lasted for whole units; what is to come is nearer to the next one.
      return relative.format(seconds < 0 ? Math.trunc(seconds / size) : Math.round(seconds / size), name)
    },
    duration(milliseconds) {
      const minutes = Math.round(milliseconds / 60_000)
      if (minutes < 1) return unit(Math.max(0, Math.round(milliseconds / 1000)), "second")
      if (minutes < 60) return unit(minutes, "minute")
      if (minutes < 1440)
        return minutes % 60 === 0
          ? unit(minutes / 60, "hour")
          : `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`
      return unit(Math.round(minutes / 1440), "day")
    },
  }
}

/** Numbers, dates and times as the reader writes them; what was a minute ago does not stay so. */
export function useFormat(): Format {
  const language = useLanguage()
  useSyncExternalStore(everyHalfMinute, halfMinute)
  return useMemo(() => formatFor(language), [language])
}

const HALF_MINUTE_MS = 30_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for the whole page, and only while somebody looks at it. */
function everyHalfMinute(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, HALF_MINUTE_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function halfMinute(): number {
  return Math.floor(Date.now() / HALF_MINUTE_MS)
}
