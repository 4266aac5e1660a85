import { useMemo, useSyncExternalStore } from "react"
import { type Dictionary, en, type TextKey } from "./en.ts"
import { type Parameters, translate } from "./translate.ts"

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

/** The same outside of components: for what is said after a component has gone. */
export function say(key: TextKey, parameters?: Parameters): string {
  return translate(dictionaries.get(current) ?? en, key, parameters)
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, nowSpoken, nowSpoken)
}

async function speak(language: Language): Promise<void> {
  wanted = language
  if (language === "zh" && !dictionaries.has("zh")) dictionaries.set("zh", (await import("./zh.ts")).zh)
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
