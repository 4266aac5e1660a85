import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createTeam, requestPermission } from "@chorus/teams"
import { beforeEach, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, scratchFolders } from "../../test/command-line.ts"
import { type Crew, newCrew } from "../../test/team-crew.ts"

const folder = scratchFolders()
let crew: Crew["crew"]
let env: Crew["env"]

beforeEach(async () => {
  ;({ crew, env } = await newCrew(folder()))
})

const team = (...argv: string[]) => chorusHere(["team", ...argv], { env })

describe("chorus team status", () => {
  it("tells of every team: who leads it, its tasks, its members and what waits for them", async () => {
    await crew.join({ name: "ann", agentType: "Explore" })
    await crew.patchMember("ann", { isActive: true })
    await crew.deliver({ from: "team-lead", to: "ann", text: "one" })
    await crew.createTask({ subject: "Ground", description: "" })
    await crew.updateTask((await crew.createTask({ subject: "Done", description: "" })).id, { status: "completed" })
    await crew.createTask({ subject: "own", description: "", metadata: { _internal: true } })
    const { stdout } = await team("status")
    const [head, titles, , ann] = stdout.split("\n")
    expect(head).toBe("crew led by Chorus, 1 open task, 1 completed")
    expect(titles).toMatch(/^member +type +where +state +unread +last$/)
    expect(ann).toMatch(/^ann +Explore +.*working +1 *$/)
  })

  it("says of a member that is done what it answered, and of one at work what it does", async () => {
    for (const [name, isActive] of [
      ["ann", true],
      ["bob", false],
    ] as const) {
      await crew.join({ name })
      await crew.patchMember(name, { isActive })
      mkdirSync(join(crew.paths.own, "progress"), { recursive: true })
      const progress = { at: new Date().toISOString(), line: "Bash: npm test", said: "All green:\n12 of 12." }
      writeFileSync(join(crew.paths.own, "progress", `${name}.json`), JSON.stringify(progress))
    }
    const { stdout } = await team("status")
    expect(stdout).toMatch(/^ann .*working +Bash: npm test$/m)
    expect(stdout).toMatch(/^bob .*idle +All green: 12 of 12\.$/m)
  })

  it("says of a member that waits for a person that it does, not that it is stuck", async () => {
    await crew.join({ name: "ann", agentType: "Explore" })
    await crew.patchMember("ann", { isActive: true })
    const ask = { toolName: "Bash", toolUseId: "t", description: "", input: { command: "ls" } }
    const requestId = await requestPermission(crew, "ann", ask)
    expect((await team("status", "--stalled-after", "0")).stdout).toMatch(/^ann .*waits for you/m)
    expect((await team("status")).stdout).toMatch(/`chorus team decide --team crew`/)
    const { members } = await chorusHereJson<{ members: object[] }>(["team", "status", "--team", "crew"], { env })
    expect(members).toMatchObject([{ name: "team-lead" }, { name: "ann", asks: [requestId] }])
  })

  it("says how long a member at work has given no sign, beside its last line, and nothing of one that rests", async () => {
    const at = new Date(Date.now() - 12.5 * 60_000).toISOString()
    for (const [name, isActive] of [
      ["ann", true],
      ["bob", false],
    ] as const) {
      await crew.join({ name })
      await crew.patchMember(name, { isActive })
      mkdirSync(join(crew.paths.own, "progress"), { recursive: true })
      writeFileSync(join(crew.paths.own, "progress", `${name}.json`), JSON.stringify({ at, line: "Bash: npm test" }))
    }
    const { stdout } = await team("status")
    expect(stdout).toMatch(/^ann .*no sign for 12 min +Bash: npm test$/m)
    expect(stdout).toMatch(/^bob .*idle +Bash: npm test$/m)
    expect((await team("status", "--stalled-after", "13")).stdout).toMatch(/^ann .*working +Bash: npm test$/m)
  })

  it("is a list for programs, or the one team they name", async () => {
    await createTeam({ name: "second" }, { root: env.CLAUDE_CONFIG_DIR })
    const all = await chorusHereJson<{ name: string }[]>(["team", "status"], { env })
    expect(all.map(({ name }) => name)).toEqual(["crew", "second"])
    expect(await chorusHereJson(["team", "status", "--team", "crew"], { env })).toMatchObject({
      name: "crew",
      description: "Builds the till.",
      ledByChorus: true,
      tasks: { open: 0, completed: 0 },
    })
  })

  it("shows the other teams beside one that cannot be read, and says what is wrong with that", async () => {
    const broken = await createTeam({ name: "broken" }, { root: env.CLAUDE_CONFIG_DIR })
    writeFileSync(broken.paths.config, "[]")
    const { code, stdout } = await team("status")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^broken .*config\.json/m)
    expect(stdout).toMatch(/^crew led by Chorus/m)
    expect(await chorusHereJson(["team", "status"], { env })).toMatchObject([
      { fault: expect.any(String) },
      { name: "crew" },
    ])
    expect((await team("status", "--team", "broken")).code).toBe(1)
  })

  it("shows a team whose members have names of any kind, and one whose inbox is damaged", async () => {
    const config = await crew.config()
    const names = ["code reviewer", "größe", "x".repeat(300)]
    const members = names.map((name) => ({ agentId: `${name}@crew`, name, joinedAt: 0 }))
    writeFileSync(crew.paths.config, JSON.stringify({ ...config, members: [...config.members, ...members] }))
    await crew.join({ name: "ann" })
    await crew.join({ name: "bob" })
    await crew.deliver({ from: "ann", to: "code reviewer", text: "one" })
    writeFileSync(crew.paths.inbox("ann"), '[{"from":')
    // Long enough ago that nobody is still writing it.
    utimesSync(crew.paths.inbox("ann"), 1, 1)
    const { code, stdout } = await team("status")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^code reviewer +1$/m)
    expect(stdout).toMatch(/^größe *$/m)
    expect(stdout).toMatch(/^bob *$/m)
    expect(stdout).toMatch(/^ann +damaged$/m)
  })

  it("calls a member dead whose process has ended, as doctor does", async () => {
    await crew.join({ name: "ann" })
    await crew.patchMember("ann", { isActive: true, backendType: "process", tmuxPaneId: "pid:999999999" })
    expect((await team("status")).stdout).toMatch(/^ann .*dead$/m)
    expect(await chorusHereJson(["team", "status", "--team", "crew"], { env })).toMatchObject({
      members: [{ name: "team-lead" }, { name: "ann", state: "dead" }],
    })
    expect((await team("doctor")).stdout).toContain('"ann" is on the roster but runs no more.')
  })

  it("does not let a member's words out of their cell", async () => {
    await crew.join({ name: "ann", agentType: "x\u001b[2J\ny" })
    const { stdout } = await team("status")
    expect(stdout).not.toContain("\u001b")
    expect(stdout.trimEnd().split("\n")).toHaveLength(4)
  })
})

describe("chorus team doctor", () => {
  it("finds nothing in a sound team", async () => {
    expect(await team("doctor")).toMatchObject({ code: 0, stdout: "All teams are in order.\n" })
    expect(await chorusHereJson(["team", "doctor"], { env })).toEqual([])
  })

  it("names what is damaged, fails, repairs it when asked, and then finds nothing", async () => {
    await crew.createTask({ subject: "Ground", description: "" })
    await crew.createTask({ subject: "House", description: "", blockedBy: ["1"] })
    const files = readdirSync(crew.paths.tasks).filter((name) => name === "2.json")
    for (const name of files) {
      const path = join(crew.paths.tasks, name)
      writeFileSync(
        path,
        readFileSync(path, "utf8")
          .replace('"blockedBy":["1"]', '"blockedBy":["1","77"]')
          .replace(/"blockedBy":\s*\[\s*"1"\s*\]/, '"blockedBy":["1","77"]'),
      )
    }
    const before = await team("doctor")
    expect(before.code).toBe(1)
    expect(before.stdout).toMatch(/^team +what +says +where\n/)
    expect(before.stdout).toMatch(/\nnext {2}chorus team doctor --repair\n$/)
    const repaired = await team("doctor", "--repair")
    expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining("✔") })
    expect((await team("doctor")).stdout).toBe("All teams are in order.\n")
    expect((await crew.task("2")).blockedBy).toEqual(["1"])
  })
})
