import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { Bell } from "@chorus/core"
import { watchFolder } from "./watch.ts"

function scene() {
  const root = mkdtempSync(join(tmpdir(), "chorus-watch-"))
  const folder = join(root, "teams", "t", "inboxes")
  const bell = new Bell()
  const names: (string | undefined)[] = []
  const watching = watchFolder(
    folder,
    (name) => {
      names.push(name)
      bell.ring()
    },
    60_000,
  )
  onTestFinished(() => {
    watching.close()
    rmSync(root, { recursive: true, force: true })
  })
  const until = async (holds: () => boolean) => {
    while (!holds()) await bell.heard()
  }
  return { root, folder, names, until }
}

test("a folder that appears later, level by level, is watched from its first moment", async () => {
  const { folder, names, until } = scene()
  mkdirSync(folder, { recursive: true })
  await until(() => names.includes(undefined))
  writeFileSync(join(folder, "a.json"), "[]")
  await until(() => names.includes("a.json"))
})

test("a folder that goes away and comes back is watched again", async () => {
  const { folder, names, until } = scene()
  mkdirSync(folder, { recursive: true })
  await until(() => names.includes(undefined))
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  writeFileSync(join(folder, "b.json"), "[]")
  await until(() => names.length > 1)
  writeFileSync(join(folder, "c.json"), "[]")
  await until(() => names.includes("c.json"))
  expect(names).toContain("c.json")
})

test("a ring while nobody waits is kept", async () => {
  const bell = new Bell()
  bell.ring()
  await bell.heard()
  let heard = false
  const waiting = bell.heard().then(() => (heard = true))
  expect(heard).toBe(false)
  bell.ring()
  await waiting
})
