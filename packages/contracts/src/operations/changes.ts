import { z } from "zod"
import { ActorRef, prose, signature, TaskId } from "../signature.ts"
import { CheckRow } from "./checks.ts"
import { ObjectId, RepositoryIdentity, RepositoryPath } from "../repository-identity.ts"

export { RepositoryIdentity }

const taskUuid = TaskId
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const words = (max: number) => prose(max).refine((text) => text.trim() !== "", "must not be blank")

/** One file of a change. The hashes name what is kept of it: its patch, and its contents before and after. */
export const ChangeFile = z.object({
  path: RepositoryPath,
  oldPath: RepositoryPath.nullable(),
  status: z.enum(["added", "modified", "deleted", "renamed", "copied", "type_changed"]),
  oldMode: z
    .string()
    .regex(/^\d{6}$/)
    .nullable(),
  newMode: z
    .string()
    .regex(/^\d{6}$/)
    .nullable(),
  additions: z.number().int().min(0),
  deletions: z.number().int().min(0),
  binary: z.boolean(),
  /** Of the content after the change, in bytes. */
  size: z.number().int().min(0).nullable(),
  patchSha: Sha256.nullable(),
  beforeSha: Sha256.nullable(),
  afterSha: Sha256.nullable(),
  /** How many rows its patch has. */
  rows: z.number().int().min(0),
  /** Generated or very long: shown when asked for. */
  folded: z.boolean(),
  /** Why the patch is not kept. */
  omitted: z.enum(["too_large", "not_kept"]).nullable(),
})
export type ChangeFile = z.infer<typeof ChangeFile>

export const ChangePoint = z.object({
  kind: z.enum(["deleted_test", "criterion", "dependency", "executable", "sensitive", "reserved", "overlap"]),
  path: z.string(),
  what: z.string(),
  /** Whose lines they are too, of an overlap. */
  taskUuid: z.string().optional(),
})
export type ChangePoint = z.infer<typeof ChangePoint>

/** One version of a change, as lists and `change.pushed` events carry it. */
export const ChangeRow = z.object({
  uuid: z.string(),
  taskUuid: z.string(),
  number: z.number().int(),
  /** With which hand-in it goes. */
  handIn: z.number().int(),
  /** What made it: a turn of a run, hooks at a hand-in, a person's command, an agent's own patch. */
  origin: z.enum(["run", "hook", "command", "agent"]),
  /** Its number among those of the same origin. */
  nth: z.number().int(),
  /** As which hand-in it was put up for verification; none for what came in between. */
  handedIn: z.number().int().nullable(),
  repository: RepositoryIdentity,
  branch: z.string().nullable(),
  /** What the base was called, where it had a name. */
  baseRef: z.string().nullable(),
  baseCommit: z.string().nullable(),
  headCommit: z.string().nullable(),
  tree: z.string().nullable(),
  /** It begins elsewhere than the version before: rebased, or another base. */
  baseMoved: z.boolean(),
  uncommitted: z.number().int(),
  fileCount: z.number().int(),
  additions: z.number().int(),
  deletions: z.number().int(),
  warnings: z.array(z.string()),
  points: z.array(ChangePoint),
  createdBy: ActorRef.nullable(),
  createdAt: z.string(),
})
export type ChangeRow = z.infer<typeof ChangeRow>

export const ThreadComment = z.object({
  uuid: z.string(),
  author: ActorRef.nullable(),
  text: z.string(),
  /** The newest version when it was written; of an agent's answer the one that came with it. */
  version: z.number().int(),
  createdAt: z.string(),
})
export type ThreadComment = z.infer<typeof ThreadComment>

export const Severity = z.enum(["blocker", "note"])

/** A conversation about a line, as `change.commented` events carry it. */
export const ThreadRow = z.object({
  uuid: z.string(),
  taskUuid: z.string(),
  /** On which version it was begun, and where it stood there. */
  version: z.number().int(),
  file: z.string(),
  side: z.enum(["before", "after"]),
  line: z.number().int(),
  lineText: z.string(),
  severity: Severity,
  suggestion: z.string().nullable(),
  state: z.enum(["open", "resolved"]),
  stateBy: ActorRef.nullable(),
  stateAt: z.string().nullable(),
  comments: z.array(ThreadComment),
  createdAt: z.string(),
})
export type ThreadRow = z.infer<typeof ThreadRow>

/** Where a thread stands in the version that is shown; on no line once it is outdated. */
export const PlacedThread = ThreadRow.extend({
  now: z.object({ file: z.string(), line: z.number().int() }).nullable(),
  outdated: z.boolean(),
})
export type PlacedThread = z.infer<typeof PlacedThread>

export const MOST_PATCH_BYTES = 4_000_000
export const MOST_PART_BYTES = 4_000_000
export const MOST_FILES = 2000

/** What git says of a piece of work, as a machine sends it. */
export const CapturedChange = z.object({
  repository: RepositoryIdentity,
  branch: prose(1000).nullable(),
  baseRef: prose(1000).nullable(),
  baseCommit: ObjectId.nullable(),
  headCommit: ObjectId.nullable(),
  tree: ObjectId,
  uncommitted: z.number().int().min(0),
  files: z.array(ChangeFile).max(MOST_FILES),
  warnings: z.array(prose(2000)).max(100),
})
export type CapturedChange = z.infer<typeof CapturedChange>

/** Parts are kept by their hash; what the server does not have yet it asks for, and the version is there once nothing is missing. */
export const sendChange = signature({
  name: "chorus_send_change",
  does: "Send what a piece of work did to a repository, as a machine captured it; answers what is missing.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    taskUuid,
    origin: z.enum(["run", "hook", "command"]),
    /** A runner proves by its lease that the work is its own. */
    run: z.object({ runUuid: z.uuid(), lease: z.uuid() }).optional(),
    change: CapturedChange,
    /** Compressed with gzip. */
    parts: z
      .array(z.object({ sha256: Sha256, gzip: z.base64().max(3_600_000) }))
      .max(500)
      .default([]),
  }),
  output: z.object({ version: ChangeRow.nullable(), missing: z.array(z.string()) }),
})

/** So much of a turn that goes on is compared with the work of others. */
export const MOST_LOOKED_AT = 500_000

export const lookAtRun = signature({
  name: "chorus_look_at_run",
  does: "Tell which lines a run has changed so far in its turn, so that whoever works on the same ones hears of it.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({
    taskUuid,
    run: z.object({ runUuid: z.uuid(), lease: z.uuid() }),
    repository: RepositoryIdentity,
    baseCommit: ObjectId.nullable(),
    files: z
      .array(
        ChangeFile.pick({ path: true, oldPath: true, status: true, binary: true }).extend({
          /** It is compared, and never shown. */
          patch: z.string().max(MOST_LOOKED_AT),
        }),
      )
      .max(MOST_FILES),
  }),
  output: z.object({
    /** The work of others that it was told of, and that was told of it. */
    told: z.array(z.string()),
  }),
})

export const pushChange = signature({
  name: "chorus_push_change",
  does: "Show what you changed: the output of `git diff` against the base, untracked files included.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    patch: prose(MOST_PATCH_BYTES).min(1),
    baseCommit: ObjectId.optional(),
    headCommit: ObjectId.optional(),
    branch: prose(1000).optional(),
  }),
  output: ChangeRow,
})

/** A file as it is read: with the text of its patch where there was room for it. */
export const ReadFile = ChangeFile.extend({
  patch: z.string().optional(),
  /** How the bytes of the patch became text: latin1 keeps each byte where they are no UTF-8. */
  encoding: z.enum(["utf8", "latin1"]).optional(),
})
export type ReadFile = z.infer<typeof ReadFile>

export const getChange = signature({
  name: "chorus_get_change",
  does: "Read what a task's work changed: versions, files, patches, line comments, checks; since compares two versions.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    taskUuid,
    version: z.number().int().min(1).optional(),
    since: z.number().int().min(1).optional(),
    files: z.array(RepositoryPath).min(1).max(200).optional(),
    /** At most so many characters of patches. */
    room: z.number().int().min(0).max(20_000_000).default(60_000),
  }),
  output: z.object({
    version: ChangeRow.nullable(),
    since: z.number().int().nullable(),
    files: z.array(ReadFile),
    /** Whose patches had no room; ask for them by `files`. */
    leftOut: z.array(z.string()),
    versions: z.array(ChangeRow),
    threads: z.array(PlacedThread),
    /** The newest check of each command on the present work; what one that passed printed is left out. */
    checks: z.array(CheckRow),
    /** Of the person who asks: the version last looked at, and the files marked as viewed as they are now. */
    lookedAt: z.number().int().nullable(),
    viewed: z.array(z.string()),
  }),
})

export const getChangeContent = signature({
  name: "chorus_get_change_content",
  does: "Get the content that a file of a change has before or after it, as base64.",
  needs: "task:read",
  kind: "read",
  tool: "none",
  input: z.object({ taskUuid, sha256: Sha256 }),
  output: z.object({ contentBase64: z.string() }),
})

export const viewChange = signature({
  name: "chorus_view_change",
  does: "Note that you have looked at a version of a change, or that you have viewed a file of it.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({
    taskUuid,
    version: z.number().int().min(1),
    file: RepositoryPath.optional(),
    viewed: z.boolean().default(true),
  }),
  output: z.object({ version: z.number().int(), viewed: z.boolean() }),
})

export const commentOnChange = signature({
  name: "chorus_comment_on_change",
  does: "Comment on lines of a change; answer or resolve its threads.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    version: z.number().int().min(1).optional(),
    comments: z
      .array(
        z.object({
          /** An open thread that this goes on with; else file and line begin one. */
          threadUuid: z.uuid().optional(),
          file: RepositoryPath.optional(),
          line: z.number().int().min(1).optional(),
          side: z.enum(["before", "after"]).default("after"),
          severity: Severity.default("note"),
          text: words(20_000).optional(),
          /** What the line should become. */
          suggestion: prose(20_000).optional(),
          resolved: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(100),
  }),
  output: z.object({ threads: z.array(ThreadRow) }),
})
