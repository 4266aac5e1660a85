import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { imports } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { inOrder } from "./foreign-item.ts"
import { readTracker } from "./read-tracker.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chorus-trackers-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function given(name: string, content: string | object): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

describe("issues of GitHub", () => {
  it("are read as the API has them, without pull requests", () => {
    const url = "https://github.com/octo/shop/issues/3"
    const path = given("issues.json", [
      {
        number: 3,
        title: "Pay by card",
        body: "Depends on #1 and #2.\n\n## Acceptance criteria\n- [ ] a card is charged\n- [x] a receipt is sent\n\n## Notes\n- none",
        state: "open",
        labels: [{ name: "Backend" }, { name: "P1" }],
        milestone: { due_on: "2026-12-01T08:00:00Z" },
        html_url: url,
        comments: 4,
      },
      { number: 2, title: "Old", body: null, state: "closed", state_reason: "not_planned", labels: [] },
      { number: 1, title: "Cart", state: "closed", state_reason: "completed" },
      { number: 4, title: "A change", state: "open", pull_request: {} },
    ])
    const { origin, items, warnings } = readTracker(path)
    expect(origin).toBe("github:octo/shop")
    expect(warnings).toEqual(["1 pull request left out"])
    expect(items).toMatchObject([
      {
        key: "3",
        url,
        status: "open",
        priority: "high",
        labels: ["Backend", "P1"],
        dueOn: "2026-12-01",
        criteria: ["a card is charged", "a receipt is sent"],
        dependsOn: ["1", "2"],
      },
      { key: "2", status: "closed", description: null },
      { key: "1", status: "done" },
    ])
  })

  it("are read as `gh issue list --json` writes them, with their comments", () => {
    const comment = { id: "IC_1", author: { login: "ada" }, body: "Why?", createdAt: "2026-01-02T03:04:05Z" }
    const path = given("gh.json", [{ number: 7, title: "T", state: "CLOSED", url: "x", comments: [comment] }])
    expect(readTracker(path).items).toMatchObject([
      { status: "done", comments: [{ key: "IC_1", author: "ada", at: "2026-01-02T03:04:05Z", content: "Why?" }] },
    ])
  })
})

describe("issues of GitLab", () => {
  it("are read as the API has them", () => {
    const path = given("gitlab.json", [
      {
        iid: 5,
        title: "T",
        description: "Blocked by #4",
        state: "opened",
        labels: ["a"],
        weight: 3,
        due_date: "2026-11-30",
        web_url: "https://gitlab.example/team/shop/-/issues/5",
        notes: [
          { id: 1, body: "moved", system: true, created_at: "2026-01-01" },
          { id: 2, body: "Hello", author: { username: "bob" }, created_at: "2026-01-02" },
        ],
      },
    ])
    const { origin, items } = readTracker(path)
    expect(origin).toBe("gitlab:team/shop")
    expect(items).toMatchObject([
      { key: "5", storyPoints: 3, dueOn: "2026-11-30", dependsOn: ["4"], comments: [{ key: "2", author: "bob" }] },
    ])
  })

  it("are read from the file it sends by e-mail", () => {
    const path = given(
      "issues.csv",
      'Title,Description,Issue ID,URL,State,Due Date,Weight,Labels\n"One, two","Line 1\nLine ""2""",99,https://g.example/team/shop/-/issues/12,Closed,2026-01-31,2,"a,b"\n',
    )
    expect(readTracker(path)).toMatchObject({
      origin: "gitlab:team/shop",
      items: [{ key: "12", title: "One, two", description: 'Line 1\nLine "2"', status: "done", labels: ["a", "b"] }],
    })
  })
})

it("issues of Linear are read from its CSV", () => {
  const path = given(
    "linear.csv",
    "\uFEFFID,Team,Title,Description,Status,Estimate,Priority,Labels,Completed,Canceled,Due Date,Blocked by\n" +
      'ENG-1,Engineering,First,,Done,2,High,"Bug, UI",2026-01-01,,,\n' +
      "ENG-2,Engineering,Second,,In Progress,,Low,,,,2026-02-03,ENG-1\n" +
      "ENG-3,Engineering,Third,,Canceled,,No priority,,,2026-01-01,,\n",
  )
  expect(readTracker(path)).toMatchObject({
    origin: "linear:Engineering",
    items: [
      { key: "ENG-1", status: "done", priority: "high", storyPoints: 2, labels: ["Bug", "UI"] },
      { key: "ENG-2", status: "open", priority: "low", dueOn: "2026-02-03", dependsOn: ["ENG-1"] },
      { key: "ENG-3", status: "closed", priority: "medium" },
    ],
  })
})

it("issues of Jira are read from its CSV, with columns that are there several times", () => {
  const path = given(
    "jira.csv",
    "Summary,Issue key,Status,Status Category,Resolution,Priority,Project key,Due date,Labels,Labels,Comment,Comment,Outward issue link (Blocks),Custom field (Story Points)\n" +
      "First,AB-1,Done,Done,Won't Do,Highest,AB,16/Nov/26 9:00 AM,red,blue,1/Jan/26 9:00 AM;ada;Hi; there,,AB-2,5\n" +
      "Second,AB-2,In Progress,In Progress,,Medium,AB,,,,,,,\n",
  )
  expect(readTracker(path)).toMatchObject({
    origin: "jira:AB",
    items: [
      {
        key: "AB-1",
        status: "closed",
        priority: "high",
        dueOn: "2026-11-16",
        labels: ["red", "blue"],
        storyPoints: 5,
        comments: [{ at: "1/Jan/26 9:00 AM", author: "ada", content: "Hi; there" }],
      },
      { key: "AB-2", status: "open", dependsOn: ["AB-1"] },
    ],
  })
})

it("tasks of Vibe Kanban are read from the answer of its API", () => {
  const task = { id: "t1", project_id: "p1", title: "T", description: null }
  const data = [
    { ...task, status: "inprogress" },
    { ...task, id: "t2", status: "cancelled" },
    { ...task, id: "t3", status: "done" },
  ]
  expect(readTracker(given("tasks.json", { success: true, data }))).toMatchObject({
    origin: "vibe-kanban:p1",
    items: [{ key: "t1", status: "open" }, { status: "closed" }, { status: "done" }],
  })
})

it("tasks of Backlog.md are read from the folder they lie in", () => {
  const task = (id: string, more: string, body = "") => `---\nid: ${id}\ntitle: Task ${id}\n${more}---\n\n${body}`
  given(
    "shop/backlog/tasks/task-2 - Two.md",
    task(
      "task-2",
      "status: In Progress\nlabels: [web]\ndependencies:\n  - task-1\npriority: high\n",
      "## Description\n\nDo it.\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It works\n- [x] #2 It is fast\n<!-- AC:END -->\n\n## Notes\n- not this\n",
    ),
  )
  given("shop/backlog/completed/task-1 - One.md", task("task-1", "status: Done\n"))
  given("shop/backlog/archive/tasks/task-0 - None.md", task("task-0", "status: To Do\n"))
  given("shop/backlog/tasks/readme.md", "no front matter")
  const { origin, items, warnings } = readTracker(join(folder, "shop"))
  expect(origin).toBe("backlog-md:shop")
  expect(items).toMatchObject([
    {
      key: "task-2",
      status: "open",
      priority: "high",
      labels: ["web"],
      dependsOn: ["task-1"],
      criteria: ["It works", "It is fast"],
    },
    { key: "task-1", status: "done" },
    { key: "task-0", status: "closed" },
  ])
  expect(warnings).toEqual(["readme.md has no front matter with id and title; left out"])
})

it("tasks of Task Master are read with their subtasks and tags", () => {
  const tasks = [
    {
      id: 1,
      title: "One",
      description: "D",
      details: "More",
      testStrategy: "Run it",
      status: "done",
      priority: "high",
    },
    {
      id: 2,
      title: "Two",
      status: "pending",
      dependencies: [1],
      subtasks: [
        { id: 1, title: "Two one", status: "pending", dependencies: [] },
        { id: 2, title: "Two two", status: "cancelled", dependencies: [1] },
      ],
    },
  ]
  given("shop/.taskmaster/tasks/tasks.json", { master: { tasks, metadata: {} } })
  expect(readTracker(join(folder, "shop"))).toMatchObject({
    origin: "task-master:shop",
    items: [
      { key: "1", status: "done", description: "D\n\nMore", criteria: ["Run it"], priority: "high" },
      { key: "2.1", status: "open" },
      { key: "2.2", status: "closed", dependsOn: ["2.1"] },
      { key: "2", dependsOn: ["1", "2.1", "2.2"] },
    ],
  })
  const two = readTracker(given("tasks.json", { a: { tasks }, b: { tasks } }))
  expect(two.items.map(({ key }) => key)).toContain("b/2.1")
})

it("issues of Beads are read from their lines, without those deleted there", () => {
  const lines = [
    { id: "shop-a1", title: "One", status: "closed", priority: 0, issue_type: "bug", acceptance_criteria: "- works" },
    {
      id: "shop-b2",
      title: "Two",
      status: "in_progress",
      design: "Like so",
      dependencies: [
        { issue_id: "shop-b2", depends_on_id: "shop-a1", type: "blocks" },
        { issue_id: "shop-b2", depends_on_id: "shop-c3", type: "discovered-from" },
      ],
      comments: [{ id: 1, author: "ada", text: "Hm", created_at: "2026-01-01T00:00:00Z" }],
    },
    { id: "shop-c3", title: "Gone", status: "tombstone" },
  ]
  given("shop/.beads/issues.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"))
  expect(readTracker(join(folder, "shop"))).toMatchObject({
    origin: "beads:shop",
    items: [
      { key: "shop-a1", status: "done", priority: "high", labels: ["bug"], criteria: ["works"] },
      {
        key: "shop-b2",
        status: "open",
        description: "## Design\n\nLike so",
        dependsOn: ["shop-a1"],
        comments: [{ author: "ada", content: "Hm" }],
      },
    ],
  })
})

it("whatever is in it, an item fits what the server takes", () => {
  const text = "\u0000\u001b[31mred\u007f\r\nsecond line"
  const path = given("issues.json", [
    {
      number: 1,
      title: `${text} ${"x".repeat(400)}`,
      body: text.repeat(20_000),
      state: "open",
      html_url: "javascript:alert(1)",
      labels: Array.from({ length: 30 }, (_, n) => ({ name: `${n} ${"l".repeat(60)}` })),
      milestone: { due_on: "soon" },
      comments: [{ id: 1, author: null, body: text }],
    },
    { number: 2, title: "\n", state: "open" },
  ])
  const { items } = readTracker(path)
  for (const item of items) expect(imports.ForeignItem.parse(item)).toEqual(item)
  expect(items).toMatchObject([{ url: null, dueOn: null }, { title: "(2)" }])
})

it.each([
  ["no such file", "nowhere.json", undefined, "no file or folder"],
  ["something else", "a.json", "[1, 2]", "none of the lists"],
  ["broken JSON", "a.json", "[{", "no valid JSON"],
  ["another table", "a.csv", "a,b\n1,2\n", "columns"],
  ["other lines", "a.jsonl", '{"a":1}\n', "Beads"],
  ["an issue that is none", "a.json", '[{"number":1,"title":"T","state":"open"},{"number":"2"}]', "number of entry 2"],
])("%s is refused in words", (_, name, content, words) => {
  const path = content === undefined ? join(folder, name) : given(name, content)
  expect(() => readTracker(path)).toThrow(expect.objectContaining({ code: "unknown_tracker" }))
  expect(() => readTracker(path)).toThrow(words)
})

it("what others wait for comes first, and circles end", () => {
  const path = given("issues.json", [
    { number: 1, title: "a", state: "open", body: "depends on #2, #3" },
    { number: 2, title: "b", state: "open", body: "depends on #3" },
    { number: 3, title: "c", state: "open", body: "blocked by: #4" },
    { number: 4, title: "d", state: "open", body: "depends on #3" },
  ])
  expect(inOrder(readTracker(path).items).map(({ key }) => key)).toEqual(["4", "3", "2", "1"])
})
