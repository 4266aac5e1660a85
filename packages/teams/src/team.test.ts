import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TeamConfig } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { codeOf, jsonIn, ledByClaude, scratchFolder, scratchTeam } from "../test/scratch-team.ts"
import { createTeam, openTeam, Team } from "./team.ts"
import { teamPaths } from "./files/team-paths.ts"

const NOW = 1_770_000_000_000
const clock = { now: () => NOW }

describe("a new team", () => {
  it("has a roster in the original's form, with Chorus as its lead", async () => {
    const root = scratchFolder()
    const team = await createTeam(
      { name: "alpha", description: "d", leadSessionId: "s", model: "m", cwd: "/w" },
      { root, clock },
    )
    const lead = {
      agentId: "team-lead@alpha",
      name: "team-lead",
      agentType: "team-lead",
      model: "m",
      joinedAt: NOW,
      tmuxPaneId: "",
      cwd: "/w",
      subscriptions: [],
    }
    expect(TeamConfig.parse(jsonIn(team.paths.config))).toEqual({
      name: "alpha",
      description: "d",
      createdAt: NOW,
      leadAgentId: "team-lead@alpha",
      leadSessionId: "s",
      members: [lead],
    })
    expect([await team.ledByChorus(), await team.era(), await team.tasks(), team.name]).toEqual([
      true,
      "named",
      [],
      "alpha",
    ])
    expect([existsSync(team.paths.inboxes), existsSync(team.paths.tasks)]).toEqual([true, true])
  })

  it("has a session of its own when none is given", async () => {
    const ids = await Promise.all(
      ["a", "b"].map(
        async (name) => (await (await createTeam({ name }, { root: scratchFolder() })).config()).leadSessionId,
      ),
    )
    expect(new Set(ids).size).toBe(2)
  })

  it.each(["", "..", "a/b", ".git", "com1"])("cannot be called %j", async (name) => {
    const root = scratchFolder()
    expect(await codeOf(createTeam({ name }, { root }))).toBe("bad_name")
    expect(await codeOf(openTeam(name, { root }))).toBe("bad_name")
    expect(readdirSync(root)).toEqual([])
  })
})

describe("who leads", () => {
  it("is nobody of ours where Claude Code made the team", async () => {
    const team = await ledByClaude(await scratchTeam(["bob"]))
    expect(await team.ledByChorus()).toBe(false)
    expect(await codeOf(team.deliver({ from: "team-lead", to: "bob", text: "obey" }))).toBe("not_the_lead")
  })

  it("is not Chorus where the roster names no session and we have no mark", async () => {
    const root = scratchFolder()
    const paths = teamPaths(root, "theirs")
    mkdirSync(paths.inboxes, { recursive: true })
    writeFileSync(
      paths.config,
      JSON.stringify({ name: "theirs", createdAt: 1, leadAgentId: "team-lead@theirs", members: [] }),
    )
    const team = await openTeam("theirs", { root })
    expect(await team.ledByChorus()).toBe(false)
    expect(await codeOf(team.deliver({ from: "team-lead", to: "bob", text: "obey" }))).toBe("not_the_lead")
    expect(await codeOf(team.delete())).toBe("not_the_lead")
    expect(existsSync(paths.config)).toBe(true)
  })
})

describe("delivering", () => {
  it("puts the letter into the inbox with the sender's colour and time, and returns the id under which it is read", async () => {
    const team = await scratchTeam(["alice", "bob"], clock)
    const id = await team.deliver({ from: "alice", to: "bob", text: "hi", summary: "s" })
    expect(await team.unread("bob")).toEqual([
      {
        id,
        entry: {
          from: "alice",
          text: "hi",
          summary: "s",
          timestamp: "2026-02-02T02:40:00.000Z",
          color: "blue",
          read: false,
        },
      },
    ])
  })

  it("shows no colour when told so, or of a sender that is not in the team", async () => {
    const team = await scratchTeam(["alice", "bob"])
    await team.deliver({ from: "alice", to: "bob", text: "1", colored: false })
    await team.deliver({ from: "stranger", to: "bob", text: "2" })
    expect((await team.unread("bob")).map(({ entry }) => entry.color)).toEqual([undefined, undefined])
  })

  it("keeps a text to the letter, whatever it holds, and its mark with it", async () => {
    const team = await scratchTeam(["bob"])
    const text = 'a\u2028b\u2029c\r\n"\\ \u0000 \ud83d\ude00 \ud800 ]}'
    await team.deliver({ from: "team-lead", to: "bob", text: "x".repeat(300_000) })
    await team.deliver({ from: "team-lead", to: "bob", text, decided: true })
    const [, received] = await team.unread("bob")
    if (received === undefined) throw new Error("two messages expected")
    expect(received.entry.text).toBe(text)
    expect(team.isDecision("bob", received)).toBe(true)
  })

  it.each(["a  b", "../x", "", "nul"])("refuses the sender %j and the receiver %j alike", async (name) => {
    const team = await scratchTeam(["bob"])
    expect(await codeOf(team.deliver({ from: name, to: "bob", text: "x" }))).toBe("bad_name")
    expect(await codeOf(team.deliver({ from: "bob", to: name, text: "x" }))).toBe("bad_name")
    expect(readdirSync(team.paths.inboxes)).toEqual(["bob.json"])
  })
})

describe("joining and leaving", () => {
  it("opens an inbox, and a letter sent for the newcomer from now on stays", async () => {
    let now = NOW
    const team = await scratchTeam([], { now: () => now })
    await team.deliver({ from: "stranger", to: "bob", text: "for the one before" })
    now += 1
    await team.join({ name: "bob" })
    await team.deliver({ from: "stranger", to: "bob", text: "for you" })
    expect((await team.unread("bob")).map(({ entry }) => entry.text)).toEqual(["for you"])
  })

  it("passes over an old letter whose time says nothing", async () => {
    const team = await scratchTeam()
    await team.deliver({ from: "stranger", to: "bob", text: "when?", timestamp: "long ago" })
    await team.join({ name: "bob" })
    expect(await team.unread("bob")).toEqual([])
  })

  it("says whether somebody left, and the lead never does", async () => {
    const team = await scratchTeam(["bob"])
    expect([await team.leave("bob"), await team.leave("bob")]).toEqual([true, false])
    await expect(team.leave("team-lead")).rejects.toMatchObject({
      code: "lead_stays",
      next: "Delete the team instead.",
    })
  })

  it("of somebody who was never in the team frees nobody's task", async () => {
    const team = await scratchTeam(["bob"])
    await team.createTask({ subject: "a", description: "" })
    await team.updateTask("1", { owner: "ghost", status: "in_progress" })
    await team.leave("ghost")
    expect((await team.task("1")).owner).toBe("ghost")
  })
})

describe("deleting", () => {
  it("removes roster, tasks, inboxes and all we kept", async () => {
    const team = await scratchTeam()
    await team.createTask({ subject: "a", description: "" })
    await team.delete()
    expect([team.paths.directory, team.paths.tasks, team.paths.own].map((path) => existsSync(path))).toEqual([
      false,
      false,
      false,
    ])
    expect(await codeOf(team.config())).toBe("team_gone")
  })

  it("waits for members to leave and names them", async () => {
    const team = await scratchTeam(["bob", "carol"])
    await expect(team.delete()).rejects.toMatchObject({
      code: "team_not_empty",
      status: 409,
      message: "bob, carol are still in the team.",
    })
    await team.leave("carol")
    await expect(team.delete()).rejects.toMatchObject({ message: "bob is still in the team." })
    await team.delete({ force: true })
    expect(existsSync(team.paths.directory)).toBe(false)
  })

  it("of a team that Claude Code leads needs force", async () => {
    const team = await ledByClaude(await scratchTeam())
    await expect(team.delete()).rejects.toMatchObject({
      code: "not_the_lead",
      next: expect.stringContaining("--force") as unknown,
    })
    await team.delete({ force: true })
    expect(existsSync(team.paths.directory)).toBe(false)
  })

  it("does not follow a link, not even when forced", async () => {
    const team = await scratchTeam()
    const elsewhere = join(team.paths.root, "precious")
    renameSync(team.paths.tasks, elsewhere)
    writeFileSync(join(elsewhere, "1.json"), "{}")
    symlinkSync(elsewhere, team.paths.tasks)
    expect(await codeOf(team.delete({ force: true }))).toBe("symlink_refused")
    expect([existsSync(team.paths.config), readdirSync(elsewhere)]).toEqual([true, ["1.json"]])
  })

  it("leaves no rule behind: a team of the same name starts afresh", async () => {
    const first = await scratchTeam(["bob"])
    await first.createTask({ subject: "old", description: "" })
    await first.delete({ force: true })
    const second = new Team(first.paths)
    await createTeam({ name: "t" }, { root: first.paths.root })
    expect((await second.createTask({ subject: "new", description: "" })).id).toBe("1")
    expect((await second.config()).members).toHaveLength(1)
  })
})
