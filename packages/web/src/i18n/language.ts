import { useMemo, useSyncExternalStore } from "react"
import { type Dictionary, en, type TextKey } from "./en.ts"
import type { Written } from "./written.ts"

export type { TextKey } from "./en.ts"
export type Language = "en" | "zh"

/** Each in its own words. */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "zh", label: "中文" },
] as const satisfies readonly { readonly value: Language; readonly label: string }[]

const STORED = "chorus.language"
const listeners = new Set<() => void>()
/** English is here from the start; others are fetched when somebody reads them. */
const dictionaries = new Map<Language, Dictionary>([["en", en]])
const retold = new Map<Language, Written>()
const refusals = new Map<Language, Readonly<Record<string, string>>>()
let current: Language = "en"
let wanted: Language = "en"

/** Chosen by the person, else by the browser. */
export function initialLanguage(stored: string | null, preferred: readonly string[]): Language {
  if (stored === "en" || stored === "zh") return stored
  const first = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return first?.toLowerCase().startsWith("zh") === true ? "zh" : "en"
}

/** A language that cannot be fetched leaves the page in English rather than blank. */
export async function startLanguage(): Promise<void> {
  await speak(initialLanguage(localStorage.getItem(STORED), navigator.languages)).catch(() => speak("en"))
}

export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language)
  await speak(language)
}

export type Translate = (key: TextKey, parameters?: Parameters) => string

/** The translator of the current language; the component follows a change of language. */
export function useText(): Translate {
  const language = useLanguage()
  return useMemo(() => {
    const dictionary = dictionaries.get(language) ?? en
    return (key, parameters) => translate(dictionary, key, parameters)
  }, [language])
}

/** How what servers and machines write is told in the current language; in English as they wrote it. */
export function useWritten(): Written | undefined {
  return retold.get(useLanguage())
}

/** The same outside of components: for what is said after a component has gone. */
export function say(key: TextKey, parameters?: Parameters): string {
  return translate(dictionaries.get(current) ?? en, key, parameters)
}

/** Why the server refused, in the current language; undefined where its own words are in that language. */
export function refusal(code: string, message: string): string | undefined {
  const told = refusals.get(current)?.[code]
  return told === undefined ? undefined : filled(told, { message })
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, nowSpoken, nowSpoken)
}

async function speak(language: Language): Promise<void> {
  wanted = language
  if (language === "zh" && !dictionaries.has("zh")) {
    const { zh, writtenZh, refusalsZh } = await import("./zh.ts")
    dictionaries.set("zh", zh)
    retold.set("zh", writtenZh)
    refusals.set("zh", refusalsZh)
  }
  // Somebody may have chosen another one while this one was on its way.
  if (wanted !== language) return
  current = language
  document.documentElement.lang = language
  for (const listener of listeners) listener()
}

function nowSpoken(): Language {
  return current
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type Parameters = Readonly<Record<string, string | number>>

/**
 * A text with its parameters filled in: `{name}`, and `{count|task|tasks}` for the form that fits the number.
 * What was not given stays visible, so that it is noticed.
 */
export function translate(dictionary: Dictionary, key: TextKey, parameters?: Parameters): string {
  return filled(dictionary[key], parameters)
}

export function filled(template: string, parameters: Parameters = {}): string {
  return template.replace(
    /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g,
    (whole, name: string, one?: string, other?: string) => {
      const value = parameters[name]
      if (value === undefined) return whole
      if (one === undefined || other === undefined) return String(value)
      return Number(value) === 1 ? one : other
    },
  )
}

export interface Format {
  number(value: number): string
  date(iso: string): string
  /** The date, without its year where that is the current one. */
  day(iso: string): string
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
  const dayOfYear = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric" })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" })
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "short" }).format(value)
  return {
    number: (value) => number.format(value),
    money: (dollars) => money.format(dollars),
    date: (iso) => date.format(new Date(iso)),
    day(iso) {
      const at = new Date(iso)
      return (at.getFullYear() === new Date().getFullYear() ? dayOfYear : date).format(at)
    },
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
      const seconds = Math.max(0, Math.round(milliseconds / 1000))
      const minutes = Math.floor(seconds / 60)
      if (minutes < 1) return unit(seconds, "second")
      if (minutes < 60) return unit(minutes, "minute")
      if (minutes < 1440)
        return minutes % 60 === 0
          ? unit(minutes / 60, "hour")
          : `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`
      return unit(Math.floor(minutes / 1440), "day")
    },
  }
}

/** Numbers, dates and times as the reader writes them; what was a minute ago does not stay so. */
export function useFormat(): Format {
  const language = useLanguage()
  useSyncExternalStore(everyHalfMinute, halfMinute)
  return formatIn(language)
}

const formats = new Map<Language, Format>()

/** Made once: every row of a long list asks for it. */
function formatIn(language: Language): Format {
  const format = formats.get(language) ?? formatFor(language)
  formats.set(language, format)
  return format
}

const HALF_MINUTE_MS = 30_000
const watchers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for the whole page, and only while somebody looks at it. */
function everyHalfMinute(listener: () => void): () => void {
  watchers.add(listener)
  timer ??= setInterval(() => {
    for (const each of watchers) each()
  }, HALF_MINUTE_MS)
  return () => {
    watchers.delete(listener)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function halfMinute(): number {
  return Math.floor(Date.now() / HALF_MINUTE_MS)
}
