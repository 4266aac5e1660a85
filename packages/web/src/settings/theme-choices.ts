import { Monitor, Moon, Sun } from "lucide-react"
import type { Translate } from "../i18n/language.ts"

/** The looks of the page, as they are offered in the settings and in the menu. */
export function themeChoices(text: Translate) {
  return [
    { value: "system", label: text("menu.theme.system"), icon: Monitor },
    { value: "light", label: text("menu.theme.light"), icon: Sun },
    { value: "dark", label: text("menu.theme.dark"), icon: Moon },
  ] as const
}
