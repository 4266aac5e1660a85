import { execFile } from "node:child_process"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { expect, test, vi } from "vitest"
import { agentProgram, temporaryDirectory, type Agent, type AgentVersion } from "@chorus/testing"

const FIRST_FETCH = 600_000

const pins: [Agent, AgentVersion][] = [
  ["claude-code", "2.1.325"],
  ["claude-code", "2.1.41"],
  ["codex", "0.166.0"],
  ["opencode", "1.18.33"],
]

test.each(pins)("%s %s is the version it was pinned to", { timeout: FIRST_FETCH }, async (agent, version) => {
  const [program, again] = await Promise.all([agentProgram(agent, version), agentProgram(agent, version)])
  expect(again).toBe(program)
  await using home = temporaryDirectory()
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home.path }
  expect((await promisify(execFile)(program, ["--version"], { env })).stdout).toContain(version)
})

test("says in one line why a program cannot be had", async () => {
  await using empty = temporaryDirectory()
  vi.stubEnv("CHORUS_CACHE", empty.path)
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/")
  vi.stubEnv("npm_config_fetch_retries", "0")
  vi.stubEnv("npm_config_cache", `${empty.path}/npm`)
  try {
    const failure = await agentProgram("codex", "0.166.0").catch((error: unknown) => error)
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^No codex 0\.166\.0 for this test: npm could not install .*registry is reachable\.$/,
      ),
    })
  } finally {
    vi.unstubAllEnvs()
  }
})
