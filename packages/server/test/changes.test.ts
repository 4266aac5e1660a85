import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { changes, OutputOf } from "@chorus/contracts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const BYTES = Buffer.concat([Buffer.from("diff --git a/a b/a\n@@ -0,0 +1 @@\n+caf"), Buffer.from([0xe9, 0x0a])])
const SHA = createHash("sha256").update(BYTES).digest("hex")
const FILE = {
  oldPath: null,
  status: "added",
  oldMode: null,
  newMode: "100644",
  additions: 1,
  deletions: 0,
  binary: false,
  size: 5,
  patchSha: SHA,
  beforeSha: null,
  afterSha: null,
  rows: 2,
  folded: false,
  omitted: null,
}

onEachEngineUnderStress("a change", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const begun = async () => {
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [{ title: "A task", acceptanceCriteriaItems: [{ description: "it works" }] }],
    })
    const taskUuid = tasks[0]?.uuid ?? ""
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    return taskUuid
  }
  const send = (taskUuid: string, tree: string, path = "a") =>
    w.call<OutputOf<typeof changes.sendChange>>(w.developer, "chorus_send_change", {
      taskUuid,
      origin: "hook",
      change: {
        repository: { roots: [], remotes: [] },
        branch: null,
        baseRef: null,
        baseCommit: null,
        headCommit: null,
        tree: tree.repeat(40),
        uncommitted: 1,
        files: [{ ...FILE, path }],
        warnings: [],
      },
      parts: [{ sha256: SHA, gzip: gzipSync(BYTES).toString("base64") }],
    })

  it("is kept by its hashes, byte by byte, numbers its versions under parallel calls, and goes with its task", async () => {
    const taskUuid = await begun()
    const sent = await Promise.all(["a", "b", "c", "d"].map((tree) => send(taskUuid, tree)))
    expect(sent.map(({ version }) => version?.number).toSorted()).toEqual([1, 2, 3, 4])
    await w.call(w.owner, "chorus_comment_on_change", { taskUuid, comments: [{ file: "a", line: 1, text: "Why?" }] })
    const read = await w.call<OutputOf<typeof changes.getChange>>(w.owner, "chorus_get_change", { taskUuid })
    expect(Buffer.from(read.files[0]?.patch ?? "", "latin1")).toEqual(BYTES)
    expect(read.threads).toMatchObject([{ lineText: "café", outdated: false, comments: [{ text: "Why?" }] }])
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid })
    expect(await w.store.db.selectFrom("changeParts").select("sha256").execute()).toEqual([])
  })
  it("that meets another is told to both sides, also where they arrive together", async () => {
    for (const path of ["b", "c", "d", "e"]) {
      const both = [await begun(), await begun()]
      await Promise.all(both.map((taskUuid) => send(taskUuid, "e", path)))
      for (const targetUuid of both) {
        const input = { targetType: "task", targetUuid }
        const { comments } = await w.call<{ comments: { content: string }[] }>(w.owner, "chorus_get_comments", input)
        expect(comments.map(({ content }) => content)).toEqual([expect.stringContaining("the same lines")])
      }
    }
  })
})
