import { execFileSync } from "node:child_process"
import { describe, expect, test, vi } from "vitest"
import { findShell } from "@chorus/testing"

describe("a shell", { timeout: 600_000 }, () => {
  test.each(["bash", "zsh", "fish"] as const)("%s is found where it is installed, or installed", async (name) => {
    const path = await findShell(name)
    expect(path).toMatch(new RegExp(`/${name}$`))
    expect(execFileSync(path, ["-c", "echo said"], { encoding: "utf8" })).toBe("said\n")
  })

  test("that cannot be had is told with what to do", async () => {
    vi.stubEnv("PATH", "")
    await expect(findShell("fish").finally(() => vi.unstubAllEnvs())).rejects.toThrow(
      "fish is missing; install it (apt-get install fish, brew install fish).",
    )
  })
})
