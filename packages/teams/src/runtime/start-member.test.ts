import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { codeOf, found, ledByClaude, scratchTeam } from "../../test/scratch-team.ts"
import type { Backend, Running } from "../backends/backend.ts"
import { bodyOfKind } from "../protocol/body.ts"
import { answerShutdown, requestShutdown } from "../protocol/send.ts"
import type { Team } from "../team.ts"
import { Bell } from "@chorus/core"
import { startMember } from "./start-member.ts"
import { type LeadEvent, TeamRuntime } from "./team-runtime.ts"

/** A place where members do nothing by themselves: the test speaks for them and ends them. */
function puppets() {
  const ends = new Map<string, () => void>()
  const stopped: string[] = []
  const backend: Backend = {
    type: "process",
    async start({ member }): Promise<Running> {
      const ended = new Promise<void>((resolve) => ends.set(member.name, resolve))
      return { place: `pid:${member.name}`, ended, stop: async () => void stopped.push(member.name) }
    },
  }
  return { backend, stopped, end: (name: string) => ends.get(name)?.() }
}

function led(team: Team) {
  const events: LeadEvent[] = []
  const bell = new Bell()
  const runtime = new TeamRuntime(team, {
    onEvent(event) {
      events.push(event)
      bell.ring()
    },
  })
  onTestFinished(() => runtime.close())
  const until = async (holds: (event: LeadEvent) => boolean) => {
    while (!events.some(holds)) await bell.heard()
  }
  const left = (name: string) => until((event) => event.event === "left" && event.name === name)
  const said = (text: string) => until((event) => event.event === "message" && event.message.entry.text === text)
  return { runtime, events, left, said }
}

/** The id of the shutdown request that lies in a member's inbox. */
const requestTo = (team: Team, name: string) =>
  found(async () => {
    const bodies = (await team.unread(name)).map(({ entry }) => bodyOfKind(entry.text, "shutdown_request"))
    return bodies.find((body) => body !== undefined)?.requestId
  })

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
    expect(await codeOf(startMember(team, { name: "bob", prompt: "go", backend: puppets().backend }))).toBe(
      "not_the_lead",
    )
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
      backend: puppets().backend,
      agentType: "reviewer",
      cwd: team.paths.root,
    })
    await startMember(team, {
      name: "b",
      prompt: "go",
      backend: puppets().backend,
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

describe("the lead", () => {
  it("believes an answer to a shutdown only of the one it asked", async () => {
    const team = await scratchTeam(["mallory"])
    const { backend, stopped } = puppets()
    const { runtime, left } = led(team)
    await runtime.spawn({ name: "bob", prompt: "go", backend })
    const outcome = runtime.shutdown("bob", "done")
    const requestId = await requestTo(team, "bob")
    await answerShutdown(team, "mallory", requestId, { approve: true })
    await left("mallory")
    expect(stopped).toEqual([])
    await answerShutdown(team, "bob", requestId, { approve: false, reason: "busy" })
    expect(await outcome).toEqual({ approved: false, reason: "busy" })
    expect((await team.config()).members.map(({ name }) => name)).toEqual(["team-lead", "bob"])
  })

  it("stays, whatever is said in its own name or in another's", async () => {
    const team = await scratchTeam(["bob"])
    const { said, events } = led(team)
    const goodbye = (from: string) =>
      JSON.stringify({ type: "shutdown_approved", requestId: "r", from, timestamp: "T" })
    await team.deliver({ from: "team-lead", to: "team-lead", text: goodbye("team-lead") })
    await team.deliver({ from: "mallory", to: "team-lead", text: goodbye("bob") })
    await team.deliver({ from: "bob", to: "team-lead", text: "still here" })
    await said("still here")
    expect(events.filter(({ event }) => event === "left")).toEqual([])
    expect(await codeOf(answerShutdown(team, "team-lead", "r", { approve: true }))).toBe("lead_stays")
    expect(await codeOf(requestShutdown(team, { from: "bob", to: "team-lead" }))).toBe("lead_stays")
  })

  it("takes a member that ended without a word off the roster and frees its task", async () => {
    const team = await scratchTeam()
    const { backend, end } = puppets()
    const { runtime, left, events } = led(team)
    await runtime.spawn({ name: "bob", prompt: "go", backend })
    await team.createTask({ subject: "a", description: "" })
    await team.claimTask("1", "bob")
    end("bob")
    await left("bob")
    expect(events.at(-1)).toEqual({ event: "left", name: "bob", how: "died" })
    expect([(await team.config()).members.length, (await team.task("1")).owner]).toEqual([1, undefined])
    expect(() => runtime.running("bob")).toThrowError(expect.objectContaining({ code: "not_running" }))
  })

  it("reads a goodbye that is already there before it calls a member dead", async () => {
    const team = await scratchTeam()
    const { backend, end } = puppets()
    const { runtime, left, events } = led(team)
    for (const name of ["ann", "bob", "cem"]) {
      await runtime.spawn({ name, prompt: "go", backend })
      const goodbye = {
        from: name,
        text: JSON.stringify({
          type: "shutdown_approved",
          requestId: `shutdown-1@${name}`,
          from: name,
          timestamp: "T",
        }),
        timestamp: team.timestamp(),
      }
      // Written and ended in one moment, so that whoever looks first finds both.
      writeFileSync(team.paths.inbox("team-lead"), JSON.stringify([goodbye]))
      end(name)
      await left(name)
    }
    expect(events.filter(({ event }) => event === "left")).toEqual(
      ["ann", "bob", "cem"].map((name) => ({ event: "left", name, how: "shutdown" })),
    )
  })

  it("is answered when the member it asked has ended", async () => {
    const team = await scratchTeam()
    const { backend, end } = puppets()
    const { runtime } = led(team)
    await runtime.spawn({ name: "bob", prompt: "go", backend })
    const outcome = runtime.shutdown("bob")
    end("bob")
    expect(await outcome).toEqual({ approved: true, reason: "The member has ended." })
  })

  it("is answered only once the member is off the roster, whichever sign of its end comes first", async () => {
    const team = await scratchTeam()
    const { backend, end } = puppets()
    const { runtime } = led(team)
    for (const name of ["ann", "bob", "cem", "dee"]) {
      await runtime.spawn({ name, prompt: "go", backend })
      const outcome = runtime.shutdown(name)
      const requestId = await requestTo(team, name)
      const goodbye = answerShutdown(team, name, requestId, { approve: true })
      end(name)
      expect(await outcome).toMatchObject({ approved: true })
      expect((await team.config()).members.map((member) => member.name)).toEqual(["team-lead"])
      await goodbye
    }
  })

  it("leaves nobody waiting when it closes", async () => {
    const team = await scratchTeam(["elsewhere"])
    const { backend, stopped } = puppets()
    const { runtime } = led(team)
    await runtime.spawn({ name: "bob", prompt: "go", backend })
    const outcome = runtime.shutdown("elsewhere")
    await requestTo(team, "elsewhere")
    await runtime.close()
    expect(await outcome).toEqual({ approved: false, reason: "The lead closed before the member answered." })
    expect(stopped).toEqual(["bob"])
    expect(existsSync(team.paths.config)).toBe(true)
  })

  it("removes a member without asking, once", async () => {
    const team = await scratchTeam()
    const { backend, stopped } = puppets()
    const { runtime, events } = led(team)
    await runtime.spawn({ name: "bob", prompt: "go", backend })
    await runtime.remove("bob")
    await runtime.remove("bob")
    expect(stopped).toEqual(["bob"])
    expect(events.filter(({ event }) => event === "left")).toEqual([{ event: "left", name: "bob", how: "removed" }])
  })

  it("closes by itself when its team is taken away", async () => {
    const team = await scratchTeam()
    const { runtime } = led(team)
    await team.delete()
    await runtime.close()
    expect(await codeOf(team.config())).toBe("team_gone")
  })
})
