import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keyProxy } from "./key-proxy.ts"
import { runningServer, type TestServer } from "./running-server.ts"

const CONFORMANCE = new URL("../../../node_modules/.bin/conformance", import.meta.url).pathname

/** What the suite asks of any server. The rest exercises prompts, resources, sampling and tasks, which Chorus does not offer. */
const ALL_SCENARIOS = [
  ["server-initialize", "2025-11-25"],
  ["server-session-lifecycle", "2025-11-25"],
  ["ping", "2025-11-25"],
  ["tools-list", "2025-06-18"],
  ["tools-list", "2025-11-25"],
  ["tools-list", "2026-07-28"],
  ["tools-call-error", "2025-11-25"],
  ["tools-call-error", "2026-07-28"],
  ["dns-rebinding-protection", "2025-11-25"],
  ["dns-rebinding-protection", "2026-07-28"],
  ["server-sse-multiple-streams", "2025-11-25"],
  ["server-sse-multiple-streams", "2026-07-28"],
  ["server-stateless", "2026-07-28"],
  ["caching", "2026-07-28"],
  ["http-header-validation", "2026-07-28"],
  ["input-required-result-unsupported-methods", "2026-07-28"],
] as const
/** Each is a program to start; every day it is asked of the newest version that has it, which is listed last. */
const SCENARIOS =
  process.env["CHORUS_STRESS"] === "1"
    ? ALL_SCENARIOS
    : [...new Map(ALL_SCENARIOS.map((one) => [one[0], one] as const)).values()]

/** Checks that need a fixture tool of the suite's own, or lists we do not have. */
const NOT_OURS = /'test_missing_capability'|^(prompts|resources)\/.* returned JSON-RPC error -32601/

interface Check {
  id: string
  status: string
  errorMessage?: string
}

let chorus: TestServer
let proxy: Awaited<ReturnType<typeof keyProxy>>

beforeAll(async () => {
  chorus = await runningServer()
  proxy = await keyProxy(chorus.url, chorus.key)
})
afterAll(async () => {
  proxy.close()
  await chorus.close()
})

async function checksOf(scenario: string, specVersion: string): Promise<Check[]> {
  const directory = temporaryDirectory()
  const args = [
    "server",
    "--url",
    `${proxy.url}/api/mcp`,
    "--scenario",
    scenario,
    "--spec-version",
    specVersion,
    "-o",
    directory.path,
  ]
  const run = spawn(process.execPath, [CONFORMANCE, ...args], { stdio: "ignore" })
  await new Promise((done) => run.on("exit", done))
  const files = readdirSync(directory.path, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("checks.json"),
  )
  const checks = files.flatMap((name) => JSON.parse(readFileSync(join(directory.path, name), "utf8")) as Check[])
  await directory.remove()
  return checks
}

describe("the official MCP conformance suite", () => {
  it.each(SCENARIOS)("%s at %s", async (scenario, specVersion) => {
    const checks = await checksOf(scenario, specVersion)
    expect(checks.length).toBeGreaterThan(0)
    const failures = checks.filter(
      ({ status, errorMessage }) => status === "FAILURE" && !NOT_OURS.test(errorMessage ?? ""),
    )
    expect(failures).toEqual([])
  })
})
