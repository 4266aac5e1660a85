import { beforeEach, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolders } from "../../test/command-line.ts"
import { type Crew, newCrew } from "../../test/team-crew.ts"

const folder = scratchFolders()
let crew: Crew["crew"]
let env: Crew["env"]

beforeEach(async () => {
  ;({ crew, env } = await newCrew(folder(), "ann", "bob"))
})

const team = (...argv: string[]) => chorusHere(["team", ...argv], { env })
const json = <T>(...argv: string[]) => chorusHereJson<T>(["team", ...argv], { env })
const refused = (...argv: string[]) => refusalOf(["team", ...argv], { env })

describe("chorus team tasks", () => {
  it("numbers what is added and ties it to the board where that is named", async () => {
    expect((await team("tasks", "add", "Ground")).stdout).toBe("added #1 Ground\n")
    expect(
      await json("tasks", "add", "House", "--description", "Two floors.", "--after", "1", "--link", "0a1b"),
    ).toMatchObject({ id: "2", description: "Two floors.", blockedBy: ["1"], metadata: { chorus: "chorus:task:0a1b" } })
  })

  it("shows whose a task is and what it waits for, as long as that is open", async () => {
    for (const subject of ["Ground", "House", "Roof"]) await team("tasks", "add", subject)
    await team("tasks", "set", "2", "--after", "1")
    await team("tasks", "set", "3", "--after", "1", "2")
    await team("tasks", "set", "1", "--status", "in_progress", "--owner", "ann")
    expect((await team("tasks")).stdout).toBe(
      "   task       owner  waits for\n◼  #1 Ground  ann\n◻  #2 House          #1\n◻  #3 Roof           #1 #2\n",
    )
    await team("tasks", "set", "1", "--status", "completed")
    expect((await team("tasks")).stdout).toMatch(/^✔ {2}#1 Ground {2}ann\n◻ {2}#2 House\n◻ {2}#3 Roof {11}#2$/m)
  })

  it("keeps what it is called while it is done, and what other programs look for", async () => {
    await team(
      "tasks",
      "add",
      "Dig",
      "--active-form",
      "Digging",
      "--metadata",
      "branch=roses",
      "deep=2",
      "--link",
      "0a",
    )
    expect(await crew.task("1")).toMatchObject({
      activeForm: "Digging",
      metadata: { branch: "roses", deep: 2, chorus: "chorus:task:0a" },
    })
    await team("tasks", "set", "1", "--subject", "Dig deep", "--description", "Two spades.", "--metadata", "deep=")
    expect(await crew.task("1")).toMatchObject({
      subject: "Dig deep",
      description: "Two spades.",
      activeForm: "Digging",
      metadata: { branch: "roses", chorus: "chorus:task:0a" },
    })
    expect((await crew.task("1")).metadata).not.toHaveProperty("deep")
    expect(await refused("tasks", "set", "1", "--metadata", "roses")).toMatchObject({ code: "bad_metadata" })
  })

  it("lets a task wait no longer for another, at both ends", async () => {
    await team("tasks", "add", "Ground")
    await team("tasks", "add", "House", "--after", "1")
    expect(await json("tasks", "set", "2", "--not-after", "1")).toMatchObject({ id: "2", blockedBy: [] })
    expect(await crew.task("1")).toMatchObject({ blocks: [] })
    expect((await team("doctor")).stdout).toBe("All teams are in order.\n")
    expect((await team("tasks", "set", "2", "--not-after", "1", "77")).code).toBe(0)
  })

  it("cuts a long subject and shows no line break or escape of it", async () => {
    await crew.createTask({ subject: `${"x".repeat(80)}`, description: "" })
    await crew.createTask({ subject: "two\nlines\u001b[2J", description: "" })
    const lines = (await team("tasks")).stdout.split("\n")
    expect(lines[1]).toContain(`#1 ${"x".repeat(69)}…`)
    expect(lines[2]).toContain("#2 two lines")
    expect(lines[2]).not.toContain("\u001b")
  })

  it("does not show what Claude Code keeps for itself", async () => {
    await crew.createTask({ subject: "ann's own", description: "", metadata: { _internal: true } })
    expect(await json("tasks")).toEqual([])
  })

  it("gives a task to a member, who is told by whom", async () => {
    await team("tasks", "add", "Ground")
    expect((await team("tasks", "set", "1", "--owner", "ann", "--by", "bob")).stdout).toBe("#1 is pending, ann\n")
    const [told] = await crew.unread("ann")
    expect(told?.entry.text).toContain('"type":"task_assignment"')
    expect(told?.entry.text).toContain('"assignedBy":"bob"')
  })

  it.each([
    ["a state that no task has", ["tasks", "set", "1", "--status", "done"], "bad_status"],
    ["a task that is not there", ["tasks", "set", "99", "--status", "completed"], "no_such_task"],
    ["a circle", ["tasks", "set", "1", "--after", "2"], "task_cycle"],
    [
      "an owner who is not in the team",
      ["tasks", "set", "1", "--status", "in_progress", "--owner", "nobody"],
      "no_such_member",
    ],
  ])("refuses %s and changes nothing", async (_, argv, code) => {
    await team("tasks", "add", "Ground")
    await team("tasks", "add", "House", "--after", "1")
    const before = await crew.tasks()
    expect(await refused(...argv)).toMatchObject({ code })
    expect(await crew.tasks()).toEqual(before)
  })
})

describe("chorus team claim", () => {
  it("takes the next task that is free, and says when none is", async () => {
    await team("tasks", "add", "Ground")
    await team("tasks", "add", "House", "--after", "1")
    expect((await team("claim", "--as", "ann")).stdout).toBe("taken #1 Ground\n")
    expect((await team("claim", "--as", "bob")).stdout).toBe("Nothing is free.\n")
    expect(await json("claim", "--as", "bob")).toBeNull()
  })

  it("gives one task to one of all who want it at the same time", async () => {
    await team("tasks", "add", "Ground")
    const claims = await Promise.allSettled(["ann", "bob"].map((name) => crew.claimTask("1", name)))
    expect(claims.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    const { owner } = await crew.task("1")
    expect(await refused("claim", "1", "--as", owner === "ann" ? "bob" : "ann")).toMatchObject({
      code: "already_claimed",
    })
  })

  it("lets a member take a second task only when it says so", async () => {
    for (const subject of ["Ground", "Fence"]) await team("tasks", "add", subject)
    await team("claim", "1", "--as", "ann")
    expect(await refused("claim", "2", "--as", "ann")).toMatchObject({ code: "agent_busy" })
    expect(await json("claim", "2", "--as", "ann", "--several")).toMatchObject({ id: "2", owner: "ann" })
  })

  it("needs to know for whom", async () => {
    expect((await team("claim")).stderr).toContain("required option '--as <name>' not specified")
  })
})
