/** Tasks and ideas carry the names of their labels; this says which there are, and their colours. */
export interface LabelsTable {
  uuid: string
  projectUuid: string
  name: string
  /** The name in small letters: no project has two labels that differ in case alone. */
  lowerName: string
  hue: number
  createdAt: string
}

/** A task or comment that was brought from another tracker, by what it is called there. */
export interface ImportedItemsTable {
  projectUuid: string
  origin: string
  /** A comment's key follows that of its item after a line break, which no key has. */
  key: string
  uuid: string
  /** What it said there when it was last brought. */
  fingerprint: string
  /** How it stood there then; nothing for comments, and for what was brought before this was kept. */
  status: "open" | "done" | "closed" | null
  /** The task's version here after that; another one means that somebody changed it here. */
  version: number
  importedAt: string
}

export interface ViewsTable {
  uuid: string
  projectUuid: string
  ownerUuid: string
  name: string
  layout: "board" | "list" | "graph"
  query: string
  shared: number
  updatedAt: string
}
