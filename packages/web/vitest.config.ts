import { availableParallelism } from "node:os"
import { chromiumVersion, findSmallChromium, QUIET_BROWSER } from "@chorus/testing"
import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { playwright } from "@vitest/browser-playwright"
import { configDefaults, defineConfig } from "vitest/config"
import type { BrowserCommandContext } from "vitest/node"
import { serverBehind } from "./test/server-behind.ts"

const BUNDLED = [
  "@chorus/client > eventsource-parser",
  "@chorus/core > ipaddr.js",
  "@tanstack/react-router",
  "@tanstack/react-virtual",
  "@xyflow/react",
  "fast-check",
  "lowlight",
  "lucide-react",
  "marked",
  "mermaid",
  "radix-ui",
  "react",
  "react-dom",
  "react-dom/client",
  "react/jsx-dev-runtime",
  "react/jsx-runtime",
  "vitest-browser-react",
  "zod",
]
/** What starts the page itself, or holds the stream for its browser, can only be taken back by closing the window. */
const ALONE = ["main", "live/leader-tab", "live/stream", "shell/App", "shell/page-start"].map(
  (name) => `src/${name}.test.tsx`,
)
/** React as people have it: what it checks and records in development is two thirds of the work of a page's test. */
process.env["NODE_ENV"] = process.env["CHORUS_STRESS"] === "1" ? "development" : "production"
const asRoot = process.getuid?.() === 0
const executablePath = await findSmallChromium()
console.info(`the browser: ${chromiumVersion(executablePath)}, ${executablePath}`)

/** Components and pages in a real browser, in front of a real server. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), serverBehind()],
  // All of them named: one that is found later would load the page anew in the middle of a test.
  optimizeDeps: { include: BUNDLED },
  test: {
    name: "page",
    tags: [{ name: "stress", description: "runs under npm run stress only" }],
    include: ["src/**/*.test.tsx"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: availableParallelism(),
    expect: { poll: { timeout: 60_000, interval: 50 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 1280, height: 800 },
      commands: {
        pressAt: ({ page }: BrowserCommandContext, x: number, y: number) => page.mouse.click(x, y),
        tapAt: async ({ page }: BrowserCommandContext, x: number, y: number) => {
          const session = await page.context().newCDPSession(page)
          await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] })
          await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
          await session.detach()
        },
      },
      provider: playwright({
        launchOptions: { executablePath, chromiumSandbox: !asRoot, args: QUIET_BROWSER },
        contextOptions: { reducedMotion: "reduce" },
      }),
      instances: [
        // The files of a worker share a window and what it has loaded, which is most of the work of a small one.
        { browser: "chromium" as const, name: "page", exclude: [...configDefaults.exclude, ...ALONE], isolate: false },
        { browser: "chromium" as const, name: "page-alone", include: ALONE },
      ],
    },
  },
})
