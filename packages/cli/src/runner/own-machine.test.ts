import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, expect, it, vi } from "vitest"
import { ownMachine } from "./own-machine.ts"

afterEach(() => vi.unstubAllEnvs())

it("suggests the repository that the server was started in, and never the clone of Chorus itself", async () => {
  const shop = temporaryDirectory("shop-").path
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: shop })
  git("init", "--quiet")
  git("commit", "--quiet", "--allow-empty", "--message", "Begin")
  const suggestedIn = (folder: string) => {
    vi.stubEnv("INIT_CWD", folder)
    return ownMachine(temporaryDirectory("data-").path).suggested()
  }
  expect(await suggestedIn(shop)).toBe(shop)
  expect(await suggestedIn(join(import.meta.dirname, "../.."))).toBeUndefined()
})
