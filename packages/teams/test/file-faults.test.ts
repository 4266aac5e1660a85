import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createTeam, openTeam } from "../src/index.ts"
import { entriesOf } from "../src/files/team-paths.ts"
import { scratchRoot, startWorker } from "./worker.ts"

async function team(root = scratchRoot()) {
  const made = await createTeam({ name: "t" }, { root })
  await made.join({ name: "bob" })
  return { root, team: made, inbox: made.paths.inbox("bob") }
}

test("an inbox that is half-written is waited for and then appended to", async () => {
  const { team: t, inbox } = await team()
  writeFileSync(inbox, '[{"from":"a","text":"first","timest')
  const sending = t.deliver({ from: "x", to: "bob", text: "second" })
  const reading = t.unread("bob")
  await new Promise((resolve) => setTimeout(resolve, 60))
  appendFileSync(inbox, 'amp":"2026-01-01T00:00:00.000Z","read":false}]')
  await sending
  expect((await reading).map(({ entry }) => entry.text)[0]).toBe("first")
  expect((await t.unread("bob")).map(({ entry }) => entry.text)).toEqual(["first", "second"])
})

test("a file that stays damaged gives a clear error and is left alone", async () => {
  const { readJson } = await import("../src/files/patient-json.ts")
  const { inbox } = await team()
  writeFileSync(inbox, '[{"from":')
  await expect(readJson(inbox, 50)).rejects.toMatchObject({ code: "file_damaged" })
  expect(readFileSync(inbox, "utf8")).toBe('[{"from":')
})

test("a roster that another program emptied and never wrote comes back", async () => {
  const { team: t } = await team()
  const before = await t.config()
  // So long ago that nobody is still writing it.
  const empty = () => {
    writeFileSync(t.paths.config, "")
    utimesSync(t.paths.config, 1, 1)
  }
  empty()
  expect(await t.config()).toEqual(before)
  expect(JSON.parse(readFileSync(t.paths.config, "utf8"))).toEqual(before)
  empty()
  await t.join({ name: "carol" })
  expect((await t.config()).members.map(({ name }) => name)).toEqual(["team-lead", "bob", "carol"])
})

test("a team that is deleted while its members still write leaves nothing behind, and each is told that it is gone", async () => {
  const root = scratchRoot()
  const names = Array.from({ length: 24 }, (_, n) => `t${n}`)
  const teams = await Promise.all(names.map((name) => createTeam({ name }, { root })))
  for (const one of teams) await one.join({ name: "bob" })
  const writers = [startWorker("late-writer", root, ...names), startWorker("late-writer", root, ...names)]
  const begun = new Set<string>()
  await new Promise<void>((resolve) => {
    for (const { child } of writers)
      child.stdout?.on("data", (said: string) => {
        for (const [, name = ""] of said.matchAll(/^(\S+) begun$/gm)) begun.add(name)
        if (begun.size === names.length) resolve()
      })
  })
  for (const one of teams) await one.delete({ force: true })
  const told = (await Promise.all(writers.map(({ done }) => done))).flat().filter((line) => !line.endsWith("begun"))
  expect(told.toSorted()).toEqual(names.flatMap((name) => Array(2).fill(`${name} team_gone`)).toSorted())
  const left = ["teams", "tasks", "chorus/teams", "chorus/gone"].map((folder) => entriesOf(join(root, folder)))
  expect(left).toEqual([[], [], [], []])
  expect(entriesOf(join(root, "chorus", "locks")).filter((name) => name.endsWith(".json"))).toEqual([])
})

test("a team that vanishes is named, and a late message does not bring its folder back", async () => {
  const { root, team: t } = await team()
  await t.createTask({ subject: "kept", description: "" })
  rmSync(t.paths.directory, { recursive: true })
  await expect(t.deliver({ from: "x", to: "bob", text: "late" })).rejects.toMatchObject({ code: "team_gone" })
  await expect(t.join({ name: "eve" })).rejects.toMatchObject({ code: "team_gone" })
  await expect(openTeam("t", { root })).rejects.toMatchObject({ code: "team_gone" })
  expect(existsSync(t.paths.directory)).toBe(false)
  expect((await t.tasks()).map((task) => task.subject)).toEqual(["kept"])
  rmSync(t.paths.tasks, { recursive: true })
  await expect(t.createTask({ subject: "late", description: "" })).rejects.toMatchObject({ code: "team_gone" })
  expect(existsSync(t.paths.tasks)).toBe(false)
})

test.each(["team folder", "inboxes", "inbox", "tasks"] as const)("a symbolic link as %s is refused", async (what) => {
  const { root, team: t, inbox } = await team()
  const elsewhere = join(root, "elsewhere")
  mkdirSync(elsewhere)
  const place = { "team folder": t.paths.directory, inboxes: t.paths.inboxes, inbox, tasks: t.paths.tasks }[what]
  renameSync(place, join(elsewhere, "real"))
  symlinkSync(join(elsewhere, "real"), place)
  const attempt =
    what === "tasks" ? t.createTask({ subject: "s", description: "" }) : t.deliver({ from: "x", to: "bob", text: "hi" })
  await expect(attempt).rejects.toMatchObject({ code: "symlink_refused" })
})

test("a folder that cannot be written gives a clear error and changes nothing", async () => {
  const { root, team: t, inbox } = await team()
  await t.deliver({ from: "x", to: "bob", text: "kept" })
  for (const path of [root, join(root, "teams"), t.paths.directory, t.paths.config, t.paths.inboxes, inbox])
    chmodSync(path, 0o755)
  chmodSync(t.paths.inboxes, 0o555)
  const [code] = await startWorker("unprivileged-sender", root, "t", "bob").done
  expect(code).toBe("not_writable")
  chmodSync(t.paths.inboxes, 0o755)
  expect((await t.unread("bob")).map(({ entry }) => entry.text)).toEqual(["kept"])
})

test.each([
  ["small inbox", 10],
  ["large inbox, appended in place", 4_000],
])("no space left (%s): a clear error, nothing acknowledged is lost, the file stays whole", async (_, messages) => {
  const { root, team: t, inbox } = await team()
  const entries = Array.from({ length: messages }, (_, n) => ({
    from: "x",
    text: `kept ${n}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    read: false,
  }))
  writeFileSync(inbox, JSON.stringify(entries, null, 2))
  const before = readFileSync(inbox, "utf8")
  const blocks = Math.ceil(before.length / 512) + 8
  chmodAll(t.paths)
  const worker = fileURLToPath(new URL("workers/unprivileged-sender.ts", import.meta.url))
  const child = spawn(
    "sh",
    [
      "-c",
      'ulimit -f "$1"; shift; exec "$@"',
      "sh",
      String(blocks),
      process.execPath,
      worker,
      root,
      "t",
      "bob",
      "long",
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  )
  const [out] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string]
  expect(out.trim()).toBe("disk_full")
  expect(readFileSync(inbox, "utf8")).toBe(before)
  await t.deliver({ from: "x", to: "bob", text: "space again" })
  expect((await t.unread("bob")).length).toBe(messages + 1)
})

function chmodAll(paths: {
  root: string
  directory: string
  config: string
  inboxes: string
  inbox(agent: string): string
}): void {
  for (const path of [
    paths.root,
    join(paths.root, "teams"),
    join(paths.root, "chorus"),
    join(paths.root, "chorus", "locks"),
    paths.directory,
    paths.inboxes,
  ])
    chmodSync(path, 0o777)
  for (const path of [paths.config, paths.inbox("bob")]) chmodSync(path, 0o666)
}
