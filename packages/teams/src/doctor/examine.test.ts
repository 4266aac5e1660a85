import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { lockNotes, withLock } from "@chorus/disk"
import { beforeEach, expect, test } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { createTeam, type Team } from "../team.ts"
import { examineTeams } from "./examine.ts"
import { wholeObjects } from "./salvage.ts"

let root: string
let team: Team
beforeEach(async () => {
  root = scratchFolder()
  team = await createTeam({ name: "t" }, { root })
  await team.join({ name: "bob" })
})

async function repairAll(): Promise<string[]> {
  const findings = await examineTeams({ root })
  for (const finding of findings) await finding.repair?.()
  return findings.map((finding) => finding.what)
}

test("a healthy team has no findings", async () => {
  await team.createTask({ subject: "a", description: "" })
  await team.createTask({ subject: "b", description: "", blockedBy: ["1"] })
  expect(await examineTeams({ root })).toEqual([])
})

test("a torn inbox keeps every whole message and a copy of what was there", async () => {
  await team.deliver({ from: "x", to: "bob", text: 'one } \\" [' })
  await team.deliver({ from: "x", to: "bob", text: "two" })
  const { readFileSync } = await import("node:fs")
  const path = team.paths.inbox("bob")
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -40))
  expect(await repairAll()).toEqual(["damaged"])
  expect((await team.unread("bob")).map(({ entry }) => entry.text)).toEqual(['one } \\" ['])
  expect(readdirSync(team.paths.inboxes).some((name) => name.includes(".damaged-"))).toBe(true)
})

test("an inbox that is no list is mended, and a roster that is none is named", async () => {
  writeFileSync(
    team.paths.inbox("bob"),
    JSON.stringify({ from: "x", text: "one", timestamp: "2026-01-01T00:00:00.000Z", read: false }),
  )
  expect(await repairAll()).toEqual(["damaged"])
  expect((await team.unread("bob")).map(({ entry }) => entry.text)).toEqual(["one"])
  for (const roster of ["null", "[]", '{"members":7}']) {
    writeFileSync(team.paths.config, roster)
    expect(await examineTeams({ root })).toMatchObject([{ what: "damaged", where: team.paths.config }])
  }
})

test("a lock that nobody holds is found and cleared", async () => {
  const note = await withLock(team.paths.inbox("bob"), { notes: lockNotes(root) }, () => {
    const name = readdirSync(lockNotes(root)).find((entry) => entry.endsWith(".json")) ?? ""
    return { name, said: JSON.parse(readFileSync(join(lockNotes(root), name), "utf8")) as object }
  })
  mkdirSync(`${team.paths.inbox("bob")}.lock`)
  const died = { ...note.said, procStart: "1", at: Date.now(), lock: undefined }
  writeFileSync(join(lockNotes(root), note.name), JSON.stringify(died))
  expect(await repairAll()).toEqual(["lock"])
  expect(readdirSync(team.paths.inboxes)).toEqual(["bob.json"])
})

test("leftovers of a cut-off write are removed when they are old", async () => {
  const old = `${team.paths.config}.tmp.0a1b2c3d`
  writeFileSync(old, "{")
  utimesSync(old, 1, 1)
  writeFileSync(`${team.paths.inbox("bob")}.tmp.ffffffff`, "[")
  expect(await repairAll()).toEqual(["leftover"])
  expect(readdirSync(team.paths.directory).sort()).toEqual(["config.json", "inboxes"])
})

test("links that one end does not know of are mended", async () => {
  await team.createTask({ subject: "a", description: "" })
  await team.createTask({ subject: "b", description: "" })
  writeFileSync(team.paths.task("2"), JSON.stringify({ ...(await team.task("2")), blockedBy: ["1", "9"] }))
  expect(await repairAll()).toEqual(["link", "link"])
  expect((await team.task("1")).blocks).toEqual(["2"])
  expect((await team.task("2")).blockedBy).toEqual(["1"])
})

test("a member whose process is gone is a ghost, and its task is freed", async () => {
  await team.patchMember("bob", { tmuxPaneId: "pid:999999999" })
  await team.createTask({ subject: "a", description: "" })
  await team.claimTask("1", "bob")
  expect(await repairAll()).toEqual(["ghost"])
  expect((await team.config()).members.length).toBe(1)
  expect((await team.task("1")).status).toBe("pending")
})

test("folders with unsafe names are named and left alone", async () => {
  mkdirSync(join(root, "teams", "a b"))
  expect((await examineTeams({ root })).map((finding) => [finding.what, finding.team])).toEqual([["unsafe", "a b"]])
})

test("whole objects are found in any ruin", () => {
  expect(wholeObjects('[{"a":1},{"b":{"c":"}"}},{"d":')).toEqual([{ a: 1 }, { b: { c: "}" } }])
  expect(wholeObjects("")).toEqual([])
})
