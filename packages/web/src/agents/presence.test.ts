import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { happened, present, stay } from "../../test/present.ts"
import { attentionRow, logEvent, waitingItem } from "../../test/rows.ts"
import type { Item } from "../attention/decide.ts"
import {
  type Doing,
  DOING_LABEL,
  DOING_TONE,
  doingOf,
  followPresence,
  isByKey,
  peopleOf,
  type Presence,
  sessionsInOrder,
  tasksInHand,
  waitingSince,
} from "./presence.ts"

const task = { uuid: "t1", shortId: "P-1", title: "T", projectUuid: "p", wasInSession: false }
const agent: Presence["agents"][number] = {
  uuid: "a1",
  name: "A",
  ownerUuid: null,
  lastActiveAt: null,
  sessions: [present("s1")],
  inProgress: [task],
}
const checkedIn = (entityUuid: string) =>
  logEvent({ kind: "agent.checked_in", entityType: "agent", entityUuid, patch: { lastActiveAt: "7" } })
const answer: Presence = {
  agents: [agent, { ...agent, uuid: "a2", name: "B", sessions: [], inProgress: [] }],
  position: 1,
}

describe("what a session does", () => {
  it.each<[Doing, string, Parameters<typeof present>[1]]>([
    ["needsInput", "asks while it works", { state: "needsInput", working: [stay("s")] }],
    ["needsInput", "asked and fell silent", { state: "needsInput", status: "inactive" }],
    ["working", "is at a task", { working: [stay("s")] }],
    ["working", "runs", { state: "running" }],
    ["working", "is at a task, and what it does is unknown", { state: "unknown", working: [stay("s")] }],
    ["working", "is a sub-agent without a task", { parentUuid: "lead", spawn: "foreground" }],
    ["resting", "is a member of a team between turns", { parentUuid: "lead", spawn: "teammate" }],
    ["resting", "idles at a task", { state: "idle", working: [stay("s")] }],
    ["resting", "is there and no more", {}],
    ["finished", "has finished", { state: "finished" }],
    ["finished", "has finished at its task", { state: "finished", working: [stay("s")] }],
    ["silent", "said nothing for long, at its task", { status: "inactive", working: [stay("s")] }],
    ["silent", "said nothing for long while it ran", { status: "inactive", state: "running" }],
  ])("is %s when it %s", (doing, _, changes) => {
    expect(doingOf(present("s", changes))).toBe(doing)
  })

  it("has a name and a colour for each", () => {
    expect(Object.keys(DOING_LABEL)).toEqual(Object.keys(DOING_TONE))
    expect(new Set(Object.values(DOING_LABEL)).size).toBe(5)
  })
})

describe("sessions in order", () => {
  const orderOf = (...sessions: readonly ReturnType<typeof present>[]) =>
    sessionsInOrder(sessions).map(({ uuid }) => uuid)

  it("puts those who need somebody first, then those at work, the silent last", () => {
    const order = orderOf(
      present("silent", { status: "inactive" }),
      present("done", { state: "finished" }),
      present("rests"),
      present("works", { working: [stay("works")] }),
      present("asks", { state: "needsInput" }),
    )
    expect(order).toEqual(["asks", "works", "rests", "done", "silent"])
  })

  it("goes by when they came among equals, and by nothing that changes with every sign of life", () => {
    expect(
      orderOf(
        present("b", { createdAt: "2", lastActiveAt: "9" }),
        present("a", { createdAt: "1", lastActiveAt: "1" }),
        present("c", { createdAt: "2", lastActiveAt: "10" }),
      ),
    ).toEqual(["a", "b", "c"])
  })

  it("is the same whatever order they are told in", () => {
    const people = ["a", "b", "c", "d"].map((uuid, at) =>
      present(uuid, { createdAt: String(at % 2), state: at > 2 ? "running" : null }),
    )
    fc.assert(
      fc.property(
        fc.shuffledSubarray(people, { minLength: 4 }),
        (shuffled) => orderOf(...shuffled).join("") === "dacb",
      ),
    )
  })
})

describe("following who is there", () => {
  const sessionsAfter = (...events: readonly ReturnType<typeof happened>[]) =>
    events.reduce<Presence | undefined>((now, event) => now && followPresence.apply(now, event), answer)?.agents[0]
      ?.sessions

  it("seats who comes and lets go who leaves", () => {
    expect(sessionsAfter(happened("session", "s2", "created", { ...present("s2") }))?.map(({ uuid }) => uuid)).toEqual([
      "s2",
      "s1",
    ])
    expect(sessionsAfter(happened("session", "s1", "updated", { status: "closed" }))).toEqual([])
  })

  it("seats a newcomer at no task", () => {
    expect(sessionsAfter(happened("session", "s2", "created", { ...present("s2") }))?.[0]?.working).toEqual([])
  })

  it("hears nothing of who left before it looked", () => {
    expect(followPresence.apply(answer, happened("session", "s9", "updated", { status: "closed" }))).toBe(answer)
    expect(followPresence.apply(answer, happened("session", "s9", "updated", { lastActiveAt: "5" }))).toBe(answer)
  })

  it("asks again when somebody it does not know wakes up", () => {
    expect(followPresence.apply(answer, happened("session", "s9", "updated", { status: "active" }))).toBeUndefined()
  })

  it("notes what a session says of itself, and leaves the others alone", () => {
    const after = sessionsAfter(
      happened("session", "s2", "created", { ...present("s2") }),
      happened("session", "s1", "updated", { lastWords: "Nearly there", state: "running" }),
    )
    expect(after?.map(({ lastWords, state }) => [lastWords, state])).toEqual([
      [null, null],
      ["Nearly there", "running"],
    ])
  })

  it("ends silence with a sign of life, also where only its time is told", () => {
    const silent = happened("session", "s1", "updated", { status: "inactive" })
    expect(sessionsAfter(silent)?.[0]?.status).toBe("inactive")
    expect(sessionsAfter(silent, happened("session", "s1", "updated", { lastActiveAt: "5" }))?.[0]).toMatchObject({
      status: "active",
      lastActiveAt: "5",
    })
    expect(
      sessionsAfter(happened("session", "s1", "updated", { lastActiveAt: "5", status: "inactive" }))?.[0]?.status,
    ).toBe("inactive")
  })

  it("notes check-in and check-out, and a check-in told twice once", () => {
    const arrival = happened("checkin", "stay-s1", "created", { ...stay("s1") })
    expect(sessionsAfter(arrival, arrival)?.[0]?.working).toHaveLength(1)
    expect(
      sessionsAfter(arrival, happened("checkin", "stay-s1", "updated", { ...stay("s1", "2") }))?.[0]?.working,
    ).toEqual([])
  })

  it("asks again about whom it does not know", () => {
    expect(followPresence.apply(answer, happened("checkin", "x", "created", { ...stay("unknown") }))).toBeUndefined()
    expect(followPresence.apply(answer, happened("checkin", "x", "updated", { ...stay("unknown", "2") }))).toBe(answer)
    expect(
      followPresence.apply(answer, happened("session", "s9", "created", { ...present("s9"), agentUuid: "a9" })),
    ).toBeUndefined()
  })
})

describe("following what is in hand", () => {
  it.each(["to_verify", "open", "done", "cancelled"])("drops a task that is %s now", (status) => {
    expect(followPresence.apply(answer, happened("task", "t1", "updated", { status }))?.agents[0]?.inProgress).toEqual(
      [],
    )
  })

  it("drops a task that was deleted", () => {
    expect(followPresence.apply(answer, happened("task", "t1", "deleted", {}))?.agents[0]?.inProgress).toEqual([])
  })

  it("asks for the title of a task that was just taken up, and not for one it has", () => {
    expect(followPresence.apply(answer, happened("task", "t9", "updated", { status: "in_progress" }))).toBeUndefined()
    expect(followPresence.apply(answer, happened("task", "t1", "updated", { status: "in_progress" }))).toBe(answer)
  })

  it("stays out of what does not concern it", () => {
    expect(followPresence.apply(answer, happened("task", "t9", "updated", { title: "x" }))).toBe(answer)
    expect(followPresence.apply(answer, happened("task", "t9", "updated", { status: "done" }))).toBe(answer)
    expect(followPresence.apply(answer, happened("document", "d", "created", {}))).toBe(answer)
  })

  it("names what sessions work on, whoever holds it", () => {
    expect([...tasksInHand(answer.agents)]).toEqual([["t1", task]])
  })
})

describe("following agents", () => {
  it("notes a sign of life without asking again", () => {
    expect(followPresence.apply(answer, checkedIn("a1"))?.agents.map(({ lastActiveAt }) => lastActiveAt)).toEqual([
      "7",
      null,
    ])
    expect(followPresence.apply(answer, checkedIn("a9"))).toBe(answer)
  })

  it.each([
    ["made", "a9", "created" as const, { name: "C" }],
    ["renamed", "a1", "updated" as const, { name: "Z" }],
    ["archived", "a1", "updated" as const, { archivedAt: "7", lastActiveAt: "7" }],
  ])("asks again when one is %s", (_, uuid, action, patch) => {
    expect(followPresence.apply(answer, happened("agent", uuid, action, patch))).toBeUndefined()
  })
})

describe("who is there at a moment", () => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString()
  const seen = (minutes: number, sessions = [present("s1", { lastActiveAt: at(0), working: [stay("s1")] })]) =>
    peopleOf({ ...agent, lastActiveAt: at(0), sessions, inProgress: [] }, minutes * 60_000).map((one) => doingOf(one))

  it("is silent six minutes after the last sign, however busy it was, without any event", () => {
    expect([seen(6), seen(7)]).toEqual([["working"], ["silent"]])
  })

  it("is an agent without a session while it holds work, heard from by its key, and ages like all others", () => {
    const holder = { ...agent, lastActiveAt: at(0), sessions: [], inProgress: [task] }
    const [now] = peopleOf(holder, 60_000)
    expect(now).toMatchObject({ name: "A", lastActiveAt: at(0), working: [{ taskUuid: "t1" }] })
    expect(now && [isByKey(now), doingOf(now)]).toEqual([true, "working"])
    expect(peopleOf(holder, 7 * 60_000).map((one) => doingOf(one))).toEqual(["silent"])
    expect(peopleOf({ ...holder, lastActiveAt: null }, 60_000)).toMatchObject([{ status: "active" }])
  })

  it("is nobody where a session was at the work and has ended: an agent that died does not go on by its key", () => {
    const held = { ...agent, lastActiveAt: at(0), sessions: [], inProgress: [{ ...task, wasInSession: true }] }
    expect(peopleOf(held, 60_000)).toEqual([])
  })

  it("is nobody besides the sessions where one of them may be at the work, or there is none", () => {
    expect(peopleOf({ ...agent, sessions: [present("s1")], inProgress: [task] }, 0)).toHaveLength(1)
    expect(peopleOf({ ...agent, sessions: [], inProgress: [] }, 0)).toEqual([])
  })
})

describe("who waits for a person", () => {
  const since = "2026-01-01T00:00:00.000Z"
  const now = Date.parse(since)
  const asking = { ...agent, lastActiveAt: since, inProgress: [] }
  const doing = (sessions: readonly ReturnType<typeof present>[], ...who: string[]) =>
    peopleOf({ ...asking, sessions: [...sessions] }, now, new Map(who.map((uuid) => [uuid, since]))).map(
      (session) => `${session.uuid} ${doingOf(session)}`,
    )
  const there = { lastActiveAt: since }

  it("is the session that asked, also at its work; the others go on", () => {
    const both = [present("s1", { ...there, working: [stay("s1")] }), present("s2", there)]
    expect(doing(both, "s1")).toEqual(["s1 needsInput", "s2 resting"])
  })

  it("is the one session at rest of an agent that named none, and never one at work", () => {
    const lead = present("s1", { ...there, state: "idle" })
    const member = present("s2", { ...there, parentUuid: "s1", spawn: "teammate" })
    expect(doing([lead, member], "a1")).toEqual(["s1 needsInput", "s2 resting"])
    expect(doing([present("s1", { ...there, state: "running" })], "a1")).toEqual(["s1 working"])
  })

  it("is the agent itself where several may have asked, or where it has no session and is heard from", () => {
    expect(doing([present("s1", there), present("s2", there)], "a1")).toEqual([
      "s1 resting",
      "s2 resting",
      "a1 needsInput",
    ])
    expect(doing([], "a1")).toEqual(["a1 needsInput"])
    expect(peopleOf({ ...asking, sessions: [] }, now + 7 * 60_000, new Map([["a1", since]]))).toEqual([])
  })

  it("waits since the oldest of what it asked; for work that is looked at, or that stands still, nobody waits", () => {
    const from = { type: "agent" as const, uuid: "a1", name: "A" }
    const ask = (changes: Partial<Item>) => waitingItem({ kind: "proposal", from, ...changes })
    const notice = attentionRow({ notice: "ended" })
    expect(waitingSince([ask({ kind: "task" }), ask({ kind: "attention", attention: notice })])).toEqual(new Map())
    const named = ask({ kind: "attention", attention: attentionRow({ sessionUuid: "s1" }), since: "3" })
    expect(waitingSince([ask({ since: "1" }), ask({ since: "2" }), named])).toEqual(
      new Map([
        ["a1", "1"],
        ["s1", "3"],
      ]),
    )
  })
})
