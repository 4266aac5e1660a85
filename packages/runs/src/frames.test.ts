import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it, onTestFinished } from "vitest"
import { openFrames } from "./frames.ts"

const LONG = "x".repeat(200_000)

function folder() {
  const { path, remove } = temporaryDirectory("frames-")
  onTestFinished(remove)
  return path
}

it("keeps what was said, and holds up whoever says more than the disk takes", async () => {
  const path = folder()
  const frames = openFrames(path)
  for (let times = 0; times < 20; times++) await frames.add("in", LONG)
  frames.end()
  const kept = () => readFileSync(join(path, "frames.jsonl"), "utf8").trim().split("\n")
  await expect.poll(() => kept().length).toBe(20)
  expect(JSON.parse(kept()[19] ?? "")).toMatchObject({ in: LONG })
})

it("costs the record, and not the run, where nothing can be written", async () => {
  const path = folder()
  rmSync(join(path, "frames.jsonl"), { force: true })
  mkdirSync(join(path, "frames.jsonl"))
  const frames = openFrames(path)
  for (let times = 0; times < 20; times++) await frames.add("out", LONG)
  frames.end()
})
