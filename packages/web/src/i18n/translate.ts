import type { Dictionary, TextKey } from "./en.ts"

export type Parameters = Readonly<Record<string, string | number>>

/**
 * A text with its parameters filled in: `{name}`, and `{count|task|tasks}` for the form that fits the number.
 * What was not given stays visible, so that it is noticed.
 */
export function translate(dictionary: Dictionary, key: TextKey, parameters: Parameters = {}): string {
  return dictionary[key].replace(
    /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g,
    (whole, name: string, one?: string, other?: string) => {
      const value = parameters[name]
      if (value === undefined) return whole
      if (one === undefined || other === undefined) return String(value)
      return Number(value) === 1 ? one : other
    },
  )
}
