import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chromium, type Browser } from "playwright-core"
import { commandOnPath, installDebianPackage } from "./debian.ts"

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const PLACES = [
  "/usr/bin/chromium",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

// Without these a fresh Chromium looks up and calls its maker's hosts at every start.
export const QUIET_BROWSER = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** The path of a Chromium: `$CHORUS_CHROMIUM`, an installed one, or Debian's package where this process may install it. */
export async function findChromium(): Promise<string> {
  const named = process.env["CHORUS_CHROMIUM"]
  if (named !== undefined && existsSync(named)) return named
  if (named !== undefined) throw new Error(`CHORUS_CHROMIUM names ${named}, which does not exist.`)
  const found = installed() ?? ((await installDebianPackage("chromium")) ? installed() : undefined)
  if (found === undefined)
    throw new Error(
      "Chromium is missing; install it (apt-get install chromium, brew install --cask chromium) or set CHORUS_CHROMIUM to its path.",
    )
  return found
}

/** The smallest that is there, for pages alone: it has no window that nobody sees, and shows no notifications. */
export async function findSmallChromium(): Promise<string> {
  const small = process.env["CHORUS_CHROMIUM"] === undefined ? commandOnPath("chromium-headless-shell") : undefined
  return small ?? findChromium()
}

/** What it calls itself: figures and faults differ from one to the next. */
export function chromiumVersion(path: string): string {
  return execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
}

/** A headless browser with an empty profile that talks to nobody by itself; the whole one where notifications are shown. */
export async function launchBrowser({ whole = false } = {}): Promise<Browser> {
  const asRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: await (whole ? findChromium() : findSmallChromium()),
    headless: true,
    chromiumSandbox: !asRoot,
    args: QUIET_BROWSER,
  })
}

function installed(): string | undefined {
  return NAMES.map(commandOnPath).find((path) => path !== undefined) ?? PLACES.find((path) => existsSync(path))
}
