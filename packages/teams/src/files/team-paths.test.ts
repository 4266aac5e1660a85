import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { TeamConfig, TeamMember } from "@chorus/contracts"
import { array, assert, constantFrom, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { eraOf } from "./era.ts"
import { teamFileFault, teamGone } from "./file-fault.ts"
import { claudeConfigDir, entriesOf, refuseLinks, teamNames, teamPaths } from "./team-paths.ts"

describe("the place of teams", () => {
  it.each([
    [{ CLAUDE_CONFIG_DIR: "/there", HOME: "/home/a" }, "/there"],
    [{ CLAUDE_CONFIG_DIR: "", HOME: "/home/a" }, "/home/a/.claude"],
    [{ HOME: "/home/a" }, "/home/a/.claude"],
    [{}, join(homedir(), ".claude")],
  ])("with %j is %s", (env, place) => {
    expect(claudeConfigDir(env)).toBe(place)
  })

  it("holds the folders with safe names and a roster, in order", () => {
    const root = scratchFolder()
    for (const name of ["zeta", "alpha", "session-00000000", ".hidden", "a b", "-dash", "no-roster"]) {
      mkdirSync(join(root, "teams", name), { recursive: true })
      if (name !== "no-roster") writeFileSync(join(root, "teams", name, "config.json"), "{}")
    }
    expect(teamNames(root)).toEqual(["alpha", "session-00000000", "zeta"])
    expect(teamNames(join(root, "nowhere"))).toEqual([])
  })
})

describe("the paths of a team", () => {
  it("are those that Claude Code uses, with ours beside them", () => {
    const paths = teamPaths("/base", "t")
    expect([
      paths.config,
      paths.inbox("bob"),
      paths.task("7"),
      paths.taskListLock,
      paths.highwatermark,
      paths.own,
    ]).toEqual([
      "/base/teams/t/config.json",
      "/base/teams/t/inboxes/bob.json",
      "/base/tasks/t/7.json",
      "/base/tasks/t/.lock",
      "/base/tasks/t/.highwatermark",
      "/base/chorus/teams/t",
    ])
  })

  it("never lead out of their folder, whatever a name holds", () => {
    const { inbox, task, inboxes, tasks } = teamPaths("/base", "t")
    assert(
      property(
        array(constantFrom("/", "\\", "..", ".", "\0", "\n", "a", "é", "\ud800", "con", "-", " "), { maxLength: 6 }),
        (parts) => {
          const name = parts.join("")
          for (const [path, folder] of [
            [inbox, inboxes],
            [task, tasks],
          ] as const) {
            try {
              const made = path(name)
              expect(join(made, "..")).toBe(folder)
              expect(made.slice(folder.length + 1)).not.toMatch(/[/\\\0]/)
            } catch (error) {
              expect(error).toMatchObject({ code: "bad_name" })
            }
          }
        },
      ),
      { numRuns: 40 },
    )
    expect(() => teamPaths("/base", "../t")).toThrowError(
      expect.objectContaining({ code: "bad_name", message: expect.stringContaining("the name of a team") as unknown }),
    )
    expect(inbox("..")).toBe("/base/teams/t/inboxes/--.json")
  })
})

describe("links", () => {
  it("are refused by name, also when they lead nowhere; files, folders and nothing are not", () => {
    const root = scratchFolder()
    writeFileSync(join(root, "file"), "")
    symlinkSync(join(root, "nowhere"), join(root, "link"))
    expect(() => refuseLinks(root, join(root, "file"), join(root, "missing"))).not.toThrow()
    expect(() => refuseLinks(join(root, "file"), join(root, "link"))).toThrowError(
      expect.objectContaining({
        code: "symlink_refused",
        message: expect.stringContaining(join(root, "link")) as unknown,
      }),
    )
  })

  it("do not hide that a folder cannot be listed: it is empty", () => {
    const root = scratchFolder()
    writeFileSync(join(root, "file"), "")
    expect(entriesOf(join(root, "file"))).toEqual([])
    expect(entriesOf(join(root, "missing"))).toEqual([])
  })
})

describe("the era of a team", () => {
  const lead = (more: Partial<TeamMember> = {}): TeamMember => ({
    agentId: "team-lead@x",
    name: "team-lead",
    joinedAt: 0,
    ...more,
  })
  const config = (more: Partial<TeamConfig>): TeamConfig => ({
    name: "t",
    createdAt: 0,
    leadAgentId: "team-lead@t",
    members: [lead()],
    ...more,
  })

  it.each<[string, Partial<TeamConfig>, string]>([
    ["made by name", {}, "named"],
    ["with the process of its lead", { leadProcess: { pid: 1 } }, "session"],
    ["whose lead has the pane `leader`", { members: [lead({ tmuxPaneId: "leader" })] }, "session"],
    ["named like a session", { name: "session-0123abcd" }, "session"],
    ["that a person named like a session and described", { name: "session-0123abcd", description: "mine" }, "named"],
    ["named nearly like a session", { name: "session-0123abcde" }, "named"],
    ["named like a session in capitals", { name: "session-0123ABCD" }, "named"],
    ["without any member", { members: [] }, "named"],
    [
      "where somebody else has the pane `leader`",
      { members: [{ ...lead({ tmuxPaneId: "leader" }), name: "bob" }] },
      "named",
    ],
  ])("%s is %s", (_, more, era) => {
    expect(eraOf(config(more))).toBe(era)
  })
})

describe("a fault of the file system", () => {
  it("says where else a team may live, and a team that is gone how to find one", () => {
    const cause = Object.assign(new Error("x"), { code: "EROFS" })
    expect(teamFileFault(cause, "/some/file")).toMatchObject({
      code: "not_writable",
      next: expect.stringContaining("CLAUDE_CONFIG_DIR") as unknown,
    })
    expect(teamGone("t")).toMatchObject({
      code: "team_gone",
      status: 404,
      next: expect.stringContaining("chorus team status") as unknown,
    })
  })
})
