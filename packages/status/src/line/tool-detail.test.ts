import { describe, expect, it } from "vitest"
import { summaryOf, titleFromPrompt } from "./text.ts"
import { toolDetail, wholeRequest } from "./tool-detail.ts"

describe("tool details", () => {
  it.each([
    ["Edit", { file_path: "/home/user/proj/src/app.ts" }, "Edit src/app.ts"],
    ["Edit", { file_path: "/elsewhere/app.ts" }, "Edit /elsewhere/app.ts"],
    ["Bash", { command: "npm test", description: "Run tests" }, "Bash: npm test"],
    ["bash", { command: "npm test" }, "Bash: npm test"],
    [
      "apply_patch",
      { command: "*** Begin Patch\n*** Add File: b.txt\n+hi\n*** Update File: c.txt\n*** End Patch" },
      "Edit b.txt, c.txt",
    ],
    ["mcp__fake__ping", { note: "abc" }, "fake: ping"],
    ["Agent", { description: "Look around", prompt: "…" }, "Agent: Look around"],
    ["collaborationspawn_agent", { task_name: "scout", message: "go" }, "Agent: scout"],
    ["Grep", { pattern: "TODO", path: "" }, "Grep: TODO"],
    ["WebFetch", { url: "http://example.invalid" }, "WebFetch: http://example.invalid"],
    ["request_user_input", { questions: [{ question: "Which color?" }, { question: "Why?" }] }, "Which color? / Why?"],
    ["read", { filePath: "/home/user/proj/a.txt" }, "Read a.txt"],
    ["TodoWrite", {}, "TodoWrite"],
  ])("%s %j is %s", (tool, input, expected) => {
    expect(toolDetail(tool, input, "/home/user/proj")).toBe(expected)
  })

  it("is nothing without a tool, and short with a long one", () => {
    expect(toolDetail(undefined, {}, "/")).toBeUndefined()
    expect(toolDetail("Bash", { command: "x".repeat(5000) }, "/")?.length).toBe(120)
  })
})

describe("the whole of what a tool would be given", () => {
  it.each([
    ["Bash", { command: "echo a\n\trm -rf b", description: "Says a" }, "echo a\n\trm -rf b"],
    ["Bash", { command: "make", run_in_background: true }, "make\nrun_in_background: true"],
    [
      "Edit",
      { file_path: "/p/a", old_string: "x", new_string: "y\nz" },
      "Edit\nfile_path: /p/a\nold_string: x\nnew_string: y\nz",
    ],
    ["Bash", { command: "echo \u202edlo\u001b[2J" }, "echo \ufffddlo\ufffd[2J"],
    ["Bash", { command: "x".repeat(4001) }, undefined],
    ["Bash", "make", undefined],
  ])("%s %j is %j", (tool, input, whole) => expect(wholeRequest(tool, input)).toBe(whole))
})

describe("words", () => {
  it("lose their thinking, also an unfinished one", () => {
    expect(summaryOf("<thinking>secret\nplan</thinking>  All\n done.")).toBe("All done.")
    expect(summaryOf("Half <thinking>never closed")).toBe("Half")
    expect(summaryOf("<thinking>only</thinking>")).toBeUndefined()
  })

  it("of a program or a slash command are no title", () => {
    expect(titleFromPrompt("/compact")).toBeUndefined()
    expect(titleFromPrompt("<task-notification>…")).toBeUndefined()
    expect(titleFromPrompt("  Fix the\nlogin ")).toBe("Fix the login")
  })
})
