import { useMemo } from "react"
import { useLanguage } from "../i18n/language.ts"

/** A day by month and number, in the reader's words; the year is clear from the range. */
export function useDayName(): (day: string) => string {
  const language = useLanguage()
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", { month: "short", day: "numeric" })
    return (day) => format.format(new Date(`${day}T12:00:00`))
  }, [language])
}
