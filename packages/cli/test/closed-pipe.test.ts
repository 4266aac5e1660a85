import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { CHORUS_MAIN, temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { chorusJson } from "./chorus-process.ts"

let directory: TemporaryDirectory

beforeAll(async () => {
  directory = temporaryDirectory()
  await chorusJson(["project", "add", "Shop", "--data", directory.path])
})

afterAll(() => directory.remove())

test.each([
  ["a list", ["call", "--json"]],
  ["a table", ["project", "list"]],
  ["an export", ["export", "-"]],
  ["the help", ["--help"]],
])("%s that nobody reads to its end is no fault", async (_, argv) => {
  const child = spawn(process.execPath, [CHORUS_MAIN, ...argv], {
    env: { PATH: process.env["PATH"], HOME: directory.path, CHORUS_DATA: directory.path },
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stdout.destroy()
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit") as Promise<[number | null]>])
  expect(said).toBe("")
  expect(code).toBe(0)
})
