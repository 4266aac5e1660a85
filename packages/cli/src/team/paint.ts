import { fit, oneLine, paint } from "../output.ts"

const STYLES = {
  blue: "blueBright",
  green: "green",
  yellow: "yellow",
  purple: "magenta",
  orange: "yellowBright",
  pink: "magentaBright",
  cyan: "cyan",
  red: "red",
} as const

/** A member's name in the colour the team gave it. */
export function paintName(name: string, color: string | undefined): string {
  const style = color === undefined ? undefined : STYLES[color as keyof typeof STYLES]
  return style === undefined ? paint("bold", oneLine(name)) : paint(style, oneLine(name))
}

/** At most `width` columns, with a sign where something was left out. */
export function cut(text: string, width: number): string {
  return fit(oneLine(text), width)
}
