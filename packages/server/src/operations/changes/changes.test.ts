import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { changes, OutputOf, returned, tasks } from "@chorus/contracts"
import { returnedText } from "../hooks/brief-text.ts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"
import { unifiedDiff } from "../documents/text-diff.ts"

type Change = OutputOf<typeof changes.getChange>
type Threads = OutputOf<typeof changes.commentOnChange>["threads"]

const w = embeddedWorkspace()
const ID = "a".repeat(40)
const shaOf = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")
const part = (bytes: string | Buffer) => ({ sha256: shaOf(bytes), gzip: gzipSync(bytes).toString("base64") })
const patchOf = (path: string, before: string, after: string) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n${unifiedDiff(path, before, after)
    .replace(`--- ${path}`, `--- a/${path}`)
    .replace(`+++ ${path}`, `+++ b/${path}`)
    .replace(/^=+\n/m, "")
    .replace(/^Index: .*\n/m, "")}`

interface Edit {
  readonly before: string
  readonly after: string
}

const sent = (files: Readonly<Record<string, Edit>>, more: object = {}) => {
  const parts = Object.entries(files).flatMap(([path, { before, after }]) => [
    part(patchOf(path, before, after)),
    part(before),
    part(after),
  ])
  const rows = Object.entries(files).map(([path, { before, after }]) => ({
    path,
    oldPath: null,
    status: "modified",
    oldMode: "100644",
    newMode: "100644",
    additions: 1,
    deletions: 1,
    binary: false,
    size: after.length,
    patchSha: shaOf(patchOf(path, before, after)),
    beforeSha: shaOf(before),
    afterSha: shaOf(after),
    rows: 5,
    folded: false,
    omitted: null,
  }))
  const change = {
    repository: { roots: [ID], remotes: [] },
    branch: "work",
    baseRef: "main",
    baseCommit: ID,
    headCommit: ID,
    tree: shaOf(JSON.stringify(files)).slice(0, 40),
    uncommitted: 0,
    files: rows,
    warnings: [],
    ...more,
  }
  return { change, parts }
}
const send = async (
  taskUuid: string,
  files: Readonly<Record<string, Edit>>,
  more: object = {},
  by: Actor = w.developer,
) => {
  const input = { taskUuid, origin: "command", ...sent(files, more) }
  const { version } = await w.call<{ version: changes.ChangeRow | null }>(by, "chorus_send_change", input)
  if (version === null) throw new Error("parts are missing")
  return version
}
const get = (taskUuid: string, more: object = {}, by: Actor = w.owner) =>
  w.call<Change>(by, "chorus_get_change", { taskUuid, ...more })
const comment = async (by: Actor, taskUuid: string, ...comments: object[]) =>
  (await w.call<{ threads: Threads }>(by, "chorus_comment_on_change", { taskUuid, comments })).threads
const text = (...lines: string[]) => `${lines.join("\n")}\n`
const FIVE = ["one", "two", "three", "four", "five"]

describe("changes that meet", () => {
  const comments = async (targetUuid: string) =>
    (
      await w.call<{ comments: { content: string; author: { name: string } }[] }>(w.owner, "chorus_get_comments", {
        targetType: "task",
        targetUuid,
      })
    ).comments.map(({ author, content }) => `${author.name}: ${content}`)

  it("are told to both sides once, and stand first for whoever reads", async () => {
    const projectUuid = await w.newProject()
    const [mine, theirs] = [
      await w.taskAt("in_progress", { projectUuid, title: "Mine" }),
      await w.taskAt("in_progress", { projectUuid, title: "Theirs" }),
    ]
    const edit = (at: number, word: string) => ({
      "a.ts": { before: text(...FIVE), after: text(...FIVE.with(at, word)) },
    })
    await send(mine, edit(0, "1"))
    expect((await send(theirs, edit(4, "5"))).points).toEqual([])
    expect(await comments(mine)).toEqual([])
    const met = await send(theirs, edit(0, "uno"))
    expect(met.points).toMatchObject([{ kind: "overlap", path: "a.ts", what: expect.stringMatching(/Mine changes/) }])
    // The page shows the title with the id.
    expect(await comments(mine)).toEqual([
      expect.stringMatching(/^Chorus: [A-Z0-9]+-2, which .* same lines in `a\.ts`\./),
    ])
    expect(await comments(theirs)).toEqual([
      expect.stringMatching(/^Chorus: [A-Z0-9]+-1, which .* same lines in `a\.ts`\./),
    ])
    const points = async (taskUuid: string) => (await get(taskUuid)).version?.points.map(({ what }) => what)
    expect(await points(mine)).toEqual([expect.stringMatching(/Theirs changes the same lines$/)])
    await send(theirs, edit(0, "un"))
    await send(mine, edit(0, "eins"))
    expect(await comments(mine)).toHaveLength(1)
    await send(mine, edit(4, "fünf"))
    expect([await points(mine), await points(theirs)]).toEqual([[], []])
    await send(mine, edit(0, "1"))
    expect([await comments(mine), await comments(theirs)].map(({ length }) => length)).toEqual([1, 1])
    expect((await send(theirs, edit(0, "one"), { baseCommit: "b".repeat(40) })).points).toHaveLength(0)
  })

  it("are told in the order of the graph where one builds on the other", async () => {
    const projectUuid = await w.newProject()
    const [first, second, third] = [
      await w.taskAt("to_verify", { projectUuid, title: "First" }),
      await w.taskAt("open", { projectUuid, title: "Second" }),
      await w.taskAt("in_progress", { projectUuid, title: "Third" }),
    ]
    await w.call(w.owner, "chorus_add_task_dependency", { taskUuid: second, dependsOnTaskUuid: first })
    await w.call(w.owner, "chorus_add_task_dependency", { taskUuid: third, dependsOnTaskUuid: second })
    const edit = (word: string) => ({ "a.ts": { before: text(...FIVE), after: text(...FIVE.with(0, word)) } })
    await send(first, edit("1"))
    await send(third, edit("uno"))
    expect(await comments(third)).toEqual([
      expect.stringMatching(/-1, which this work builds on, changes .* That lands first, and this work will/),
    ])
    expect(await comments(first)).toEqual([
      expect.stringMatching(/-3, which builds on this work, changes .* This lands first, and that will/),
    ])
  })

  it("are told once both are under way, though neither was told when the later one came", async () => {
    const projectUuid = await w.newProject()
    const [mine, theirs] = [
      await w.taskAt("to_verify", { projectUuid, title: "Mine" }),
      await w.taskAt("in_progress", { projectUuid, title: "Theirs" }),
    ]
    const edit = (word: string) => ({ "a.ts": { before: text(...FIVE), after: text(...FIVE.with(0, word)) } })
    await send(mine, edit("1"))
    await w.passCriteria(mine)
    await w.call(w.admin, "chorus_admin_verify_task", { taskUuid: mine })
    await send(theirs, edit("uno"))
    expect([await comments(mine), await comments(theirs)]).toEqual([[], []])
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid: mine })
    await w.call(w.developer, "chorus_start_task", { taskUuid: mine })
    await send(theirs, edit("un"))
    expect([await comments(mine), await comments(theirs)].map(({ length }) => length)).toEqual([1, 1])
  })

  it("are told during the turns of two runs, once, and not again by what the turns show", async () => {
    const projectUuid = await w.newProject()
    const runner = await w.agent("Runner")
    const edit = (at: number, word: string) => ({
      "a.ts": { before: text(...FIVE), after: text(...FIVE.with(at, word)) },
    })
    const atWork = async (title: string) => {
      const taskUuid = await w.newTask({ projectUuid, title })
      const of = { machine: "desk", programs: [{ program: "codex", version: "1", missing: null }] }
      await w.call(w.owner, "chorus_start_run", { taskUuid, program: "codex", machine: "desk" })
      const asked = { ...of, folders: ["/shop"], slots: 9, busy: 0 }
      const { run } = await w.call<{ run: { uuid: string; lease: string } }>(runner, "chorus_lease_run", asked)
      const held = { runUuid: run.uuid, lease: run.lease }
      await w.call(runner, "chorus_report_run", { ...held, state: "running", worktree: "/w", sessionId: "s" })
      const look = (at: number, word: string, lease = run.lease) => {
        const { change } = sent(edit(at, word))
        const files = change.files.map(({ path, oldPath, status, binary }) => ({
          path,
          oldPath,
          status,
          binary,
          patch: patchOf(path, text(...FIVE), text(...FIVE.with(at, word))),
        }))
        const { repository, baseCommit } = change
        const input = { taskUuid, run: { ...held, lease }, repository, baseCommit, files }
        return w.call<OutputOf<typeof changes.lookAtRun>>(runner, "chorus_look_at_run", input)
      }
      const ends = (at: number, word: string) =>
        w.call(runner, "chorus_send_change", { taskUuid, origin: "run", run: held, ...sent(edit(at, word)) })
      const orders = async () =>
        (
          await w.store.db.selectFrom("deliveries").select("payload").where("tag", "=", `run:${run.uuid}`).execute()
        ).map(({ payload }) => payload)
      return { taskUuid, look, ends, orders }
    }
    const [mine, theirs] = [await atWork("Mine"), await atWork("Theirs")]
    expect(await mine.look(0, "1")).toEqual({ told: [] })
    expect(await theirs.look(4, "5")).toEqual({ told: [] })
    expect(await theirs.look(0, "uno")).toEqual({ told: [mine.taskUuid] })
    const counts = async () =>
      Promise.all(
        [mine, theirs].map(async ({ taskUuid, orders }) => [
          (await comments(taskUuid)).length,
          (await orders()).length,
        ]),
      )
    expect(await counts()).toEqual([
      [1, 1],
      [1, 1],
    ])
    expect(await mine.orders()).toEqual([expect.stringMatching(/Theirs.*, which is under way, changes the same lines/)])
    expect(await theirs.orders()).toEqual([expect.stringMatching(/Mine.*, which is under way, changes the same lines/)])
    await mine.look(0, "eins")
    await theirs.look(0, "un")
    await mine.ends(0, "eins")
    expect((await get(mine.taskUuid)).version?.points).toMatchObject([{ kind: "overlap", path: "a.ts" }])
    await theirs.ends(0, "un")
    await mine.look(0, "1")
    await mine.ends(0, "1")
    expect(await counts()).toEqual([
      [1, 1],
      [1, 1],
    ])
    await expect(theirs.look(0, "x", crypto.randomUUID())).rejects.toMatchObject({ code: "run_not_held" })
    expect(await w.store.db.selectFrom("changeLooks").select("taskUuid").execute()).toEqual([])
  })

  it("with what others have reserved are told to both sides once, whichever came first", async () => {
    const projectUuid = await w.newProject()
    const task = (title: string, holder: Actor) => w.taskAt("in_progress", { projectUuid, title, holder })
    const [mine, theirs] = [await task("Mine", w.developer), await task("Theirs", w.rival)]
    const edit = (path: string, word: string) => ({ [path]: { before: text(...FIVE), after: text(word) } })
    const reserve = (...globs: string[]) => w.call(w.rival, "chorus_reserve_paths", { taskUuid: theirs, globs })
    await send(mine, { ...edit("src/a.ts", "1"), ...edit("docs/b.md", "1") })
    await reserve("lib/**")
    expect([await comments(mine), await comments(theirs)]).toEqual([[], []])
    await reserve("src/**", "lib/**")
    const first = [
      /[A-Z0-9]+-2 has reserved what this work changes: `src\/a\.ts`\./,
      /[A-Z0-9]+-1, which .* reserved for this task: `src\/a\.ts`\./,
    ]
    expect(await comments(mine)).toEqual([expect.stringMatching(first[0] ?? "")])
    expect(await comments(theirs)).toEqual([expect.stringMatching(first[1] ?? "")])
    await reserve("src/**")
    await send(mine, { ...edit("src/a.ts", "2"), ...edit("docs/b.md", "1") })
    expect(await comments(mine)).toHaveLength(1)
    const met = await send(mine, { ...edit("src/a.ts", "2"), ...edit("lib/c.ts", "1") })
    expect(met.points.map(({ kind, path }) => [kind, path])).toEqual([
      ["reserved", "src/a.ts"],
      ["reserved", "lib/c.ts"],
    ])
    expect(await comments(mine)).toContainEqual(
      expect.stringMatching(/has reserved what this work changes: `lib\/c\.ts`/),
    )
    expect(await comments(theirs)).toContainEqual(expect.stringMatching(/reserved for this task: `lib\/c\.ts`/))
    expect([await comments(mine), await comments(theirs)].map(({ length }) => length)).toEqual([2, 2])
  })
})

describe("a change", () => {
  it("is asked for what is missing of it, kept once, and a version for each time it differs", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const first = { "a.ts": { before: text(...FIVE), after: text(...FIVE.with(2, "3")) } }
    const { change, parts } = sent(first)
    const ask = (some: object[]) =>
      w.call<{ version: changes.ChangeRow | null; missing: string[] }>(w.developer, "chorus_send_change", {
        taskUuid,
        origin: "command",
        change,
        parts: some,
      })
    expect((await ask([])).missing.toSorted()).toEqual(parts.map(({ sha256 }) => sha256).toSorted())
    expect((await ask(parts.slice(0, 2))).missing).toEqual([parts[2]?.sha256])
    expect(await ask(parts.slice(2))).toMatchObject({ version: { number: 1, handIn: 1, fileCount: 1 }, missing: [] })
    expect(await ask([])).toMatchObject({ version: { number: 1 } })
    expect(await w.kinds(() => send(taskUuid, { "a.ts": { before: text(...FIVE), after: text("other") } }))).toEqual([
      "change.pushed",
    ])
    const { versions, files, version } = await get(taskUuid)
    expect(versions.map(({ number }) => number)).toEqual([1, 2])
    expect(version?.number).toBe(2)
    expect(files[0]?.patch).toBe(patchOf("a.ts", text(...FIVE), text("other")))
    const [old] = (await get(taskUuid, { version: 1 })).files
    expect(old?.patch).toContain("-three\n+3\n")
  })

  it("goes with the hand-in it was made for, and says where it begins elsewhere or in another repository", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const edit = (after: string) => ({ "a.ts": { before: text("one"), after: text(after) } })
    expect(await send(taskUuid, edit("1"))).toMatchObject({ handIn: 1, baseMoved: false })
    w.clock.advance(1000)
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    w.clock.advance(1000)
    expect(await send(taskUuid, edit("2"))).toMatchObject({ handIn: 1 })
    w.clock.advance(1000)
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "again" })
    const moved = await send(taskUuid, edit("3"), {
      baseCommit: "b".repeat(40),
      repository: { roots: ["c".repeat(40)], remotes: [] },
    })
    expect(moved).toMatchObject({ handIn: 2, baseMoved: true })
    expect(moved.warnings).toEqual(["It comes from another repository than the version before."])
    await w.call(w.developer, "chorus_push_change", { taskUuid, patch: patchOf("a.ts", text("one"), text("4")) })
    w.clock.advance(1000)
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    // Each is called by what made it and counted among its own kind; only what was put up for verification is a hand-in.
    const { versions } = await get(taskUuid)
    expect(versions.map(({ origin, nth, handedIn }) => [origin, nth, handedIn])).toEqual([
      ["command", 1, 1],
      ["command", 2, null],
      ["command", 3, null],
      ["agent", 1, 2],
    ])
  })

  it("is sent by whoever holds the task or handed it in, or a person who may; and stays when the task is done", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const edit = { "a.ts": { before: text("one"), after: text("two") } }
    await expect(send(taskUuid, edit, {}, w.rival)).rejects.toMatchObject({ code: "not_holder" })
    await expect(send(taskUuid, edit, {}, w.stranger)).rejects.toMatchObject({ code: "not_found" })
    expect(await send(taskUuid, edit, {}, w.owner)).toMatchObject({ number: 1, createdBy: { name: "Olive" } })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    expect(await send(taskUuid, { "b.ts": edit["a.ts"] })).toMatchObject({ number: 2 })
    await w.passCriteria(taskUuid)
    await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
    await expect(send(taskUuid, edit)).rejects.toMatchObject({ code: "wrong_status" })
  })

  it("does not take a part for what it is not, nor one that swells", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const { change } = sent({ "a.ts": { before: text("one"), after: text("two") } })
    const give = (some: object) =>
      w.call(w.developer, "chorus_send_change", { taskUuid, origin: "command", change, parts: [some] })
    await expect(give({ ...part("one"), sha256: shaOf("two") })).rejects.toMatchObject({ code: "part_refused" })
    await expect(give(part(Buffer.alloc(5_000_000)))).rejects.toMatchObject({ code: "part_refused" })
    await expect(give({ sha256: shaOf("x"), gzip: "bm8gZ3ppcA==" })).rejects.toMatchObject({ code: "part_refused" })
  })

  it("is read from a patch alone where an agent has nothing else, and says so", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const patch = patchOf("a.ts", text("one"), text("two")) + patchOf("test/b.ts", 'it("x")\n', "")
    const version = await w.call<changes.ChangeRow>(w.developer, "chorus_push_change", { taskUuid, patch })
    expect(version).toMatchObject({ origin: "agent", fileCount: 2, additions: 1, deletions: 2 })
    expect(version.warnings).toEqual([
      "An agent wrote this patch itself; nothing on a machine was looked at.",
      "It does not say what it was compared with.",
    ])
    expect(version.points).toEqual([{ kind: "deleted_test", path: "test/b.ts", what: "1 test fewer" }])
    const { files } = await get(taskUuid)
    expect(files.map((file) => file.patch).join("")).toBe(patch)
    await expect(w.call(w.developer, "chorus_push_change", { taskUuid, patch: "all good" })).rejects.toMatchObject({
      code: "no_patch",
    })
  })

  it("keeps no obvious secret of a patch that an agent sends itself, and says where one was", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const secret = `ghp_${"a1".repeat(20)}`
    const patch = patchOf("a.ts", "", `const key = "${secret}"\n`) + patchOf(".env", "", "PASSWORD=hunter2hunter2\n")
    const { warnings } = await w.call<changes.ChangeRow>(w.developer, "chorus_push_change", { taskUuid, patch })
    expect(warnings).toContain("What looks like a secret was left out: a.ts, .env.")
    const kept = (await get(taskUuid)).files.map((file) => file.patch).join("")
    expect(kept).toContain('+const key = "[redacted]"')
    expect(kept).not.toContain("hunter2")
  })

  it("keeps every byte of a patch that is no UTF-8", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const bytes = Buffer.concat([Buffer.from("diff --git a/a b/a\n@@ -0,0 +1 @@\n+caf"), Buffer.from([0xe9, 0x0a])])
    const { change, parts } = sent({ a: { before: "", after: "x" } })
    const files = change.files.map((file) => ({ ...file, patchSha: shaOf(bytes) }))
    await w.call(w.developer, "chorus_send_change", {
      taskUuid,
      origin: "hook",
      change: { ...change, files },
      parts: [...parts, part(bytes)],
    })
    const [file] = (await get(taskUuid)).files
    expect(file).toMatchObject({ encoding: "latin1" })
    expect(Buffer.from(file?.patch ?? "", "latin1")).toEqual(bytes)
  })

  it("is compared version with version by what the files became, and with nothing to say of what stayed", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const before = text(...FIVE)
    const same = { before, after: text(...FIVE.with(0, "1")) }
    await send(taskUuid, { "same.ts": same, "a.ts": { before, after: text(...FIVE.with(2, "3")) } })
    await send(taskUuid, { "same.ts": same, "a.ts": { before, after: text(...FIVE.with(4, "5")) }, "new.ts": same })
    const { files } = await get(taskUuid, { since: 1 })
    expect(files.map(({ path, additions, deletions }) => [path, additions, deletions])).toEqual([
      ["a.ts", 2, 2],
      ["new.ts", 1, 1],
    ])
    expect(files[0]?.patch).toContain("-3\n+three\n")
    expect((await get(taskUuid, { since: 2, version: 2 })).files).toEqual([])
    await expect(get(taskUuid, { version: 9 })).rejects.toMatchObject({ code: "no_such_version" })
  })

  it("comes in the room there is, and the rest by name", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const edit = { before: text("one"), after: text("x".repeat(300)) }
    await send(taskUuid, { "a.ts": edit, "b.ts": edit, "c.ts": edit })
    const part1 = await get(taskUuid, { room: 900 })
    expect(part1.files.map(({ patch }) => patch !== undefined)).toEqual([true, true, false])
    expect(part1.leftOut).toEqual(["c.ts"])
    const rest = await get(taskUuid, { files: part1.leftOut })
    expect(rest.files.map(({ path, patch }) => [path, patch === undefined])).toEqual([["c.ts", false]])
    expect((await get(await w.newTask())).version).toBeNull()
  })

  it("remembers what each person has looked at, until it changes", async () => {
    const taskUuid = await w.taskAt("in_progress")
    const edit = (after: string) => ({ before: text("one"), after: text(after) })
    await send(taskUuid, { "a.ts": edit("1"), "b.ts": edit("1") })
    const look = (more: object, by = w.owner) => w.call(by, "chorus_view_change", { taskUuid, version: 1, ...more })
    for (const more of [{}, { file: "a.ts" }, { file: "b.ts" }]) await look(more)
    expect(await get(taskUuid)).toMatchObject({ lookedAt: 1, viewed: ["a.ts", "b.ts"] })
    expect(await get(taskUuid, {}, w.member)).toMatchObject({ lookedAt: null, viewed: [] })
    await look({ file: "b.ts", viewed: false })
    await send(taskUuid, { "a.ts": edit("2"), "b.ts": edit("1") })
    expect(await get(taskUuid)).toMatchObject({ lookedAt: 1, viewed: [] })
  })
})

describe("a comment on a line", () => {
  const before = text(...FIVE)
  const begun = async () => {
    const taskUuid = await w.taskAt("in_progress")
    await send(taskUuid, { "a.ts": { before, after: text(...FIVE.with(2, "drei")) } })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    return taskUuid
  }

  it("goes with the line through later versions, and says when the line is gone", async () => {
    const taskUuid = await begun()
    await comment(w.owner, taskUuid, { file: "a.ts", line: 3, severity: "blocker", text: "In English." })
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid })
    await send(taskUuid, { "a.ts": { before, after: text("zero", ...FIVE.with(2, "drei")) } })
    expect((await get(taskUuid)).threads).toMatchObject([{ outdated: false, now: { file: "a.ts", line: 4 }, line: 3 }])
    await send(taskUuid, { "a.ts": { before, after: text("zero", ...FIVE) } })
    expect((await get(taskUuid)).threads).toMatchObject([{ outdated: true, now: null, lineText: "drei" }])
    expect((await get(taskUuid, { version: 1 })).threads).toMatchObject([{ outdated: false, now: { line: 3 } }])
    const { returned: back } = await w.call<tasks.TaskDetail>(w.developer, "chorus_get_task", { taskUuid })
    if (back === null) throw new Error("nothing came back")
    expect(back.comments).toMatchObject([{ line: 3, outdated: "its lines have changed since" }])
    expect(returnedText(back)).toContain("- a.ts:3 (blocker, outdated: its lines have changed since): In English.")
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    await w.passCriteria(taskUuid)
    expect(await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).toMatchObject({
      warnings: ["A blocker at a.ts:3 is not resolved (Olive): In English. (outdated: its lines have changed since)"],
    })
  })

  it("comes back with the work and in the brief, and is answered in its thread", async () => {
    const taskUuid = await begun()
    const [thread] = await comment(
      w.admin,
      taskUuid,
      { file: "a.ts", line: 3, severity: "blocker", text: "In English.", suggestion: "three" },
      { file: "a.ts", line: 1, text: "Why?" },
    )
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "See the lines." })
    const brief = await w.call<{ task: { returned: returned.Returned } }>(w.developer, "chorus_start_task", {
      taskUuid,
    })
    expect(brief.task.returned).toMatchObject({
      reason: "See the lines.",
      comments: [
        { threadUuid: thread?.uuid, file: "a.ts", line: 3, severity: "blocker", text: "In English.", by: "Ada" },
        { line: 1, severity: "note" },
      ],
    })
    expect(brief.task.returned.comments?.[0]?.suggestion).toBe("three")
    expect(returnedText(brief.task.returned)).toMatch(/^- .+:\d+ \(blocker\): .+\n  Suggested instead:\n    three\n/m)
    expect(returnedText(brief.task.returned)).toContain("Answer each thread with chorus_comment_on_change")
    const [early] = await comment(w.developer, taskUuid, { threadUuid: thread?.uuid, text: "I am at it." })
    // There is no second version yet, and perhaps there never will be.
    expect(early?.comments.at(-1)).toMatchObject({ text: "I am at it.", version: 1 })
    await send(taskUuid, { "a.ts": { before, after: text(...FIVE, "six") } })
    await comment(w.developer, taskUuid, { threadUuid: thread?.uuid, text: "Nearly." })
    await send(taskUuid, { "a.ts": { before, after: text(...FIVE, "seven") } })
    await comment(w.developer, taskUuid, { threadUuid: thread?.uuid, text: "Done." })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "Not yet." })
    await send(taskUuid, { "a.ts": { before, after: text(...FIVE, "eight") } })
    const answered = (await get(taskUuid)).threads.find(({ uuid }) => uuid === thread?.uuid)
    expect(answered?.comments).toMatchObject([
      { text: "In English.", version: 1 },
      { text: "I am at it.", version: 2 },
      { text: "Nearly.", version: 3 },
      { text: "Done.", version: 3, author: { name: "Dev" } },
    ])
  })

  it("is settled by whoever began it or a person, not by whoever did the work", async () => {
    const taskUuid = await begun()
    const [thread] = await comment(w.admin, taskUuid, { file: "a.ts", line: 3, text: "No." })
    const settle = (by: Actor, resolved = true) => comment(by, taskUuid, { threadUuid: thread?.uuid, resolved })
    await expect(settle(w.developer)).rejects.toMatchObject({ code: "forbidden" })
    await expect(settle(w.rival)).rejects.toMatchObject({ code: "forbidden" })
    expect(await settle(w.admin)).toMatchObject([{ state: "resolved", stateBy: { name: "Ada" } }])
    expect(await settle(w.owner, false)).toMatchObject([{ state: "open", stateBy: { name: "Olive" } }])
    expect(await w.kinds(() => settle(w.owner))).toEqual(["change.commented"])
  })

  it("that is a blocker and not resolved is named to whoever verifies", async () => {
    const taskUuid = await begun()
    const [thread] = await comment(w.rival, taskUuid, { file: "a.ts", line: 3, severity: "blocker", text: "No." })
    await comment(w.rival, taskUuid, { file: "a.ts", line: 1, text: "Why?" })
    const blockers = async () =>
      (await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })).openBlockers?.map(
        ({ text: said }) => said,
      )
    expect(await blockers()).toEqual(["No."])
    await comment(w.owner, taskUuid, { threadUuid: thread?.uuid, resolved: true })
    expect(await blockers()).toBeUndefined()
    await comment(w.owner, taskUuid, { threadUuid: thread?.uuid, resolved: false })
    await w.passCriteria(taskUuid)
    expect(await w.call(w.admin, "chorus_admin_verify_task", { taskUuid })).toMatchObject({
      status: "done",
      warnings: ["A blocker at a.ts:3 is not resolved (Rival): No."],
    })
  })

  it("needs a line that can be seen", async () => {
    const taskUuid = await begun()
    await expect(comment(w.owner, taskUuid, { file: "a.ts", line: 99, text: "x" })).rejects.toMatchObject({
      code: "no_such_line",
    })
    await expect(comment(w.owner, taskUuid, { file: "b.ts", line: 1, text: "x" })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(comment(w.owner, taskUuid, { text: "x" })).rejects.toMatchObject({ code: "no_place" })
  })
})
