import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, referenceRow } from "../../test/examples.ts"
import {
  chars,
  filled,
  like,
  line,
  list,
  nullable,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  type FieldRule,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  addAttachment,
  ATTACHMENT_MAX_BYTES,
  AttachmentRow,
  getAttachment,
  listAttachments,
  removeAttachment,
} from "./attachments.ts"
import { addReference, ReferenceRow, removeReference, updateReference } from "./references.ts"
import { listReservations, releasePaths, ReservationRow, reservePaths, sweepReservations } from "./reservations.ts"
import {
  FindingRow,
  FindingState,
  getReviews,
  ReviewRow,
  ReviewVerdict,
  submitReview,
  updateFinding,
} from "./reviews.ts"
import { compareProposalRevisions, getProposalRevisions, RevisionRow } from "./revisions.ts"

const TARGETS = oneOf("idea", "proposal", "task", "document")
const onTask = { targetType: "task" as const, targetUuid: TASK }
const TYPES = oneOf("docs", "repo", "issue_pr", "paper_blog")

const webAddress: FieldRule = {
  says: "is an http or https address",
  takes: ["https://example.org", "http://localhost:3000/a?b=c#d", " https://example.org "],
  refuses: [
    "",
    "example.org",
    "ftp://example.org",
    "javascript:alert(1)",
    "data:text/html,hi",
    "file:///etc/passwd",
    "https://exa\nmple.org",
    `https://example.org/${chars(2048)}`,
    7,
    null,
  ],
}

const fileName: FieldRule = {
  ...line(200),
  says: "is a file's name and no path",
  refuses: [...line(200).refuses, ".", "..", "a/b", "..\\b", "/etc/passwd"],
}

const mediaType: FieldRule = {
  says: "is a media type",
  takes: ["image/png", "application/vnd.api+json", "TEXT/Plain"],
  refuses: [
    "",
    "png",
    "image/",
    "/png",
    "image/png; charset=x",
    "image/ png",
    "text/html\r\nX: y",
    `image/${chars(120)}`,
    7,
    null,
  ],
}

describeInput(addAttachment, {
  smallest: { ...onTask, name: "door.png", mediaType: "image/png", contentBase64: "AAEC" },
  fields: {
    targetType: TARGETS,
    targetUuid: uuid,
    as: optional(uuid),
    name: fileName,
    mediaType,
    contentBase64: {
      says: "is base64",
      takes: ["", "AA==", "AAEC"],
      refuses: ["A", "AAE", "A-_=", "AA==\n", "not base64!", 7, null],
    },
  },
})

describe("an attached file", () => {
  it("has three million bytes at most", () => {
    const content = (bytes: number) => Buffer.alloc(bytes).toString("base64")
    const takes = (bytes: number) =>
      addAttachment.input.safeParse({ ...onTask, name: "x", mediaType: "a/b", contentBase64: content(bytes) }).success
    expect([takes(ATTACHMENT_MAX_BYTES), takes(ATTACHMENT_MAX_BYTES + 1)]).toEqual([true, false])
  })

  it("with a path for a name is refused in words", () => {
    expect(faults(addAttachment.input, { ...onTask, name: "../x", mediaType: "a/b", contentBase64: "" })).toEqual([
      "name: must be a file name, not a path",
    ])
  })
})

describeInput(listAttachments, { smallest: onTask, fields: { targetType: TARGETS, targetUuid: uuid } })

describe.each([getAttachment, removeAttachment])("an operation on one attached file", (signature) => {
  describeInput(signature, { smallest: { attachmentUuid: OTHER }, fields: { attachmentUuid: uuid } })
})

describeInput(addReference, {
  smallest: { ...onTask, type: "docs", url: "https://example.org/doors", title: "Doors" },
  fields: {
    targetType: TARGETS,
    targetUuid: uuid,
    type: TYPES,
    url: webAddress,
    title: line(256),
    notes: optional(prose(4000)),
  },
})

describeInput(updateReference, {
  smallest: { uuid: OTHER },
  fields: {
    uuid,
    type: optional(TYPES),
    url: optional(webAddress),
    title: optional(line(256)),
    notes: optional(nullable(prose(4000))),
  },
})

describeInput(removeReference, { smallest: { uuid: OTHER }, fields: { uuid } })

describeInput(reservePaths, {
  smallest: { taskUuid: TASK, globs: ["src/door/**"] },
  fields: {
    taskUuid: uuid,
    globs: list(line(200), 1, 50),
    ttlMinutes: optional(whole(1, 1440)),
    sessionUuid: optional(uuid),
    reason: optional(line(500)),
  },
})

describeInput(releasePaths, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, globs: optional(list(line(200), 0, 50)) },
})

describeInput(listReservations, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, page: 1, pageSize: 100 },
  fields: { projectUuid: uuid, path: optional(line(500)), ...paging },
})

describeInput(sweepReservations, { smallest: {}, fields: {} })

const findingKey: FieldRule = {
  says: "is a finding's key",
  takes: ["B1", "N2", "B9999"],
  refuses: ["", "B0", "B01", "X1", "b1", "B10000", "B1 ", 7, null],
}

describeInput(submitReview, {
  smallest: { ...onTask, verdict: "pass", summary: "Good.", findings: [{ severity: "note", text: "Oil it." }] },
  becomes: {
    ...onTask,
    verdict: "pass",
    summary: "Good.",
    findings: [{ severity: "note", text: "Oil it." }],
    resolvedKeys: [],
  },
  fields: {
    targetType: oneOf("idea", "proposal", "task"),
    targetUuid: uuid,
    verdict: oneOf("pass", "pass_with_notes", "fail"),
    summary: filled(prose(20_000)),
    findings: optional(list(like({ severity: "blocker", text: "It sticks." }), 0, 100)),
    "findings.0.key": optional(findingKey),
    "findings.0.severity": oneOf("blocker", "note"),
    "findings.0.text": filled(prose(10_000)),
    resolvedKeys: optional(list(findingKey, 0, 100)),
  },
})

describe("the words of a review", () => {
  it("are three verdicts, and three states of a finding", () => {
    expect(ReviewVerdict.options).toEqual(["pass", "pass_with_notes", "fail"])
    expect(FindingState.options).toEqual(["open", "resolved", "dismissed"])
  })

  it("may be said of no document", () => {
    expect(
      submitReview.input.safeParse({ targetType: "document", targetUuid: TASK, verdict: "pass", summary: "Good." })
        .success,
    ).toBe(false)
  })
})

describeInput(updateFinding, {
  smallest: { findingUuid: OTHER, state: "resolved" },
  fields: { findingUuid: uuid, state: oneOf("open", "resolved", "dismissed"), note: optional(prose(2000)) },
})

describeInput(getReviews, {
  smallest: onTask,
  becomes: { ...onTask, page: 1, pageSize: 50 },
  fields: { targetType: oneOf("idea", "proposal", "task"), targetUuid: uuid, ...paging },
})

const revision: FieldRule = {
  says: "is a revision, counted from one, also as text",
  takes: [1, "2"],
  refuses: [0, "0", 1.5, "last", {}],
}

describeInput(getProposalRevisions, { smallest: { proposalUuid: OTHER }, fields: { proposalUuid: uuid } })

describeInput(compareProposalRevisions, {
  smallest: { proposalUuid: OTHER, from: 1 },
  fields: { proposalUuid: uuid, from: revision, to: optional(revision) },
})

const attachmentRow: AttachmentRow = {
  uuid: OTHER,
  ...onTask,
  name: "door.png",
  mediaType: "image/png",
  size: 3,
  sha256: "ab",
  createdBy: ada,
  createdAt: AT,
}

describeAnswer("AttachmentRow", AttachmentRow, attachmentRow, { mayBeNull: ["createdBy"] })

describeAnswer(
  "of chorus_get_attachment",
  getAttachment.output,
  { ...attachmentRow, contentBase64: "AAEC" },
  { mayBeNull: ["createdBy"] },
)

describeAnswer("ReferenceRow", ReferenceRow, referenceRow, { mayBeNull: ["notes", "createdBy"] })

describeAnswer(
  "ReservationRow",
  ReservationRow,
  {
    uuid: OTHER,
    projectUuid: PROJECT,
    taskUuid: TASK,
    agent: { type: "agent", uuid: OTHER, name: "Builder" },
    sessionUuid: OTHER,
    glob: "src/**",
    reason: "doors",
    createdAt: AT,
    expiresAt: AT,
    releasedAt: AT,
    releaseReason: "task_ended",
  },
  { mayBeNull: ["sessionUuid", "reason", "releasedAt", "releaseReason"] },
)

const finding: FindingRow = {
  uuid: OTHER,
  reviewUuid: OTHER,
  targetUuid: TASK,
  key: "B1",
  severity: "blocker",
  text: "It sticks.",
  state: "resolved",
  stateBy: ada,
  stateAt: AT,
  stateNote: "oiled",
  createdAt: AT,
}

describeAnswer("FindingRow", FindingRow, finding, { mayBeNull: ["stateBy", "stateAt", "stateNote"] })

describeAnswer(
  "ReviewRow",
  ReviewRow,
  {
    uuid: OTHER,
    projectUuid: PROJECT,
    ...onTask,
    round: 2,
    verdict: "fail",
    summary: "It sticks.",
    reviewer: ada,
    findings: [finding],
    createdAt: AT,
  },
  { mayBeNull: ["reviewer"] },
)

describeAnswer(
  "RevisionRow",
  RevisionRow,
  {
    revision: 1,
    outcome: "rejected",
    note: "Smaller.",
    submittedBy: ada,
    submittedAt: AT,
    decidedBy: ada,
    decidedAt: AT,
  },
  {
    mayBeNull: ["note", "submittedBy", "decidedBy", "decidedAt"],
  },
)

describeAnswer(
  "of chorus_compare_proposal_revisions",
  compareProposalRevisions.output,
  {
    from: 1,
    to: 2,
    proposal: [{ field: "title", before: "Flap", after: "Cat flap" }],
    drafts: [
      {
        draftUuid: OTHER,
        kind: "document",
        title: "Why",
        change: "changed",
        fields: [{ field: "content", before: null, after: null, patch: "@@" }],
      },
    ],
  },
  { mayBeNull: ["to"] },
)
