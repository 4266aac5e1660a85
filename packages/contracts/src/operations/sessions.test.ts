import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { AT, checkinRow, PAGE, PAGED, sessionRow } from "../../test/examples.ts"
import { flag, line, oneOf, optional, OTHER, paging, prose, TASK, uuid } from "../../test/field-rule.ts"
import {
  CheckinRow,
  checkIn,
  checkOut,
  closeSession,
  createSession,
  getSession,
  heartbeat,
  listSessions,
  reopenSession,
  SessionRow,
  SessionStatus,
} from "./sessions.ts"

const SESSION = OTHER
const stay = { taskUuid: TASK, checkinAt: AT, checkoutAt: null }
const NULLS_OF_A_ROW = [
  "description",
  "source",
  "externalId",
  "machine",
  "parentUuid",
  "agentType",
  "spawn",
  "spawnedByUuid",
  "claimedTaskUuid",
  "supersededByUuid",
  "state",
  "stateSince",
  "stateDetail",
  "lastWords",
  "closedAt",
]

describe("the words for a session", () => {
  it("are three statuses; inactive is one that was silent too long", () =>
    expect(SessionStatus.options).toEqual(["active", "inactive", "closed"]))
})

describeInput(listSessions, {
  smallest: {},
  becomes: PAGE,
  fields: { status: optional(oneOf("active", "inactive", "closed")), ...paging },
})

describe.each([getSession, closeSession, reopenSession, heartbeat])("an operation on one session", (signature) => {
  describeInput(signature, { smallest: { sessionUuid: SESSION }, fields: { sessionUuid: uuid } })
})

describeInput(createSession, {
  smallest: { name: "saw" },
  fields: {
    name: line(120),
    description: optional(prose(4000)),
    reuse: optional(flag),
    source: optional(line(40)),
    externalId: optional(line(200)),
    machine: optional(line(120)),
    parentSessionUuid: optional(uuid),
  },
})

describe.each([checkIn, checkOut])("a session and a task", (signature) => {
  describeInput(signature, {
    smallest: { sessionUuid: SESSION, taskUuid: TASK },
    fields: { sessionUuid: uuid, taskUuid: uuid },
  })
})

describe("a session's own doings", () => {
  it("need no permission but to be known; checking in looks at a task", () => {
    const needs = [createSession, closeSession, reopenSession, heartbeat, checkOut, checkIn].map(
      (signature) => signature.needs,
    )
    expect(needs).toEqual(["anyone", "anyone", "anyone", "anyone", "anyone", "task:read"])
  })
})

describeAnswer("SessionRow", SessionRow, sessionRow, { mayBeNull: NULLS_OF_A_ROW })

describeAnswer("CheckinRow", CheckinRow, checkinRow, { mayBeNull: ["checkoutAt", "checkoutReason"] })

describeAnswer("of chorus_list_sessions", listSessions.output, { sessions: [sessionRow], ...PAGED })

describeAnswer(
  "of chorus_get_session",
  getSession.output,
  { ...sessionRow, checkins: [stay], activeCheckins: [stay], sessionTaskCheckins: [] },
  { mayBeNull: NULLS_OF_A_ROW },
)

describe("the answer of chorus_create_session", () => {
  it.each(["created", "reused", "reopened"])("says when the session was %s", (action) => {
    expect(createSession.output.parse({ ...sessionRow, action })).toEqual({ ...sessionRow, action })
  })

  it("says nothing else", () =>
    expect(createSession.output.safeParse({ ...sessionRow, action: "found" }).success).toBe(false))
})

describeAnswer(
  "of chorus_session_checkin_task",
  checkIn.output,
  { ...checkinRow, checkedInAt: AT, claimed: true },
  { mayBeNull: ["checkoutAt", "checkoutReason"] },
)

describeAnswer(
  "of chorus_session_checkout_task",
  checkOut.output,
  { sessionUuid: SESSION, taskUuid: TASK, checkedOut: true, checkoutAt: AT },
  { mayBeNull: ["checkoutAt"] },
)

describeAnswer("of chorus_session_heartbeat", heartbeat.output, { uuid: SESSION, status: "active", lastActiveAt: AT })
