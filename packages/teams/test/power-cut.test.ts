import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { basename } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { takeFromInbox } from "../src/files/index.ts"
import { createTeam } from "../src/index.ts"
import { scratchRoot } from "./worker.ts"

// What the system was asked to do, in order, by the file it was asked for. Only a real power cut would show more.
const asked: string[] = []
const opened = new Map<number, string>()
const real = { openSync: fs.openSync, fdatasyncSync: fs.fdatasyncSync, renameSync: fs.renameSync }

beforeEach(() => {
  fs.openSync = (path, ...more) => {
    const file = real.openSync(path, ...more)
    opened.set(file, basename(String(path)).replace(/\.tmp\.\w+$/, ".new"))
    return file
  }
  fs.fdatasyncSync = (file) => {
    asked.push(`sync ${opened.get(file)}`)
    real.fdatasyncSync(file)
  }
  fs.renameSync = (from, to) => {
    asked.push(`rename ${basename(String(to))}`)
    real.renameSync(from, to)
  }
  syncBuiltinESMExports()
})

afterEach(() => {
  Object.assign(fs, real)
  syncBuiltinESMExports()
})

async function watched(work: () => Promise<unknown>): Promise<string[]> {
  asked.length = 0
  await work()
  return asked.filter((line) => !line.includes("snapshot"))
}

test("a message is on the disk before its name points to it", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  await team.join({ name: "bob" })
  expect(await watched(() => team.deliver({ from: "x", to: "bob", text: "one" }))).toEqual([
    "sync bob.json.new",
    "rename bob.json",
  ])
})

test("an append to a large inbox, made in its place, is on the disk before it is acknowledged", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  await team.join({ name: "bob" })
  fs.writeFileSync(
    team.paths.inbox("bob"),
    JSON.stringify([{ from: "x", text: "y".repeat(300_000), timestamp: "2026-01-01T00:00:00.000Z", read: false }]),
  )
  expect(await watched(() => team.deliver({ from: "x", to: "bob", text: "one" }))).toEqual(["sync bob.json"])
})

test("what leaves an inbox is in the history on the disk before", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  await team.join({ name: "bob" })
  await team.deliver({ from: "x", to: "bob", text: "new" })
  expect(await watched(() => takeFromInbox(team.paths, "bob", "session"))).toEqual([
    "sync bob.jsonl",
    "sync bob.json.new",
    "rename bob.json",
  ])
})

test("the roster and the tasks are on the disk before their names point to them", async () => {
  const team = await createTeam({ name: "t" }, { root: scratchRoot() })
  expect(await watched(() => team.join({ name: "carol" }))).toEqual(
    expect.arrayContaining(["sync config.json.new", "rename config.json"]),
  )
  expect(await watched(() => team.createTask({ subject: "a", description: "" }))).toEqual(
    expect.arrayContaining(["sync 1.json.new", "rename 1.json"]),
  )
})
