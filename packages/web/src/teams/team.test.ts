import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { happened } from "../../test/present.ts"
import {
  followTeam,
  followTeams,
  hueOfMember,
  lastLineOf,
  type Member,
  MEMBER_LABEL,
  MEMBER_TONE,
  type Message,
  stalledFor,
  type Team,
  threadOf,
  wordsOf,
} from "./team.ts"

const message = (id: string, from: string, to: string, changes: Partial<Message> = {}): Message => ({
  id,
  from,
  to,
  kind: "message",
  text: "hi",
  summary: null,
  sentAt: "1",
  ...changes,
})
const task = (id: string, status = "pending") =>
  ({
    task: { id, subject: "Build", description: "", status, blocks: [], blockedBy: [] },
    taskUuids: [],
  }) as Team["tasks"][number]

const alice: Member = {
  name: "alice",
  state: "idle",
  lead: false,
  agentType: null,
  model: null,
  color: "blue",
  leftAt: null,
  lastLine: null,
  lastAt: null,
  costUsd: null,
  tokens: null,
  branch: null,
}
const team: Team = {
  uuid: "team",
  name: "builders",
  machineUuid: "m",
  machine: "laptop",
  era: "named",
  description: null,
  ledByChorus: false,
  createdAt: "1",
  lastFactAt: "1",
  goneAt: null,
  members: [alice],
  messages: [message("1", "team-lead", "alice")],
  tasks: [task("1")],
  orders: [],
}

describe("what a member said last", () => {
  const messages = [
    { ...message("1", "alice", "team-lead"), text: "one\ntwo" },
    { ...message("2", "alice", "team-lead"), kind: "idle_notification", text: "{}" },
    message("3", "bob", "team-lead"),
  ]

  it("is its agent's own line, else what it wrote to somebody", () => {
    expect(lastLineOf({ ...alice, lastLine: "Bash: ls" }, messages)).toBe("Bash: ls")
    expect(lastLineOf(alice, messages)).toBe("two")
    expect(lastLineOf(alice, [])).toBe("")
  })

  it("is long ago only for one that works and gave signs before", () => {
    const lastAt = "2026-01-01T00:00:00.000Z"
    const later = Date.parse(lastAt) + 6 * 60_000
    expect(stalledFor({ ...alice, state: "working", lastAt }, later)).toBe(360_000)
    expect(stalledFor({ ...alice, state: "working", lastAt }, later - 120_000)).toBeUndefined()
    expect(stalledFor({ ...alice, state: "idle", lastAt }, later)).toBeUndefined()
    expect(stalledFor({ ...alice, state: "working" }, later)).toBeUndefined()
  })
})

describe("following a team", () => {
  const after = (patch: Record<string, unknown>, from = team) =>
    followTeam("team").apply(from, happened("team", "team", "updated", patch))

  it("changes and adds members", () => {
    expect(after({ member: { name: "alice", state: "working" } })?.members[0]).toMatchObject({
      state: "working",
      color: "blue",
    })
    expect(after({ member: { name: "bob", state: "idle" } })?.members).toHaveLength(2)
  })

  it("takes for unknown what is not told of a new member", () => {
    expect(after({ member: { name: "bob" } })?.members[1]).toEqual({
      name: "bob",
      state: "unknown",
      lead: false,
      agentType: null,
      model: null,
      color: null,
      leftAt: null,
      lastLine: null,
      lastAt: null,
      costUsd: null,
      tokens: null,
      branch: null,
    })
  })

  it("keeps who left, as having left", () => {
    expect(after({ member: { name: "alice", leftAt: "9" } })?.members).toMatchObject([{ name: "alice", leftAt: "9" }])
  })

  it("adds a message once", () => {
    const patch = { message: message("2", "alice", "team-lead") }
    const once = after(patch)
    expect(once?.messages.map(({ id }) => id)).toEqual(["1", "2"])
    expect(once && after(patch, once)).toBe(once)
  })

  it("adds, replaces and removes tasks", () => {
    expect(after({ task: task("2") })?.tasks.map((each) => each.task.id)).toEqual(["1", "2"])
    expect(after({ task: task("1", "completed") })?.tasks).toEqual([task("1", "completed")])
    expect(after({ removedTaskId: "1" })?.tasks).toEqual([])
    expect(after({ removedTaskId: "9" })?.tasks).toEqual([task("1")])
  })

  it("notes that a team is gone, and that it is back", () => {
    const gone = after({ goneAt: "9" })
    expect(gone?.goneAt).toBe("9")
    expect(gone && after({ goneAt: null }, gone)?.goneAt).toBeNull()
  })

  it("takes over what a team is now called and led by, and keeps what was said in it", () => {
    expect(after({ goneAt: null, description: "Builds", ledByChorus: true })).toMatchObject({
      description: "Builds",
      ledByChorus: true,
      messages: team.messages,
      tasks: team.tasks,
    })
  })

  it("asks again when something is told that it does not know", () => {
    expect(after({ somethingNew: true })).toBeUndefined()
  })

  it("asks again when an order was given or delivered", () => {
    expect(followTeam("team").apply(team, happened("team_order", "o", "created", { teamUuid: "team" }))).toBeUndefined()
  })

  it("leaves alone what happens to other teams and to anything else", () => {
    const follow = followTeam("team")
    expect(follow.apply(team, happened("team", "other", "updated", { goneAt: "2" }))).toBe(team)
    expect(follow.apply(team, happened("team_order", "o", "created", { teamUuid: "other" }))).toBe(team)
    expect(follow.apply(team, happened("task", "team", "updated", { goneAt: "2" }))).toBe(team)
  })

  it("holds every message once, however often and in whatever order they are told", () => {
    const told = fc.array(fc.constantFrom("1", "2", "3", "4"), { maxLength: 20 })
    fc.assert(
      fc.property(told, (ids) => {
        const all = ids.reduce<Team>((now, id) => after({ message: message(id, "a", "b") }, now) ?? now, team)
        expect(all.messages.map(({ id }) => id).toSorted()).toEqual([...new Set(["1", ...ids])].toSorted())
      }),
    )
  })
})

describe("following all teams", () => {
  const page = { returned: 1, page: 1, pageSize: 200, total: 1 }
  const list = { ...page, teams: [{ ...team }] }
  const after = (uuid: string, patch: Record<string, unknown>, action: "created" | "updated" = "updated") =>
    followTeams.apply(list, happened("team", uuid, action, patch))

  it("puts a team that appears first", () => {
    expect(after("new", { ...team, uuid: "new", members: [] }, "created")?.teams.map(({ uuid }) => uuid)).toEqual([
      "new",
      "team",
    ])
  })

  it("marks one that is gone, and one that is back as there", () => {
    const gone = after("team", { goneAt: "2" })
    expect(gone?.teams[0]?.goneAt).toBe("2")
    expect(
      gone && followTeams.apply(gone, happened("team", "team", "updated", { goneAt: null }))?.teams[0]?.goneAt,
    ).toBeNull()
  })

  it("shows one that came back as it is now, in its place", () => {
    const back = followTeams.apply(
      {
        ...page,
        teams: [
          { ...team, uuid: "other" },
          { ...team, goneAt: "2" },
        ],
      },
      happened("team", "team", "created", { ...team, description: "Builds", members: [] }),
    )
    expect(
      back?.teams.map(({ uuid, goneAt, description, members }) => [uuid, goneAt, description, members.length]),
    ).toEqual([
      ["other", null, null, 1],
      ["team", null, "Builds", 0],
    ])
  })

  it("knows its members", () => {
    expect(
      after("team", { member: { name: "bob", state: "working" } })?.teams[0]?.members.map(({ name }) => name),
    ).toEqual(["alice", "bob"])
  })

  it("passes over what is said and done inside, and over teams it does not show", () => {
    expect(after("team", { message: message("2", "a", "b") })).toBe(list)
    expect(after("unknown", { goneAt: "2" })).toBe(list)
    expect(followTeams.apply(list, happened("task", "team", "updated", { goneAt: "2" }))).toBe(list)
  })
})

describe("what a message says", () => {
  it("is what a person wrote, as written", () => {
    expect(wordsOf(message("1", "a", "b", { text: '{"reason":"x"}', summary: "s" }))).toEqual({
      event: false,
      words: '{"reason":"x"}',
    })
  })

  it.each([
    ["its summary", { summary: "Done", text: "{}" }, "Done"],
    ["its subject before its reason", { text: '{"reason":"r","subject":"s"}' }, "s"],
    ["its reason", { text: '{"type":"shutdown_request","reason":"done"}' }, "done"],
    ["its plan", { text: '{"planContent":"# Plan"}' }, "# Plan"],
    ["nothing where no field tells anything", { text: '{"type":"x","count":3}' }, ""],
    ["nothing of a field that is no text", { text: '{"reason":{"deep":true}}' }, ""],
    ["the text where it is no object", { text: '"just words"' }, '"just words"'],
    ["the text where it is nothing at all", { text: "null" }, "null"],
    ["the text where it is broken", { text: "{broken" }, "{broken"],
  ])("between programs is %s", (_, changes, words) => {
    expect(wordsOf(message("1", "a", "b", { kind: "idle_notification", ...changes }))).toEqual({ event: true, words })
  })
})

describe("the messages of one member", () => {
  const all = [message("1", "lead", "alice"), message("2", "bob", "lead"), message("3", "alice", "bob")]

  it("are those from and to it", () => {
    expect(threadOf(all, "bob").map(({ id }) => id)).toEqual(["2", "3"])
    expect(threadOf(all, "nobody")).toEqual([])
  })

  it("are all while nobody is chosen", () => {
    expect(threadOf(all, undefined)).toBe(all)
  })
})

describe("how members look", () => {
  it("has a word and a colour for every state", () => {
    expect(Object.keys(MEMBER_LABEL)).toEqual(Object.keys(MEMBER_TONE))
  })

  it.each([
    ["blue", 5],
    ["red", 0],
    ["unheard-of", undefined],
    [null, undefined],
  ])("the colour %s is hue %s of the page", (color, hue) => {
    expect(hueOfMember({ color })).toBe(hue)
  })
})
