import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRunning, temporaryDirectory, waitFor } from "@chorus/testing"
import { readFileSync, existsSync } from "node:fs"
import { expect, it } from "vitest"
import { runChecks } from "../src/run-checks.ts"

const env = { PATH: process.env["PATH"] ?? "" }

it("runs commands in a tree and tells how each ended, and leaves nothing of them behind", async () => {
  const folder = temporaryDirectory("checks-").path
  writeFileSync(join(folder, "door.txt"), "red\n")
  const heard: string[] = []
  const [good, bad, left] = await runChecks(
    [
      "grep -q red door.txt && echo fine",
      "echo no >&2; exit 3",
      "setsid -f sh -c 'echo $$ >stray; exec sleep 300'; until [ -s stray ]; do :; done",
    ],
    { folder, env, limits: { minutes: 1 }, heard: (output) => heard.push(output) },
  )
  expect(good).toMatchObject({ exitCode: 0, reason: null, output: "fine\n", outputBytes: 5 })
  expect(bad).toMatchObject({ exitCode: 3, reason: null, output: "no\n" })
  expect(heard).toEqual(["fine\n", "no\n"])
  expect(left).toMatchObject({ exitCode: 0 })
  expect(isRunning(Number(readFileSync(join(folder, "stray"), "utf8")))).toBe(false)
})

it("ends what prints 50 MB and what never ends, with all that they started", async () => {
  const folder = temporaryDirectory("checks-").path
  const flood = "echo $$ >flood; head -c 52428800 /dev/zero | tr '\\0' x; sleep 300"
  const endless = "sleep 300 & echo $! >child; echo $$ >endless; wait"
  const [loud] = await runChecks([flood], { folder, env, limits: { minutes: 1, bytes: 1024 * 1024 } })
  expect(loud).toMatchObject({ exitCode: null, reason: "It printed more than 1 MB and was ended." })
  expect(loud?.output.length).toBeLessThanOrEqual(100_000)
  const [late] = await runChecks([endless], { folder, env, limits: { minutes: 0.02 } })
  expect(late).toMatchObject({ exitCode: null, reason: expect.stringContaining("It took longer than") })
  for (const name of ["flood", "child", "endless"])
    expect(isRunning(Number(readFileSync(join(folder, name), "utf8")))).toBe(false)
})

it("ends when it is told to", async () => {
  const folder = temporaryDirectory("checks-").path
  const stop = new AbortController()
  const running = runChecks(["echo $$ >pid; sleep 300"], {
    folder,
    env,
    limits: { minutes: 1 },
    signal: stop.signal,
  })
  await waitFor(() => existsSync(join(folder, "pid")), 60_000, "it to begin")
  stop.abort()
  expect(await running).toMatchObject([{ exitCode: null, reason: "It was stopped." }])
})
