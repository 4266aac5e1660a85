import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { AT, attentionRow, builder, PAGE, PAGED } from "../../test/examples.ts"
import {
  chars,
  filled,
  flag,
  free,
  line,
  list,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  answerAttention,
  AttentionAnswer,
  attentionDelivered,
  AttentionKind,
  AttentionRow,
  createAttention,
  getAttention,
  listAttentions,
  needsYou,
  relayAnswer,
  WaitingItem,
  withdrawAttention,
} from "./attentions.ts"

const KINDS = ["permission", "input", "plan", "shutdown"]

describe("the kinds of what waits for a person", () => {
  it("are these four, and a change, which has an operation of its own", () =>
    expect(AttentionKind.options).toEqual([...KINDS, "change"]))
})

describeInput(createAttention, {
  smallest: { title: "Which colour?" },
  becomes: { title: "Which colour?", kind: "input" },
  fields: {
    title: line(300),
    text: optional(prose(20_000)),
    kind: optional(oneOf(...KINDS)),
    options: optional(list(line(200), 0, 10)),
    taskUuid: optional(uuid),
    projectUuid: optional(uuid),
    sessionUuid: optional(uuid),
    detail: optional({ ...free, refuses: [...free.refuses, { [chars(101)]: 1 }] }),
    answerable: optional(flag),
    expiresInMinutes: optional(whole(1, 10_080)),
  },
})

describe.each([getAttention, withdrawAttention, attentionDelivered])("an operation on one question", (signature) => {
  describeInput(signature, { smallest: { attentionUuid: OTHER }, fields: { attentionUuid: uuid } })
})

describeInput(answerAttention, {
  smallest: { attentionUuid: OTHER, answer: { decision: "approve", text: "Go on." } },
  fields: {
    attentionUuid: uuid,
    answer: {
      says: "holds a decision or a text",
      takes: [{ decision: "deny" }, { text: "Red." }, { text: "Red.", data: { colour: 1 } }],
      refuses: [{}, { text: "  " }, { data: { colour: 1 } }, "yes", null],
    },
    "answer.decision": optional(oneOf("approve", "deny")),
    "answer.text": optional(prose(20_000)),
    "answer.data": optional(free),
  },
})

describeInput(relayAnswer, {
  smallest: { attentionUuid: OTHER, text: "Red." },
  fields: { attentionUuid: uuid, text: filled(prose(20_000)) },
})

describe("an answer to an agent", () => {
  it("that says nothing is refused in words", () => {
    expect(faults(answerAttention.input, { attentionUuid: OTHER, answer: {} })).toEqual([
      "answer: must hold a decision or a text",
    ])
  })

  it("is given by a person, and is no agent's tool", () =>
    expect([answerAttention.needs, answerAttention.tool]).toEqual(["person", "none"]))

  it("keeps the further fields that the asking program understands", () => {
    const answer = { decision: "approve", data: { updatedInput: { command: "ls" } } }
    expect(AttentionAnswer.parse(answer)).toEqual(answer)
  })
})

describeInput(listAttentions, {
  smallest: {},
  becomes: { open: true, ...PAGE },
  fields: { projectUuid: optional(uuid), taskUuid: optional(uuid), open: optional(flag), ...paging },
})

describeInput(needsYou, { smallest: {}, fields: { projectUuid: optional(uuid) } })

describeAnswer("AttentionRow", AttentionRow, attentionRow, {
  mayBeNull: [
    "projectUuid",
    "agent",
    "sessionUuid",
    "taskUuid",
    "notice",
    "answer",
    "answeredBy",
    "expiresAt",
    "answeredAt",
    "deliveredAt",
  ],
})

describe("the state of a question", () => {
  it.each(["open", "answered", "delivered", "withdrawn", "expired"])("may be %s", (state) => {
    expect(AttentionRow.safeParse({ ...attentionRow, state }).success).toBe(true)
  })

  it("is no other", () => expect(AttentionRow.safeParse({ ...attentionRow, state: "closed" }).success).toBe(false))
})

describeAnswer(
  "WaitingItem",
  WaitingItem,
  {
    kind: "elaboration",
    uuid: OTHER,
    title: "Which wood?",
    shortId: "HOUSE-2",
    session: { name: "house", machine: "desk" },
    projectUuid: PROJECT,
    projectName: "House",
    from: builder,
    since: AT,
    ideaUuid: OTHER,
    task: { uuid: OTHER, shortId: "HOUSE-1", title: "A door" },
    dueOn: "2026-02-01",
    attention: attentionRow,
  },
  { mayBeNull: ["shortId", "session", "projectUuid", "projectName", "from", "ideaUuid", "task", "dueOn", "attention"] },
)

describeAnswer("of chorus_list_attentions", listAttentions.output, { attentions: [attentionRow], ...PAGED })

describeAnswer("of chorus_needs_you", needsYou.output, {
  items: [],
  counts: { elaboration: 1, proposal: 0, task: 2, attention: 0, delivery: 0 },
  total: 3,
})
