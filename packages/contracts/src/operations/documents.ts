import { z } from "zod"
import {
  ActorRef,
  DocumentId,
  line,
  pageInput,
  pageOutput,
  ProjectId,
  ProposalId,
  prose,
  signature,
} from "../signature.ts"
import { AttachmentRow } from "./attachments.ts"
import { DocumentType } from "./drafts.ts"
import { ReferenceRow } from "./references.ts"
import { expectedVersion } from "./versions.ts"

const content = prose(500_000)

export const DocumentRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  type: DocumentType,
  title: z.string(),
  version: z.number().int(),
  contentLength: z.number().int(),
  proposalUuid: z.string().nullable(),
  createdBy: ActorRef.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type DocumentRow = z.infer<typeof DocumentRow>

export const DocumentDetail = DocumentRow.extend({
  content: z.string(),
  project: z.object({ uuid: z.string(), name: z.string() }),
  attachments: z.array(AttachmentRow),
  references: z.array(ReferenceRow),
})

export const getDocuments = signature({
  name: "chorus_get_documents",
  does: "List a project's documents.",
  needs: "document:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    type: DocumentType.optional(),
    proposalUuid: ProposalId.optional(),
    ...pageInput,
  }),
  output: z.object({ documents: z.array(DocumentRow), ...pageOutput }),
})

export const getDocument = signature({
  name: "chorus_get_document",
  does: "Get one document with its content.",
  needs: "document:read",
  kind: "read",
  tool: "listed",
  input: z.object({ documentUuid: DocumentId }),
  output: DocumentDetail,
})

export const createDocument = signature({
  name: "chorus_pm_create_document",
  does: "Create a document.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    type: DocumentType.exclude(["report"]),
    title: line(),
    content: content.default(""),
    proposalUuid: ProposalId.optional(),
  }),
  output: DocumentRow,
})

export const updateDocument = signature({
  name: "chorus_pm_update_document",
  does: "Change a document; every version is kept.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    documentUuid: DocumentId,
    title: line().optional(),
    content: content.optional(),
    expectedVersion,
  }),
  output: DocumentRow,
})

export const deleteDocument = signature({
  name: "chorus_admin_delete_document",
  does: "Delete a document with its history.",
  needs: "document:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ documentUuid: DocumentId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})

export const createReport = signature({
  name: "chorus_create_report",
  does: "Write the completion report of an approved proposal.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    proposalUuid: ProposalId,
    title: line(200),
    content: content.refine((text) => text.trim() !== "", "must not be blank"),
    force: z.boolean().default(false),
  }),
  output: z.object({ documentUuid: z.string(), projectUuid: z.string(), version: z.number().int() }),
})

export const exportDocument = signature({
  name: "chorus_export_document",
  does: "Export a document to Markdown.",
  needs: "document:read",
  kind: "read",
  tool: "none",
  input: z.object({ documentUuid: DocumentId, version: z.coerce.number().int().min(1).optional() }),
  output: z.object({ fileName: z.string(), mediaType: z.literal("text/markdown"), content: z.string() }),
})
