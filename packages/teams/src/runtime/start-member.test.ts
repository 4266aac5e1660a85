import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { codeOf, ledByClaude, scratchTeam } from "../../test/scratch-team.ts"
import type { Backend } from "../backends/backend.ts"
import { startMember } from "./start-member.ts"

/** A place where members do nothing. */
const STILL: Backend = {
  type: "process",
  start: async ({ member }) => ({
    place: `pid:${member.name}`,
    ended: new Promise(() => undefined),
    stop: async () => undefined,
  }),
}

describe("starting a member", () => {
  it("puts it on the roster with its prompt before it runs, and notes where it runs", async () => {
    const team = await scratchTeam()
    const there: unknown[] = []
    const backend: Backend = {
      type: "process",
      async start({ member, mode, env }) {
        there.push(
          (await team.member("bob")).tmuxPaneId,
          (await team.unread("bob")).map(({ entry }) => entry.text),
          member.color,
          mode,
          env["KEPT"],
          env["TMUX"],
        )
        return { place: "pid:7", ended: new Promise(() => undefined), stop: async () => undefined }
      },
    }
    await startMember(team, {
      name: "bob",
      prompt: "go",
      backend,
      mode: "plan",
      model: "m",
      cwd: "/",
      env: { KEPT: "yes", TMUX: "no" },
    })
    expect(there).toEqual(["", ["go"], "blue", "plan", "yes", undefined])
    expect(await team.member("bob")).toMatchObject({
      tmuxPaneId: "pid:7",
      backendType: "process",
      planModeRequired: true,
      model: "m",
      isActive: true,
      prompt: "go",
      agentType: "general-purpose",
    })
  })

  it("leaves no ghost when the place cannot start it", async () => {
    const team = await scratchTeam()
    const backend: Backend = { type: "tmux", start: () => Promise.reject(new Error("no tmux")) }
    await expect(startMember(team, { name: "bob", prompt: "go", backend })).rejects.toThrow("no tmux")
    expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead"])
  })

  it.each<[string, Partial<{ name: string; agentType: string }>, string]>([
    ["of a type that nobody knows", { agentType: "Wizard" }, "no_such_agent_type"],
    ["with a name that is taken", { name: "alice" }, "name_taken"],
    ["with a name that is not safe", { name: "a/b" }, "bad_name"],
  ])("%s is refused before anything runs", async (_, more, code) => {
    const team = await scratchTeam(["alice"])
    const backend: Backend = { type: "tmux", start: () => Promise.reject(new Error("must not start")) }
    expect(await codeOf(startMember(team, { name: "bob", prompt: "go", backend, ...more }))).toBe(code)
    expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead", "alice"])
  })

  it("is left to the lead where that is a Claude Code session", async () => {
    const team = await ledByClaude(await scratchTeam())
    expect(await codeOf(startMember(team, { name: "bob", prompt: "go", backend: STILL }))).toBe("not_the_lead")
  })

  it("takes model and mode from the type's file unless told otherwise", async () => {
    const team = await scratchTeam()
    mkdirSync(join(team.paths.root, "agents"))
    writeFileSync(
      join(team.paths.root, "agents", "r.md"),
      "---\nname: reviewer\nmodel: small\npermissionMode: plan\n---\n",
    )
    await startMember(team, {
      name: "a",
      prompt: "go",
      backend: STILL,
      agentType: "reviewer",
      cwd: team.paths.root,
    })
    await startMember(team, {
      name: "b",
      prompt: "go",
      backend: STILL,
      agentType: "reviewer",
      cwd: team.paths.root,
      model: "large",
      mode: "default",
    })
    expect(
      (await team.config()).members.slice(1).map(({ model, planModeRequired }) => [model, planModeRequired]),
    ).toEqual([
      ["small", true],
      ["large", false],
    ])
  })
})
