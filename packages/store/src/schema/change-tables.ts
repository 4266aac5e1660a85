type Actor = "user" | "agent" | "system"

/** What a task's work did to a repository, as it was at one moment. */
export interface ChangeVersionsTable {
  uuid: string
  taskUuid: string
  number: number
  handIn: number
  origin: "run" | "hook" | "command" | "agent"
  repository: string
  branch: string | null
  baseRef: string | null
  baseCommit: string | null
  headCommit: string | null
  tree: string | null
  baseMoved: number
  uncommitted: number
  files: string
  fileCount: number
  additions: number
  deletions: number
  warnings: string
  points: string
  createdByType: Actor
  createdByUuid: string
  createdAt: string
}

/** A patch or a content, compressed, under the hash of what it is uncompressed; the versions of a task share them. */
export interface ChangePartsTable {
  taskUuid: string
  sha256: string
  content: Uint8Array
}

export interface ChangeThreadsTable {
  uuid: string
  taskUuid: string
  version: number
  file: string
  side: "before" | "after"
  line: number
  /** The line with what stood around it, by which it is found again. */
  anchor: string
  severity: "blocker" | "note"
  suggestion: string | null
  state: "open" | "resolved"
  stateByType: Actor | null
  stateByUuid: string | null
  stateAt: string | null
  createdAt: string
}

export interface ChangeCommentsTable {
  uuid: string
  threadUuid: string
  version: number
  text: string
  authorType: Actor
  authorUuid: string
  createdAt: string
}

/** What a run has changed in a turn that goes on. */
export interface ChangeLooksTable {
  taskUuid: string
  repository: string
  baseCommit: string | null
  /** With their patches, as JSON. */
  files: string
  /** With which other work it met, as JSON. */
  points: string
  createdAt: string
}

/** What a person has looked at. Without a file it is the version; a file counts as viewed while its patch is the same. */
export interface ChangeViewsTable {
  taskUuid: string
  userUuid: string
  file: string
  patchSha: string
  version: number
}
