import { useSyncExternalStore } from "react"
import { type Dictionary, en } from "./en.ts"
import { zh } from "./zh.ts"

export type Language = "en" | "zh"
export type TextKey = keyof Dictionary

const DICTIONARIES: Record<Language, Dictionary> = { en, zh }
const STORED = "chorus.language"
const listeners = new Set<() => void>()
let current: Language = "en"

/** Chosen by the person, else by the browser. */
export function initialLanguage(stored: string | null, preferred: readonly string[]): Language {
  if (stored === "en" || stored === "zh") return stored
  const first = preferred.find((tag) => /^(en|zh)\b/i.test(tag))
  return first?.toLowerCase().startsWith("zh") === true ? "zh" : "en"
}

export function startLanguage(): void {
  current = initialLanguage(localStorage.getItem(STORED), navigator.languages)
  document.documentElement.lang = current
}

export function setLanguage(language: Language): void {
  current = language
  localStorage.setItem(STORED, language)
  document.documentElement.lang = language
  for (const listener of listeners) listener()
}

export function translate(language: Language, key: TextKey, parameters: Record<string, string | number> = {}): string {
  return DICTIONARIES[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(parameters[name] ?? whole))
}

export type Translate = (key: TextKey, parameters?: Record<string, string | number>) => string

/** The translator of the current language; the component follows a change of language. */
export function useText(): Translate {
  const language = useLanguage()
  return (key, parameters) => translate(language, key, parameters)
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
