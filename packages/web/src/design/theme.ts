import { useSyncExternalStore } from "react"

export type Theme = "light" | "dark" | "system"

const STORED = "chorus.theme"
const listeners = new Set<() => void>()

export function startTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply)
  addEventListener("beforeprint", showLight)
  addEventListener("afterprint", apply)
  apply()
}

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return stored === "light" || stored === "dark" ? stored : "system"
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
  apply()
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme)
}

/** Whether the page is dark at this moment, whoever chose that. */
export function useDark(): boolean {
  return useSyncExternalStore(subscribe, isDark)
}

function apply(): void {
  const chosen = chosenTheme()
  const dark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
  show(dark ? "dark" : "light")
}

/** Paper is white, whoever reads in the dark. */
function showLight(): void {
  show("light")
}

function show(shown: "light" | "dark"): void {
  document.documentElement.dataset["theme"] = shown
  for (const listener of listeners) listener()
}

function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark"
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
