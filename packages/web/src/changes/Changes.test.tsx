import type { TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { type Hired, hire, makeProject, makeTasks } from "../../test/workplace.ts"

const edit = (path: string, lines: readonly string[], more: readonly string[] = []) =>
  [
    `diff --git a/${path} b/${path}`,
    "index 1111111..2222222 100644",
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,2 +1,${2 + lines.length + more.length} @@ export`,
    " // first",
    ...lines.map((line) => `+${line}`),
    ...more.map((line) => `+${line}`),
    " // last",
    "",
  ].join("\n")

async function makeChange(...patches: string[]) {
  const projectUuid = await makeProject()
  const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Bridge" })
  const ada = await hire()
  await ada.client.call("chorus_start_task", { taskUuid: taskUuid as TaskId })
  for (const patch of patches) await push(ada, taskUuid, patch)
  const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
  await screen.getByRole("tab", { name: "Changes" }).click()
  return { taskUuid: taskUuid as TaskId, projectUuid, ada, screen }
}

/** Presses a key until what it leads to is reached. */
async function press(key: string, isThere: () => boolean) {
  for (let times = 0; times < 400 && !isThere(); times++) await userEvent.keyboard(key)
  expect(isThere()).toBe(true)
}

const push = ({ client }: Hired, taskUuid: string, patch: string) =>
  client.call("chorus_push_change", { taskUuid: taskUuid as TaskId, patch })
const get = (taskUuid: TaskId) => owner.call("chorus_get_change", { taskUuid })

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** What a change carries of a file, as machines send it. */
async function part(content: string | Uint8Array<ArrayBuffer>) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))
  const gzip = Array.from(new Uint8Array(await new Response(packed).arrayBuffer()), (byte) => String.fromCharCode(byte))
  return { sha256, gzip: btoa(gzip.join("")) }
}

describe("the changes of a task", () => {
  it("say that nothing was shown yet, and appear when they come", async () => {
    const { screen, ada, taskUuid } = await makeChange()
    await expect.element(screen.getByText(/No changes have been sent yet/)).toBeVisible()
    await push(ada, taskUuid, edit("src/door.ts", ["const colour = 'red'"]))
    await expect.element(screen.getByRole("region", { name: "src/door.ts" })).toBeVisible()
    await expect.element(screen.getByText("const", { exact: true })).toBeVisible()
    await expect.element(screen.getByText(/^An agent wrote this patch itself/)).toBeVisible()
  })

  it("point out what deserves a look before the files", async () => {
    const { screen } = await makeChange(
      edit(".github/workflows/ci.yml", ["run: true"]) + edit("package.json", ['"left-pad": "^1.0.0",']),
    )
    const first = screen.getByRole("region", { name: "Look at this first" })
    await expect.element(first.getByText("what CI runs")).toBeVisible()
    await expect.element(first.getByText("left-pad")).toBeVisible()
  })

  it("say which other work has come to the same lines, as soon as it has", async () => {
    const patch = edit("src/door.ts", ["const colour = 'red'"])
    const { screen, projectUuid } = await makeChange(patch)
    await expect.element(screen.getByRole("region", { name: "src/door.ts" })).toBeVisible()
    const [other = ""] = await makeTasks(projectUuid, { title: "Gate" })
    const bea = await hire("Bea")
    await bea.client.call("chorus_start_task", { taskUuid: other as TaskId })
    await push(bea, other, patch.replace("index 1111111", "new file mode 100644\nindex 1111111"))
    const first = screen.getByRole("region", { name: "Look at this first" })
    await expect.element(first.getByText(/Gate changes the same lines$/)).toBeVisible()
  })

  it("are reached, read, commented and sent back by keys alone: forty files, viewed one by one, a line with a blocker", async () => {
    const files = Array.from({ length: 40 }, (_, at) =>
      edit(`src/part-${String(at).padStart(2, "0")}.ts`, [`export const n = ${at}`]),
    )
    const projectUuid = await makeProject()
    const [made = ""] = await makeTasks(projectUuid, { title: "Bridge" })
    const taskUuid = made as TaskId
    const ada = await hire()
    await ada.client.call("chorus_start_task", { taskUuid })
    await push(ada, taskUuid, files.join(""))
    await ada.client.call("chorus_submit_for_verify", { taskUuid, insist: true })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    const tab = screen.getByRole("tab", { name: "Changes" })
    await expect.element(tab).toBeVisible()
    await press("{Tab}", () => document.activeElement?.role === "tab")
    await press("{ArrowRight}", () => document.activeElement === tab.element())
    await expect.element(screen.getByText("0 of 40 viewed")).toBeVisible()
    const group = screen.getByRole("group", { name: "Changes" })
    await press("{Tab}", () => document.activeElement === group.element())
    await userEvent.keyboard("nv".repeat(40))
    await expect.element(screen.getByText("40 of 40 viewed")).toBeVisible()
    expect((await get(taskUuid)).viewed).toHaveLength(40)
    await userEvent.keyboard("v")
    await expect.element(screen.getByText("39 of 40 viewed")).toBeVisible()
    await expect.element(screen.getByRole("region", { name: "src/part-39.ts" }).getByText("// last")).toBeVisible()
    await userEvent.keyboard("jjc")
    await expect.element(screen.getByRole("form", { name: "Comment on src/part-39.ts, line 2" })).toBeVisible()
    await userEvent.keyboard("Too dear.{Tab}")
    await expect.element(screen.getByRole("checkbox", { name: "Blocker" })).toHaveFocus()
    await userEvent.keyboard(" {Shift>}{Tab}{/Shift}{Control>}{Enter}{/Control}")
    await expect.element(screen.getByRole("article", { name: /part-39/ })).toBeVisible()
    expect((await get(taskUuid)).threads).toMatchObject([
      { file: "src/part-39.ts", line: 2, severity: "blocker", comments: [{ text: "Too dear." }] },
    ])
    await userEvent.keyboard("t")
    await expect.element(screen.getByRole("article", { name: /part-39/ })).toHaveFocus()
    const back = screen.getByRole("button", { name: "Send back" }).first()
    await press("{Shift>}{Tab}{/Shift}", () => document.activeElement === back.element())
    await userEvent.keyboard("{Enter}")
    const send = screen.getByRole("dialog").getByRole("button", { name: "Send back" })
    await expect.element(send).toBeEnabled()
    await press("{Tab}", () => document.activeElement === send.element())
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByText("Sending back: Bridge")).toBeVisible()
  })

  it("are commented with `c` wherever the focus is, which elsewhere makes a new task", async () => {
    const { screen } = await makeChange(edit("src/door.ts", ["const colour = 'red'"]))
    await expect.element(screen.getByText("const", { exact: true })).toBeVisible()
    await userEvent.keyboard("c")
    await expect.element(screen.getByRole("form", { name: "Comment on src/door.ts, line 1" })).toBeVisible()
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await userEvent.keyboard("c is typed")
    await expect.element(screen.getByRole("textbox", { name: "Comment on this line" })).toHaveValue("c is typed")
  })

  it("have one box for a comment, after the last line of a file too", async () => {
    const { screen } = await makeChange(edit("src/door.ts", ["const colour = 'red'"]))
    const last = screen.getByRole("region", { name: "src/door.ts" }).getByText("// last")
    await last.click()
    await last.click()
    const box = screen.getByRole("form", { name: "Comment on src/door.ts, line 3" })
    await expect.element(box.first()).toBeVisible()
    expect(box.elements()).toHaveLength(1)
  })

  it("have one box for a comment on a line that was changed, unified and split, before and after", async () => {
    const changed = edit("src/door.ts", ["const colour = 'red'"])
      .replace("-1,2", "-1,3")
      .replace("+const", "-const colour = 'green'\n+const")
    const { screen } = await makeChange(changed)
    const file = screen.getByRole("region", { name: "src/door.ts" })
    const boxes = screen.getByRole("form", { name: "Comment on src/door.ts, line 2" })
    for (const look of ["unified", "split"]) {
      if (look === "split") await screen.getByRole("radio", { name: "Split" }).click()
      for (const line of ["red", "green"]) {
        const row = file.getByText(line)
        await row.click()
        await row.click()
        await expect.element(boxes.first()).toBeVisible()
        expect([look, line, boxes.elements().length]).toEqual([look, line, 1])
      }
    }
  })

  it("keep a comment that was not sent at its line, and an answer in its thread, after Escape and a reload", async () => {
    const { screen, taskUuid } = await makeChange(edit("src/door.ts", ["const colour = 'red'"]))
    await owner.call("chorus_comment_on_change", {
      taskUuid,
      comments: [{ file: "src/door.ts", line: 2, text: "Why?" }],
    })
    const drawn = (name: string) => screen.getByRole("region", { name: "src/door.ts" }).getByText(name)
    const box = screen.getByRole("textbox", { name: "Comment on this line" })
    await drawn("// last").click()
    await drawn("// last").click()
    await box.fill("Too bright.")
    await screen.getByRole("checkbox", { name: "Blocker" }).click()
    await userEvent.keyboard("{Escape}")
    await expect.element(box).not.toBeInTheDocument()
    await screen.getByRole("textbox", { name: "Answer" }).fill("Half a thought")
    // Everything that is not kept by the browser goes with it.
    await screen.getByRole("tab", { name: "Comments" }).click()
    await screen.getByRole("tab", { name: "Changes" }).click()
    await expect.element(screen.getByRole("textbox", { name: "Answer" })).toHaveValue("Half a thought")
    await drawn("// last").click()
    await drawn("// last").click()
    await expect.element(box).toHaveValue("Too bright.")
    await expect.element(screen.getByText("You started this earlier.")).toBeVisible()
    await screen.getByRole("button", { name: "Comment", exact: true }).click()
    await expect.element(screen.getByRole("article", { name: /line 3/ })).toBeVisible()
    expect((await get(taskUuid)).threads.at(-1)).toMatchObject({ line: 3, severity: "blocker" })
    await expect.poll(() => Object.keys(localStorage).filter((key) => key.includes(`line.${taskUuid}`))).toEqual([])
  })

  it("open the box for a comment at the first touch of a finger", async () => {
    const { screen } = await makeChange(edit("src/door.ts", ["const colour = 'red'"]))
    const line = screen.getByRole("region", { name: "src/door.ts" }).getByText("// last")
    await expect.element(line).toBeVisible()
    await page.viewport(390, 800)
    await expect.element(screen.getByText(/^To comment on a line, tap it/)).toBeVisible()
    await page.viewport(1280, 800)
    line.element().dispatchEvent(new PointerEvent("click", { bubbles: true, pointerType: "touch" }))
    await expect.element(screen.getByRole("form", { name: "Comment on src/door.ts, line 3" })).toBeVisible()
  })

  it("keep a comment at its line, show the agent's answer, and say when the line is gone", async () => {
    const { screen, ada, taskUuid } = await makeChange(edit("a.ts", ["const price = 12"]))
    const comment = { file: "a.ts", line: 2, text: "Cheaper.", suggestion: "const price = 9" }
    const { threads } = await owner.call("chorus_comment_on_change", { taskUuid, comments: [comment] })
    const thread = screen.getByRole("article", { name: "Thread at a.ts, line 2" })
    await expect.element(thread.getByText("const price = 9")).toBeVisible()
    await push(ada, taskUuid, edit("a.ts", ["const price = 9"]))
    await ada.client.call("chorus_comment_on_change", {
      taskUuid,
      comments: [{ threadUuid: threads[0]?.uuid, text: "Nine it is." }],
    })
    await expect.element(thread.getByText("Nine it is.")).toBeVisible()
    await expect.element(thread.getByText("Outdated: of version 1")).toBeVisible()
    await thread.getByRole("button", { name: "Resolve" }).click()
    await expect.element(thread.getByText("Resolved", { exact: true })).toBeVisible()
    // A version is called by what made it, and by a hand-in once it is one.
    const version = (name: string) => screen.getByRole("option", { name, exact: true })
    await expect.element(version("2 (an agent's own patch 2)")).toBeInTheDocument()
    await ada.client.call("chorus_submit_for_verify", { taskUuid })
    await expect.element(version("2 (hand-in 1, an agent's own patch 2)")).toBeInTheDocument()
    await expect.element(version("1 (an agent's own patch 1)")).toBeInTheDocument()
  })

  it("stand side by side, ignore whitespace, and are found by their words", async () => {
    const blanks = "diff --git a/b.ts b/b.ts\n--- a/b.ts\n+++ b/b.ts\n@@ -1,2 +1,2 @@\n-  blank\n+blank\n same\n"
    const { screen } = await makeChange(edit("a.ts", ["const needle = 1"]) + blanks)
    const rows = () => document.querySelectorAll('section[aria-label="b.ts"] [data-line]').length
    await expect.poll(rows).toBe(4)
    await screen.getByRole("switch", { name: "Ignore whitespace" }).click()
    await expect.poll(rows).toBe(3)
    await screen.getByRole("radio", { name: "Split" }).click()
    await expect
      .poll(() => document.querySelectorAll('section[aria-label="a.ts"] [data-line="0"] > span').length)
      .toBe(2)
    await screen.getByRole("searchbox").fill("needle")
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => document.querySelector("[aria-current=true]")?.textContent).toContain("needle")
    // What was viewed and closed is found as well, and opens; nothing found is said.
    ;(screen.getByRole("group", { name: "Changes" }).element() as HTMLElement).focus()
    await userEvent.keyboard("v")
    await expect.element(screen.getByText("1 of 2 viewed")).toBeVisible()
    await expect.poll(() => document.querySelectorAll('section[aria-label="a.ts"] [data-line]').length).toBe(0)
    await screen.getByRole("searchbox").click()
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => document.querySelector("[aria-current=true]")?.textContent).toContain("needle")
    await screen.getByRole("searchbox").fill("haystack")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByText("No line contains this.")).toBeVisible()
  })

  it("show the whole file and pictures side by side, and what became different since they were last looked at", async () => {
    const { screen, taskUuid } = await makeChange()
    const lines = (at: number, colour: string) =>
      Array.from({ length: 30 }, (_, n) => `${n === at ? colour : `line ${n + 1}`}\n`)
    const sendLamp = async (colour: string) => {
      const picture = await part(Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0)))
      const [before, after] = [await part(lines(14, "grey").join("")), await part(lines(14, colour).join(""))]
      const hunk = [" line 14\n", "-grey\n", `+${colour}\n`, " line 16\n"].join("")
      const patch = await part(
        `diff --git a/lamp.ts b/lamp.ts\n--- a/lamp.ts\n+++ b/lamp.ts\n@@ -14,3 +14,3 @@\n${hunk}`,
      )
      const binary = await part("diff --git a/lamp.png b/lamp.png\nBinary files a/lamp.png and b/lamp.png differ\n")
      const file = { oldPath: null, status: "modified" as const, oldMode: "100644", newMode: "100644", omitted: null }
      const counts = { additions: 1, deletions: 1, binary: false, size: 200, rows: 5, folded: false }
      const shown = { ...file, ...counts, patchSha: patch.sha256, beforeSha: before.sha256, afterSha: after.sha256 }
      const drawn = { ...shown, binary: true, patchSha: binary.sha256, beforeSha: null, afterSha: picture.sha256 }
      const change = {
        repository: { roots: [], remotes: [] },
        branch: "work",
        baseRef: "main",
        baseCommit: "a".repeat(40),
        headCommit: "b".repeat(40),
        tree: "c".repeat(40),
        uncommitted: 0,
        warnings: [],
        files: [
          { ...shown, path: "lamp.ts" },
          { ...drawn, path: "lamp.png" },
        ],
      }
      const parts = [picture, before, after, patch, binary]
      await owner.call("chorus_send_change", { taskUuid, origin: "command", change, parts })
    }
    await sendLamp("green")
    // Said of a line that the patch does not hold.
    const far = { file: "lamp.ts", line: 2, severity: "blocker" as const, text: "Who dims it?" }
    await owner.call("chorus_comment_on_change", { taskUuid, comments: [far] })
    const apart = screen.getByRole("region", { name: "lamp.ts" }).getByRole("article", { name: /line 2$/ })
    await expect.element(apart.getByText("Who dims it?")).toBeVisible()
    await expect.element(apart.getByText("2: line 2")).toBeVisible()
    const picture = screen.getByRole("img", { name: "After: lamp.png" })
    await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBe(1)
    await expect.element(screen.getByText("No picture")).toBeVisible()
    const file = screen.getByRole("region", { name: "lamp.ts" })
    await expect.element(file.getByText("line 18")).not.toBeInTheDocument()
    await file.getByRole("button", { name: "Whole file" }).click()
    await expect.element(file.getByText("line 18")).toBeVisible()
    await expect.element(apart.getByText("Who dims it?")).toBeVisible()
    await expect.element(apart.getByText("2: line 2")).not.toBeInTheDocument()
    await screen.getByRole("tab", { name: "Comments" }).click()
    await sendLamp("red")
    await screen.getByRole("tab", { name: "Changes" }).click()
    await expect.element(file.getByText("red")).toBeVisible()
    await expect.element(file.getByText("grey")).toBeVisible()
    await screen.getByRole("button", { name: "Since I last looked" }).click()
    await expect.element(file.getByText("green")).toBeVisible()
    await expect.element(file.getByText("grey")).not.toBeInTheDocument()
    await expect.element(screen.getByRole("region", { name: "lamp.png" })).not.toBeInTheDocument()
    await screen.getByRole("combobox", { name: "compared with" }).selectOptions("its base")
    await screen.getByRole("combobox", { name: "Version" }).selectOptions("1")
    await expect.element(file.getByText("green")).toBeVisible()
    await expect.element(file.getByText("grey")).toBeVisible()
  })

  it("fit a phone: long lines scroll inside their file", async () => {
    await page.viewport(390, 800)
    const { screen } = await makeChange(edit("src/door.ts", [`const long = "${"x".repeat(400)}"`]))
    await expect.element(screen.getByRole("region", { name: "src/door.ts" })).toBeVisible()
    await expect.poll(() => document.querySelectorAll("[data-line]").length).toBe(4)
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    await page.viewport(1280, 800)
  })

  it("of five thousand lines are drawn only where they can be seen", async () => {
    const files = Array.from({ length: 40 }, (_, at) =>
      edit(
        `src/part-${at}.ts`,
        Array.from({ length: 130 }, (_line, n) => `export const value${n} = compute(${n}, "text ${n}")`),
      ),
    )
    const { screen } = await makeChange(files.join(""))
    await expect.element(screen.getByText("0 of 40 viewed")).toBeVisible()
    await expect.poll(() => document.querySelectorAll("[data-line]").length).toBeGreaterThan(0)
    expect(document.querySelectorAll("[data-line]").length).toBeLessThan(400)
    screen.getByRole("region", { name: "src/part-39.ts" }).element().scrollIntoView()
    await expect
      .poll(() => document.querySelector('section[aria-label="src/part-39.ts"] [data-line="5"]'))
      .not.toBeNull()
    expect(document.querySelectorAll("[data-line]").length).toBeLessThan(400)
  })
})
