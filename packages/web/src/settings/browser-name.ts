const BROWSERS: readonly [string, RegExp][] = [
  ["Edge", /\bEdg(A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b((Headless)?Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
]
const SYSTEMS: readonly [string, RegExp][] = [
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Android", /Android/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /Mac OS X/],
  ["Windows", /Windows/],
  ["Linux", /Linux/],
]

/** "Firefox · Linux" from what a browser says of itself, or undefined. */
export function browserName(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined
  const first = (known: readonly [string, RegExp][]) => known.find(([, pattern]) => pattern.test(userAgent))?.[0]
  return [first(BROWSERS), first(SYSTEMS)].filter((part) => part !== undefined).join(" · ") || undefined
}
