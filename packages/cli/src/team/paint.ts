import { stripVTControlCharacters } from "node:util"
import { paint } from "../output.ts"
import { fit } from "../terminal-text.ts"

const STYLES = { blue: "blueBright", green: "green", yellow: "yellow", purple: "magenta", orange: "yellowBright", pink: "magentaBright", cyan: "cyan", red: "red" } as const

/** A member's name in the colour the team gave it. */
export function paintName(name: string, color: string | undefined): string {
  const style = color === undefined ? undefined : STYLES[color as keyof typeof STYLES]
  return style === undefined ? paint("bold", clean(name)) : paint(style, clean(name))
}

/** Text from agents as one harmless line: no control sequences, no line breaks. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()
}

/** At most `width` columns, with a sign where something was left out. */
export function cut(text: string, width: number): string {
  return fit(clean(text), width)
}
