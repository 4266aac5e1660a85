import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, PAGE, PAGED } from "../../test/examples.ts"
import {
  filled,
  flag,
  line,
  list,
  oneOf,
  optional,
  OTHER,
  page,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
  wholeOrText,
} from "../../test/field-rule.ts"
import { addComment, CommentRow, deleteComment, editComment, getComments } from "./comments.ts"
import {
  archiveNotification,
  getNotificationPreferences,
  getNotifications,
  markNotificationRead,
  NotificationAction,
  NotificationRow,
  updateNotificationPreferences,
} from "./notifications.ts"
import { search, SearchKind, searchMentionables, SearchResult } from "./search.ts"

const TARGETS = ["idea", "proposal", "task", "document"]
const KINDS = ["task", "idea", "proposal", "document", "project", "project_group"]
const onTask = { targetType: "task" as const, targetUuid: TASK }

const commentRow: CommentRow = {
  uuid: OTHER,
  projectUuid: PROJECT,
  ...onTask,
  parentUuid: OTHER,
  content: "Nice door.",
  author: ada,
  authorType: "user",
  authorUuid: OTHER,
  createdAt: AT,
  editedAt: AT,
  deletedAt: AT,
}

const notificationRow: NotificationRow = {
  uuid: OTHER,
  projectUuid: PROJECT,
  projectName: "House",
  recipientType: "user",
  recipientUuid: OTHER,
  entityType: "task",
  entityUuid: TASK,
  entityTitle: "Fit the door",
  action: "task_assigned",
  message: 'Ada assigned "Fit the door" to you.',
  instructionText: "Begin with chorus_start_task.",
  actorType: "user",
  actorUuid: OTHER,
  actorName: "Ada",
  readAt: AT,
  archivedAt: AT,
  createdAt: AT,
}

describeInput(addComment, {
  smallest: { ...onTask, content: "Nice door." },
  fields: {
    targetType: oneOf(...TARGETS),
    targetUuid: uuid,
    content: filled(prose(50_000)),
    parentUuid: optional(uuid),
  },
})

describeInput(getComments, {
  smallest: onTask,
  becomes: { ...onTask, ...PAGE },
  fields: { targetType: oneOf(...TARGETS), targetUuid: uuid, ...paging },
})

describeInput(editComment, {
  smallest: { commentUuid: OTHER, content: "Nicer." },
  fields: { commentUuid: uuid, content: filled(prose(50_000)) },
})

describeInput(deleteComment, { smallest: { commentUuid: OTHER }, fields: { commentUuid: uuid } })

describe("a comment", () => {
  it("that is blank is refused in words", () => {
    expect(faults(editComment.input, { commentUuid: OTHER, content: "\n" })).toEqual(["content: must not be blank"])
  })

  it("keeps its mentions to the letter", () => {
    const content = `Thanks @[Ada](user:${OTHER})!`
    expect(addComment.input.parse({ ...onTask, content }).content).toBe(content)
  })
})

describeInput(getNotifications, {
  smallest: {},
  becomes: { status: "unread", limit: 20, offset: 0, autoMarkRead: true },
  fields: {
    status: optional(oneOf("unread", "read", "all")),
    limit: page,
    offset: optional(wholeOrText(0, 1_000_000)),
    afterNotificationUuid: optional(uuid),
    autoMarkRead: optional(flag),
  },
})

describeInput(markNotificationRead, {
  smallest: { notificationUuid: OTHER, all: true },
  fields: { notificationUuid: optional(uuid), all: optional(flag) },
})

describe("marking as read", () => {
  it("asks which, or for all, in words", () => {
    expect(faults(markNotificationRead.input, {})).toEqual([": give notificationUuid, or all: true"])
    expect(faults(markNotificationRead.input, { all: false })).toHaveLength(1)
  })

  it("takes one alone, and all alone", () => {
    expect(markNotificationRead.input.parse({ notificationUuid: OTHER })).toEqual({
      notificationUuid: OTHER,
      all: false,
    })
    expect(markNotificationRead.input.parse({ all: true })).toEqual({ all: true })
  })
})

describeInput(archiveNotification, { smallest: { notificationUuid: OTHER }, fields: { notificationUuid: uuid } })

describeInput(getNotificationPreferences, { smallest: {}, fields: {} })

const WISHES = {
  says: "names actions and whether they are wanted",
  takes: [{ mentioned: false }, { task_assigned: true, mentioned: true }],
  refuses: [{ mentioned: "no" }, { no_such_action: true }, "all", null],
}

describeInput(updateNotificationPreferences, {
  smallest: {},
  fields: {
    preferences: optional(WISHES),
    push: optional(WISHES),
    digest: optional(oneOf("off", "hourly", "daily")),
  },
})

describe("the preferences of notifications", () => {
  it("are told for every action there is", () => {
    const all = Object.fromEntries(NotificationAction.options.map((action) => [action, true]))
    const push = { ...all, terminal_finished: true }
    const isTold = (wishes: object) =>
      getNotificationPreferences.output.safeParse({ preferences: all, push, digest: "off", ...wishes }).success
    expect(isTold({})).toBe(true)
    expect(isTold({ preferences: { ...all, mentioned: undefined } })).toBe(false)
    expect(isTold({ push: all })).toBe(false)
  })
})

describeInput(search, {
  smallest: { query: "door", scopeUuid: OTHER },
  becomes: { query: "door", scope: "global", scopeUuid: OTHER, page: 1, pageSize: 50 },
  fields: {
    query: line(400),
    scope: optional(oneOf("global", "group", "project")),
    scopeUuid: optional(uuid),
    entityTypes: optional(list(oneOf(...KINDS), 0, 6)),
    label: optional(line(40)),
    ...paging,
  },
})

describe("a search inside a group or a project", () => {
  it.each(["group", "project"])("must name the %s", (scope) => {
    expect(faults(search.input, { query: "door", scope })).toEqual([
      "scopeUuid: must name the group or project of this scope",
    ])
  })

  it("looks for these kinds", () => expect(SearchKind.options).toEqual(KINDS))
})

describeInput(searchMentionables, {
  smallest: { query: "" },
  becomes: { query: "", limit: 10 },
  fields: { query: prose(200), limit: page },
})

describe("how many mentionables are looked for", () => {
  it.each([
    [0, 1],
    [-5, 1],
    [7, 7],
    ["7", 7],
    [1000, 100],
    ["many", 10],
    [2.5, 10],
  ])("is brought from %s to %i", (limit, brought) => {
    expect(searchMentionables.input.parse({ query: "a", limit }).limit).toBe(brought)
  })
})

describeAnswer("CommentRow", CommentRow, commentRow, { mayBeNull: ["parentUuid", "author", "editedAt", "deletedAt"] })

describeAnswer("NotificationRow", NotificationRow, notificationRow, {
  mayBeNull: ["projectUuid", "projectName", "instructionText", "readAt", "archivedAt"],
})

describeAnswer(
  "SearchResult",
  SearchResult,
  {
    entityType: "task",
    uuid: TASK,
    title: "Fit",
    snippet: "…door…",
    status: "open",
    projectUuid: PROJECT,
    projectName: "House",
    updatedAt: AT,
  },
  {
    mayBeNull: ["status", "projectUuid", "projectName"],
  },
)

describeAnswer("of chorus_get_comments", getComments.output, { comments: [commentRow], ...PAGED })

describeAnswer("of chorus_get_notifications", getNotifications.output, {
  notifications: [notificationRow],
  unreadCount: 3,
  ...PAGED,
})

describeAnswer("of chorus_mark_notification_read", markNotificationRead.output, {
  success: true,
  marked: 1,
  unreadCount: 2,
})

describeAnswer("of chorus_search", search.output, {
  results: [],
  counts: { tasks: 0, ideas: 0, proposals: 0, documents: 0, projects: 0, projectGroups: 0 },
  ...PAGED,
})

describeAnswer("of chorus_search_mentionables", searchMentionables.output, {
  results: [{ uuid: OTHER, name: "Ada", type: "user", online: true, activeCount: 1, mention: `@[Ada](user:${OTHER})` }],
  returned: 1,
})
