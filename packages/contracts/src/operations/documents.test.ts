import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, builder, PAGE, PAGED, referenceRow } from "../../test/examples.ts"
import {
  type FieldRule,
  filled,
  flag,
  line,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  createDocument,
  createReport,
  deleteDocument,
  DocumentDetail,
  DocumentRow,
  exportDocument,
  getDocument,
  getDocuments,
  updateDocument,
} from "./documents.ts"

const DOCUMENT = TASK
const WRITTEN_BY_HAND = ["prd", "tech_design", "adr", "spec", "guide"]

/** Versions also come in the query of an address, as text. */
const version: FieldRule = {
  says: "is a version, counted from one, also as text",
  takes: [1, "1", "12"],
  refuses: [0, -1, 1.5, "0", "first", {}],
}

const documentRow: DocumentRow = {
  uuid: DOCUMENT,
  projectUuid: PROJECT,
  type: "tech_design",
  title: "The frame",
  version: 3,
  contentLength: 120,
  proposalUuid: OTHER,
  createdBy: builder,
  createdAt: AT,
  updatedAt: AT,
}

describeInput(getDocuments, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: {
    projectUuid: uuid,
    type: optional(oneOf(...WRITTEN_BY_HAND, "report")),
    proposalUuid: optional(uuid),
    ...paging,
  },
})

describe.each([getDocument, deleteDocument])("an operation on one document", (signature) => {
  describeInput(signature, { smallest: { documentUuid: DOCUMENT }, fields: { documentUuid: uuid } })
})

describeInput(createDocument, {
  smallest: { projectUuid: PROJECT, type: "prd", title: "Why" },
  becomes: { projectUuid: PROJECT, type: "prd", title: "Why", content: "" },
  fields: {
    projectUuid: uuid,
    type: oneOf(...WRITTEN_BY_HAND),
    title: line(256),
    content: optional(prose(500_000)),
    proposalUuid: optional(uuid),
  },
})

describe("a report", () => {
  it("has an operation of its own and is not created like other documents: it belongs to an approved proposal", () => {
    expect(faults(createDocument.input, { projectUuid: PROJECT, type: "report", title: "Done" })).toEqual([
      expect.stringMatching(/^type: /),
    ])
  })
})

describeInput(createReport, {
  smallest: { proposalUuid: OTHER, title: "Done", content: "All of it." },
  becomes: { proposalUuid: OTHER, title: "Done", content: "All of it.", force: false },
  fields: { proposalUuid: uuid, title: line(200), content: filled(prose(500_000)), force: optional(flag) },
})

describeInput(updateDocument, {
  smallest: { documentUuid: DOCUMENT },
  fields: {
    documentUuid: uuid,
    title: optional(line(256)),
    content: optional(prose(500_000)),
    expectedVersion: optional(whole(1, Number.MAX_SAFE_INTEGER)),
  },
})

describe("chorus_pm_update_document", () => {
  it("does not empty a document that was not given a content", () => {
    expect(updateDocument.input.parse({ documentUuid: DOCUMENT, title: "Why" })).toEqual({
      documentUuid: DOCUMENT,
      title: "Why",
    })
  })
})

describeInput(exportDocument, {
  smallest: { documentUuid: DOCUMENT },
  fields: { documentUuid: uuid, version: optional(version) },
})

describeAnswer("DocumentRow", DocumentRow, documentRow, { mayBeNull: ["proposalUuid", "createdBy"] })

describeAnswer(
  "DocumentDetail",
  DocumentDetail,
  {
    ...documentRow,
    content: "# The frame",
    project: { uuid: PROJECT, name: "House" },
    attachments: [
      {
        uuid: OTHER,
        targetType: "document",
        targetUuid: DOCUMENT,
        name: "frame.png",
        mediaType: "image/png",
        size: 7,
        sha256: "ab",
        createdBy: ada,
        createdAt: AT,
      },
    ],
    references: [referenceRow],
  },
  { mayBeNull: ["proposalUuid", "createdBy"] },
)

describeAnswer("of chorus_get_documents", getDocuments.output, { documents: [documentRow], ...PAGED })

describeAnswer("of chorus_create_report", createReport.output, {
  documentUuid: DOCUMENT,
  projectUuid: PROJECT,
  version: 1,
})

describeAnswer("of chorus_export_document", exportDocument.output, {
  fileName: "the-frame.md",
  mediaType: "text/markdown",
  content: "# The frame",
})
