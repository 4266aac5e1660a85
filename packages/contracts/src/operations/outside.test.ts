import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { AT, builder, PAGE, PAGED, taskRow } from "../../test/examples.ts"
import {
  chars,
  type FieldRule,
  flag,
  line,
  number,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  TASK,
  uuid,
  whole,
  wholeOrText,
} from "../../test/field-rule.ts"
import { getFlow, getSessionTimeline } from "./insights.ts"
import { getPush, notePageInView, PushSubscriptionRow, subscribePush, unsubscribePush } from "./push.ts"
import { getUsage, reportUsage } from "./usage.ts"
import {
  createWebhook,
  deleteWebhook,
  DeliveryRow,
  listWebhookDeliveries,
  listWebhooks,
  redeliverWebhook,
  updateWebhook,
  WebhookRow,
} from "./webhooks.ts"

const WEBHOOK = OTHER
const url: FieldRule = {
  says: "is an http or https address without a name or password",
  takes: ["https://example.org/hook", "http://localhost:9000"],
  refuses: [
    "",
    "example.org",
    "ftp://example.org",
    "file:///etc/passwd",
    "https://ada:pw@example.org",
    "https://ada@example.org",
    `https://example.org/${chars(2000)}`,
    7,
    null,
  ],
}
const oneKind: FieldRule = {
  says: "is a kind of event, exactly or by its noun",
  takes: ["*", "task.*", "task.verified", "task.criteria_checked"],
  refuses: [
    "",
    "task",
    "*.verified",
    "task.**",
    "Task.verified",
    "task.verified ",
    "task verified",
    `task.${chars(80)}`,
    7,
    null,
  ],
}
const kinds: FieldRule = {
  says: "is a list of 1 to 50 kinds of events",
  takes: [...oneKind.takes.map((kind) => [kind]), Array.from({ length: 50 }, () => "*")],
  refuses: [[], Array.from({ length: 51 }, () => "*"), "*", null, ...oneKind.refuses.map((kind) => [kind])],
}

describeInput(createWebhook, {
  smallest: { url: "https://example.org/hook" },
  becomes: { url: "https://example.org/hook", kinds: ["*"], allowPrivate: false },
  fields: { url, kinds: optional(kinds), projectUuid: optional(uuid), allowPrivate: optional(flag) },
})

describeInput(updateWebhook, {
  smallest: { webhookUuid: WEBHOOK },
  becomes: { webhookUuid: WEBHOOK, renewSecret: false },
  fields: {
    webhookUuid: uuid,
    url: optional(url),
    kinds: optional(kinds),
    active: optional(flag),
    allowPrivate: optional(flag),
    renewSecret: optional(flag),
  },
})

describeInput(deleteWebhook, { smallest: { webhookUuid: WEBHOOK }, fields: { webhookUuid: uuid } })

describeInput(listWebhooks, { smallest: {}, becomes: PAGE, fields: paging })

describeInput(listWebhookDeliveries, {
  smallest: { webhookUuid: WEBHOOK },
  becomes: { webhookUuid: WEBHOOK, ...PAGE },
  fields: { webhookUuid: uuid, status: optional(oneOf("pending", "delivered", "failed")), ...paging },
})

describeInput(redeliverWebhook, {
  smallest: { webhookUuid: WEBHOOK, deliveryUuid: TASK },
  fields: { webhookUuid: uuid, deliveryUuid: uuid },
})

describe("a webhook", () => {
  it("is the business of those who run the workspace", () => {
    expect(
      new Set(
        [createWebhook, updateWebhook, deleteWebhook, listWebhooks, listWebhookDeliveries, redeliverWebhook].map(
          ({ needs }) => needs,
        ),
      ),
    ).toEqual(new Set(["steward"]))
  })

  it("with a password in its address is refused in words", () => {
    expect(faults(createWebhook.input, { url: "https://ada:pw@example.org" })).toEqual([
      "url: must not hold a name or password",
    ])
  })

  it("tells its secret when it is made or renewed, and in no list", () => {
    const row = {
      uuid: WEBHOOK,
      projectUuid: null,
      url: "https://example.org",
      kinds: ["*"],
      active: true,
      allowPrivate: false,
      createdAt: AT,
      updatedAt: AT,
    }
    expect(createWebhook.output.safeParse(row).success).toBe(false)
    expect(updateWebhook.output.parse({ ...row, secret: "s" })).toEqual({ ...row, secret: "s" })
    expect(listWebhooks.output.parse({ webhooks: [{ ...row, secret: "s" }], ...PAGED }).webhooks).toEqual([row])
  })
})

describeAnswer(
  "WebhookRow",
  WebhookRow,
  {
    uuid: WEBHOOK,
    projectUuid: PROJECT,
    url: "https://example.org",
    kinds: ["task.*"],
    active: true,
    allowPrivate: false,
    createdAt: AT,
    updatedAt: AT,
  },
  {
    mayBeNull: ["projectUuid"],
  },
)

describeAnswer(
  "DeliveryRow",
  DeliveryRow,
  {
    uuid: OTHER,
    webhookUuid: WEBHOOK,
    eventId: 17,
    status: "failed",
    attempts: 3,
    nextAttemptAt: AT,
    responseStatus: 500,
    error: "Internal Server Error",
    createdAt: AT,
    deliveredAt: AT,
  },
  { mayBeNull: ["nextAttemptAt", "responseStatus", "error", "deliveredAt"] },
)

const base64url = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64url")
const bytesOf = (count: number): FieldRule => ({
  says: `is ${count} bytes in base64url`,
  takes: [base64url(count), Buffer.alloc(count, 7).toString("base64").replaceAll("+", "-").replaceAll("/", "_")],
  refuses: ["", base64url(count - 1), base64url(count + 1), `${base64url(count)}!`, 7, null],
})
const endpoint: FieldRule = {
  says: "is an https address",
  takes: ["https://push.example.org/abc"],
  refuses: ["", "http://push.example.org", "push.example.org", `https://example.org/${chars(2000)}`, 7, null],
}

describeInput(subscribePush, {
  smallest: { endpoint: "https://push.example.org/abc", keys: { p256dh: base64url(65), auth: base64url(16) } },
  fields: {
    endpoint,
    keys: { says: "holds both keys", takes: [], refuses: [{}, "text", null] },
    "keys.p256dh": bytesOf(65),
    "keys.auth": bytesOf(16),
    browser: optional(line(80)),
  },
})

describeInput(unsubscribePush, { smallest: { endpoint: "https://push.example.org/abc" }, fields: { endpoint } })

describe.each([getPush, notePageInView])("a browser's call for nothing in particular", (signature) => {
  describeInput(signature, { smallest: {}, fields: {} })
})

describeAnswer(
  "PushSubscriptionRow",
  PushSubscriptionRow,
  { uuid: OTHER, browser: "Firefox", createdAt: AT, lastSentAt: AT },
  { mayBeNull: ["browser", "lastSentAt"] },
)

describe("what is told about a browser that is called", () => {
  it("holds no way to reach it", () => {
    const row = { uuid: OTHER, browser: null, createdAt: AT, lastSentAt: null }
    expect(PushSubscriptionRow.parse({ ...row, endpoint: "https://push.example.org/abc", auth: "x" })).toEqual(row)
  })
})

const tokens = whole(0, 1_000_000_000_000)

describeInput(reportUsage, {
  smallest: {},
  becomes: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, source: "tool" },
  fields: {
    key: optional(line(200)),
    of: optional(line(180)),
    sessionUuid: optional(uuid),
    taskUuid: optional(uuid),
    model: optional(line(120)),
    inputTokens: optional(tokens),
    outputTokens: optional(tokens),
    cacheReadTokens: optional(tokens),
    cacheCreationTokens: optional(tokens),
    costUsd: optional(number(0, 1_000_000)),
    source: optional(line(40)),
  },
})

const moment: FieldRule = {
  says: "is a moment in UTC",
  takes: ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.123Z"],
  refuses: ["", "2026-03-01", "yesterday", "2026-13-01T10:00:00Z", "2026-02-30T10:00:00Z", 0, null],
}

describeInput(getUsage, {
  smallest: {},
  becomes: { by: "task" },
  fields: {
    by: optional(oneOf("run", "task", "proposal", "idea", "project", "agent", "model")),
    projectUuid: optional(uuid),
    ideaUuid: optional(uuid),
    proposalUuid: optional(uuid),
    taskUuid: optional(uuid),
    runUuid: optional(uuid),
    agentUuid: optional(uuid),
    since: optional(moment),
  },
})

const totals = {
  inputTokens: 10,
  outputTokens: 2,
  cacheReadTokens: 5,
  cacheCreationTokens: 1,
  totalTokens: 18,
  costUsd: 0.25,
}

describeAnswer("of chorus_get_usage", getUsage.output, {
  total: totals,
  rows: [{ ...totals, key: null, name: "without a task" }],
})

describeAnswer(
  "of chorus_report_usage",
  reportUsage.output,
  { recorded: true, taskUuid: TASK },
  { mayBeNull: ["taskUuid"] },
)

describeInput(getFlow, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, days: 30, offsetMinutes: 0 },
  fields: { projectUuid: uuid, days: optional(wholeOrText(1, 366)), offsetMinutes: optional(wholeOrText(-840, 840)) },
})

describeInput(getSessionTimeline, {
  smallest: { projectUuid: PROJECT },
  fields: { projectUuid: uuid, since: optional(moment), until: optional(moment) },
})

const counts = { open: 1, assigned: 0, in_progress: 2, to_verify: 0, done: 3, closed: 0 }

describeAnswer("of chorus_get_flow", getFlow.output, {
  throughput: [{ day: "2026-03-01", tasks: 1, points: 2.5 }],
  cycleTime: { count: 1, medianHours: 2, p85Hours: null, longestHours: 2 },
  cumulativeFlow: [{ day: "2026-03-01", counts }],
  burnUp: [{ day: "2026-03-01", scope: 6, done: 3, scopePoints: 10, donePoints: 4.5 }],
})

describe("a day of the flow", () => {
  it("counts every status, also one in which nothing stands", () => {
    const { closed: _, ...incomplete } = counts
    expect(getFlow.output.shape.cumulativeFlow.safeParse([{ day: "2026-03-01", counts: incomplete }]).success).toBe(
      false,
    )
  })

  it("is written as year, month and day", () => {
    expect(getFlow.output.shape.throughput.safeParse([{ day: "1 March", tasks: 1, points: 0 }]).success).toBe(false)
  })
})

describeAnswer("of chorus_get_session_timeline", getSessionTimeline.output, {
  since: AT,
  until: AT,
  lanes: [
    {
      sessionUuid: OTHER,
      sessionName: "saw",
      agent: builder,
      stays: [{ taskUuid: TASK, taskTitle: taskRow.title, from: AT, to: null, hours: 1.5 }],
      hours: 1.5,
    },
  ],
})
